"""A person's own keys: checked before the app opens, since a clash would pass in silence. Pure."""

from collections.abc import Iterable, Mapping, Sequence

from linkdash.api.errors import Misconfigured

Context = Sequence[tuple[str, str]]
"""Ids and keys of everything that is active at the same time, as they are by default."""


def check_keys(remapped: Mapping[str, str], contexts: Iterable[Context]) -> None:
    """Checks keys by action id. Raises Misconfigured for an unknown id, and for a key with two owners."""
    contexts = tuple(contexts)
    known = {id for context in contexts for id, _ in context}
    if unknown := sorted(remapped.keys() - known):
        raise Misconfigured(
            f"keys: there is no action {unknown[0]!r}.", f"Actions: {', '.join(sorted(known))}."
        )
    for context in contexts:
        _check_context(remapped, context)


def _check_context(remapped: Mapping[str, str], context: Context) -> None:
    owners: dict[str, str] = {}
    for id, keys in sorted(context, key=lambda entry: entry[0] not in remapped):
        for key in _split(remapped.get(id, keys)):
            other = owners.setdefault(key, id)
            if other != id and {other, id} & remapped.keys():
                raise Misconfigured(
                    f"keys: {key} would be both {other} and {id}.", "Give one of them another key."
                )


def _split(keys: str) -> list[str]:
    return [key.strip() for key in keys.split(",") if key.strip()]
