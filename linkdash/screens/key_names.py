"""Keys as the user has them, and their names."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from textual.keys import KEY_ALIASES, REPLACED_KEYS, Keys, key_to_character

from linkdash.model.resources import PLACES
from linkdash.screens.actions import AnyAction
from linkdash.widgets.textual_fixes.unexpected_keys import name_of_key

if TYPE_CHECKING:
    from linkdash.model.settings import Settings

KEY_NAMES = {"escape": "esc", "pagedown": "page down", "pageup": "page up"}
"""The keys' names for people where these are not their own."""

_MODIFIERS = {"ctrl", "shift", "alt", "meta", "super", "hyper"}
_NAMES = {key.value for key in Keys if key.value.isalnum()}
_FIRST_NAMES = {alias: name for name, aliases in KEY_ALIASES.items() for alias in aliases}


def key_names(keys: str) -> str:
    """The keys of an action as people read them: `]`, `: or ctrl+p`."""
    return " or ".join(KEY_NAMES.get(key, key) for key in split_keys(keys))


def first_key(keys: str) -> str:
    """The first of the keys of an action as people read it."""
    return key_names(keys).partition(" or ")[0]


class KeyNames:
    """The key of each action, with the user's own keys in the place of the defaults."""

    def __init__(
        self, remapped: Mapping[str, str], of_program: Iterable[AnyAction], of_lists: Sequence[AnyAction]
    ) -> None:
        """The actions are those that messages of any screen name."""
        self._remapped = remapped
        self._of_program, self._of_lists = tuple(of_program), of_lists
        places = {f"go-{place.id}": place.key for place in PLACES}
        self._defaults = {**places, **_keys_by_id((*self._of_program, *of_lists))}

    def of(self, id: str, actions: Iterable[AnyAction] = ()) -> str:
        """The key of an action as the user reads it; `actions` are those of the screen that names it.

        Raises KeyError for an action that nowhere is.
        """
        if id in self._remapped:
            return first_key(self._remapped[id])
        return first_key({**self._defaults, **_keys_by_id(actions)}[id])

    def list_action(self, key: str) -> AnyAction | None:
        """The action on lists of records that a key does there, as Textual names it; None for none."""
        return next((action for action in self._of_lists if self.does(action, key)), None)

    def does(self, action: AnyAction, key: str) -> bool:
        """Return whether a key, as Textual names it, does an action."""
        keys = split_keys(self._remapped.get(action.id, action.keys))
        return one_name(key) in map(one_name, keys)

    def moved(self, key: str, actions: Iterable[AnyAction]) -> str:
        """Return what a key, as Textual names it, did until the user gave that another: `Undo is on z now`.

        `actions` are those of the screen; "" where it did nothing.
        """
        of_actions = ((one.id, one.keys, one.label) for one in (*actions, *self._of_program, *self._of_lists))
        for id, keys, label in (*of_actions, *((f"go-{one.id}", one.key, one.title) for one in PLACES)):
            if id in self._remapped and one_name(key) in map(one_name, split_keys(keys)):
                return f"{label} is on {first_key(self._remapped[id])} now"
        return ""

    def all_of(self, id: str) -> list[str]:
        """Every key of an action, as Textual names it."""
        return split_keys(self._remapped.get(id, self._defaults[id]))


def _keys_by_id(actions: Iterable[AnyAction]) -> dict[str, str]:
    """The keys of actions; of several with an id, those of the first."""
    keys: dict[str, str] = {}
    for action in actions:
        keys.setdefault(action.id, action.keys)
    return keys


def is_key(name: str) -> bool:
    """Return whether a terminal can send this key: a character, or Textual's name, also with modifiers."""
    *modifiers, base = [name] if len(name) == 1 else name.split("+")
    known = base.isprintable() if len(base) == 1 else base in _NAMES or _is_name_of_character(base)
    return known and _MODIFIERS.issuperset(modifiers)


def _is_name_of_character(name: str) -> bool:
    character = key_to_character(REPLACED_KEYS.get(name, name))
    return character is not None and name_of_key(character) == name


def one_name(key: str) -> str:
    """The name of a key that can be spelled in several ways, such as / and slash, or tab and ctrl+i."""
    *modifiers, base = [key] if len(key) == 1 else key.split("+")
    name = name_of_key(base) if len(base) == 1 else base
    whole = "+".join([*sorted(modifiers), name])
    return _FIRST_NAMES.get(whole, whole)


def given_keys(settings: "Settings") -> frozenset[str]:
    """Return the keys that the user has given to actions and to own commands, as Textual names them."""
    given = [*settings.keys.values(), *(command.key for command in settings.commands.values())]
    return frozenset(one_name(key) for keys in given for key in split_keys(keys))


def split_keys(keys: str) -> list[str]:
    return [key.strip() for key in keys.split(",") if key.strip()]
