"""Help for where a person is: every key that does something there, from the actions themselves."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from textwrap import fill

from rich.text import Text

from linkdash.screens.actions import Action
from linkdash.screens.host import HostScreen

_GROUPS = ("Move", "Look", "Change", "Program")
_KEYS_WIDTH, _WIDTH = 16, 64  # cells; a line fits into the window on the smallest screen that is designed for


def help_here(screen: HostScreen, actions: Iterable[Action], own: Sequence[tuple[str, str]] = ()) -> Text:
    """What every key does that is active on a screen now: actions by group with their cost, then the rest.

    The keys are those a person has given to the actions; each ends with the name it has in the configuration.
    `own` are the keys and labels of the person's own commands.
    """
    keys: dict[str, list[str]] = {}
    others: dict[str, str] = {}
    for node, binding, _enabled, _tooltip in screen.active_bindings.values():
        if binding.id:
            keys.setdefault(binding.id, []).append(screen.app.get_key_display(binding))
            if node not in (screen, screen.app):
                others[binding.id] = binding.description
    text = Text()
    known = [action for action in actions if action.id in keys and screen.rank_of(action.id) is not None]
    for title, lines in (*_grouped(known), ("Cursor", list(others.items()))):
        if lines:
            text.append(f"{title}\n", style="bold")
            told = (_line(" or ".join(keys[id]), f"{what} · {id}") for id, what in lines)
            text.append("".join(f"{line}\n" for line in told) + "\n")
    if own:
        text.append("Your own\n", style="bold")
        text.append("".join(f"{_line(key, label)}\n" for key, label in own) + "\n")
    text.append("The last word of a line is the name of the action for [keys] in the configuration.")
    return text


def _grouped(actions: Iterable[Action]) -> Iterator[tuple[str, Sequence[tuple[str, str]]]]:
    ordered = sorted(actions, key=lambda action: _GROUPS.index(action.group))
    for group, members in groupby(ordered, key=lambda action: action.group):
        yield group, [(action.id, action.described) for action in members]


def _line(keys: str, what: str) -> str:
    indent = " " * (_KEYS_WIDTH + 2)
    return fill(what, _WIDTH, initial_indent=f"  {keys:<{_KEYS_WIDTH - 1}} ", subsequent_indent=indent)
