"""Settings and flags that are no more: told once at the start, with what to use instead, and ignored."""

from collections.abc import Iterator, Mapping

_VIEWS = "F in a list, and linkdash review, show what to look at"
_IN_LINES = "the commands say in lines what the dashboard shows: linkdash help scripts"

FLAGS: Mapping[str, tuple[bool, str]] = {
    "--demo-data": (True, "the demo keeps nothing"),
    "--linear": (False, _IN_LINES),
}
"""Flags by their names, each with whether it took a value, and what to know."""

SETTINGS: Mapping[tuple[str, ...], str] = {
    ("alerts", "*", "hook"): "a script runs linkdash alerts --check, which ends with 5",
    ("linear",): _IN_LINES,
    **{("keys", action): _VIEWS for action in ("audit", "review", "top", "days", "one-plan", "other-side")},
    ("keys", "stop"): "the key of discard ends a job that runs",
    ("keys", "window"): "period is the key of the period everywhere",
    **{("keys", action): _VIEWS for action in ("next-check", "previous-check", "select-users")},
}
"""Settings by their place in the configuration file, where `*` is any name."""


def gone_words(name: str, instead: str) -> str:
    """Say of a flag or a setting that it is no more."""
    return f"{name} has no effect any more: {instead}"


def without_gone(data: dict[str, object]) -> dict[tuple[str | int, ...], str]:
    """Take such settings out of the data of a configuration file; what to know of each, by its place."""
    found: dict[tuple[str | int, ...], str] = {}
    for pattern, instead in SETTINGS.items():
        for place, table in _tables(data, pattern[:-1]):
            if table.pop(pattern[-1], None) is not None:
                whole = (*place, pattern[-1])
                found[whole] = gone_words(".".join(whole), instead)
    return found


def _tables(
    data: dict[str, object], pattern: tuple[str, ...], place: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], dict[str, object]]]:
    """The tables at the places that a pattern stands for."""
    if not pattern:
        yield place, data
        return
    for name in data if pattern[0] == "*" else pattern[:1]:
        inner = data.get(name)
        if isinstance(inner, dict):
            yield from _tables(inner, pattern[1:], (*place, name))
