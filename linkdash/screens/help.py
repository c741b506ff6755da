"""Help for where a person is: every key that does something there, from the actions themselves."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from rich.text import Text

from linkdash.screens.actions import Action

KEY_NAMES = {"escape": "esc", "pagedown": "page down", "pageup": "page up"}
"""How keys are written for people where that is not their name."""

_GROUPS = ("Move", "Look", "Change", "Program")


def key_names(keys: str) -> str:
    """Keys of an action as people read them: `]`, `: or ctrl+p`."""
    return " or ".join(KEY_NAMES.get(key.strip(), key.strip()) for key in keys.split(","))


def help_text(actions: Iterable[Action], others: Sequence[tuple[str, str]] = ()) -> Text:
    """Actions by group with keys, help and cost; then `others`: keys of widgets, with what they do."""
    ordered = sorted(actions, key=lambda action: _GROUPS.index(action.group))
    text = Text()
    for group, members in groupby(ordered, key=lambda action: action.group):
        text.append(f"{group}\n", style="bold")
        for action in members:
            text.append(_line(key_names(action.keys), action.described))
        text.append("\n")
    if others:
        text.append("In the table\n", style="bold")
        for keys, what in others:
            text.append(_line(key_names(keys), what))
    return text


def _line(keys: str, what: str) -> str:
    return f"  {keys:<16} {what}\n"
