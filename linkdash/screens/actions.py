"""What a person can do, each told once, and the keys that do it, as this person has them.

Bindings, key line, help, command palette, messages and the README's table of keys are rendered from the
actions. Wherever a key is named to a person, it is asked for here, so that a remapped key is named right
everywhere; a person's own keys are checked for clashes.
"""

import inspect
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from textual.binding import Binding, BindingType
from textual.keys import KEY_ALIASES, REPLACED_KEYS, Keys, _character_to_key, key_to_character

from linkdash.api.errors import Misconfigured
from linkdash.model.resources import PLACES

Group = Literal["Move", "Look", "Change", "Program"]
Flow = Coroutine[None, None, None]
"""What an action does that awaits something: a question, an answer, the service."""

LASTING = frozenset({"writing", "create", "update", "delete", "assignment", "follows", "importing"})
"""Needs that are met as long as a screen is there, or never."""


ASKING = frozenset({"delete", "discard", "edit", "quit"})
"""Actions that lead to a question before something is lost or much is changed."""


class Host(Protocol):
    """What actions are done on: a screen or the app. It has a method `do_<id>` for each of its actions."""

    def missing(self, need: str) -> str | None:
        """Why an action that needs something is not possible now, in words; None where it is."""

    def say(self, text: str, title: str = "") -> None:
        """Tells a person something."""

    def warn(self, text: str, title: str = "") -> None:
        """Tells a person why something is not done."""

    def begin(self, flow: Flow, name: str) -> None:
        """Runs a flow beside everything else; whatever it raises is shown."""


@dataclass(frozen=True)
class Action:
    """Something a person can do."""

    id: str
    """Its name, also in a remapping of keys."""
    keys: str
    label: str
    help: str
    group: Group = "Look"
    cost: str = ""
    """In requests, in words; empty for none."""
    shown: bool = False
    """Whether the key line shows it; in the order of their declaration, as many as fit."""
    needs: tuple[str, ...] = ()

    @property
    def described(self) -> str:
        """The help with the cost."""
        return f"{self.help} ({self.cost})" if self.cost else self.help

    @property
    def binding(self) -> Binding:
        """The Textual binding of this action."""
        return Binding(
            self.keys,
            f"do('{self.id}')",
            self.label,
            show=self.shown,
            tooltip=self.described,
            id=self.id,
        )

    def blocked(self, host: Host) -> str | None:
        """Why it is not possible on `host` now, in words; None when it is."""
        return next(filter(None, map(host.missing, self.needs)), None)

    def is_offered(self, host: Host) -> bool:
        """Whether it can ever be done on `host`; what else is missing now is said when it is tried."""
        return not any(host.missing(need) for need in self.needs if need in LASTING)


def bindings(actions: Iterable[Action]) -> list[BindingType]:
    """The Textual bindings of some actions."""
    return [action.binding for action in actions]


def perform(host: Host, actions: Iterable[Action], id: str) -> None:
    """Does the action with this id, or says why it is not possible: no key is dead without a reason."""
    action = next((action for action in actions if action.id == id), None)
    if action is None:
        host.warn("That does not work here.")
        return
    if reason := action.blocked(host):
        host.warn(reason)
        return
    do: Callable[[], Flow | None] = getattr(host, f"do_{id.replace('-', '_')}")
    flow = do()
    if inspect.iscoroutine(flow):
        host.begin(flow, id)


# ---- everywhere ----

PROGRAM_ACTIONS = (
    Action("help", "?,f1", "Help", "Show every key that works here", "Program", shown=True),
    Action("palette", ":,ctrl+p", "Commands", "Find any action by its name", "Program", shown=True),
    Action("overview", "h", "Overview", "Go to the overview: what changed, and what needs you", "Program"),
    Action("before", "-", "Previous place", "Go back to the previous place; again, forward", "Program"),
    Action("budget", "b", "Budget", "Show how the request budget was spent", "Program"),
    Action("journal", "w", "Journal", "Show every change made from here, and its outcome", "Program"),
    Action("audit", "A", "Audit", "Look for what is forgotten or broken among what is loaded", "Program"),
    Action("bulk", "B", "Bulk job", "Show the bulk job that is running or was left over", "Program"),
    Action("messages", "M", "Messages", "Show earlier messages, the newest first", "Program"),
    Action("suspend", "ctrl+z", "Suspend", "Go back to the shell; fg returns", "Program"),
    Action("quit", "q,ctrl+q", "Quit", "Quit linkdash", "Program", shown=True),
)

BACK = Action("back", "escape", "Back", "Go back one step", "Move", shown=True)

CHECK = Action(
    "check",
    "f",
    "Check outcome",
    "Check with one read whether the change was made",
    "Change",
    "1 request",
    shown=True,
    needs=("unknown",),
)
"""In the journal and in a job; messages elsewhere name its key."""

# ---- on every screen with a table of records ----

PAGE_COST = "1 request if it is not loaded"
EACH = "1 request each"

NEW = Action(
    "new",
    "n",
    "New",
    "Create a record",
    "Change",
    "1 request",
    shown=True,
    needs=("writing", "create", "pane"),
)
EDIT = Action(
    "edit",
    "e",
    "Edit",
    "Edit the record, or set a field on all that are selected",
    "Change",
    EACH,
    shown=True,
    needs=("writing", "update", "pane", "targets"),
)
DELETE = Action(
    "delete",
    "d",
    "Delete",
    "Delete the record, or all that are selected, after a question",
    "Change",
    EACH,
    shown=True,
    needs=("writing", "delete", "pane", "targets"),
)
ASSIGN = Action(
    "assign",
    "a",
    "Assign",
    "Assign items to a channel, links to a campaign",
    "Change",
    EACH,
    shown=True,
    needs=("writing", "assignment", "pane", "targets"),
)
SUBSCRIBE = replace(ASSIGN, label="Subscribe", help="Subscribe a user to a plan")
UNDO = Action(
    "undo",
    "u",
    "Undo",
    "Undo the last edit of the record, shown first; a delete cannot be undone",
    "Change",
    "1 request",
    needs=("writing", "update", "pane", "row"),
)
WRITE_ACTIONS = (NEW, EDIT, DELETE, ASSIGN, UNDO)
FORM_ACTIONS = frozenset({NEW.id, EDIT.id, ASSIGN.id, UNDO.id})
"""Those that open a form."""

FIND_ACTIONS = (
    Action("open", "enter", "Open", "Open the record under the cursor", shown=True, needs=("row",)),
    Action(
        "follow",
        "f",
        "Follow",
        "Go to what the record names: a user's plan, an item's code, a code's channel",
        "Move",
        needs=("follows", "row"),
    ),
    Action("filter", "/", "Filter", "Show only what matches, among what is loaded", shown=True),
)
PAGE_ACTIONS = (
    Action("next-page", "]", "Next page", "Go to the next page", "Move", PAGE_COST),
    Action("previous-page", "[", "Previous page", "Go to the previous page", "Move", PAGE_COST),
    Action("refresh", "r", "Refresh", "Ask the service for this page again", cost="1 request", shown=True),
    Action("load-all", "L", "Load all", "Load every page", cost="1 request a page"),
    Action("sort", "s", "Sort", "Sort by the next column, among what is loaded", shown=True),
    Action("reverse", "S", "Reverse", "Reverse the order"),
    Action("columns", "C", "Columns", "Show, hide, move and widen columns; sort by several"),
    Action("views", "F", "Views", "Save a filter, an order and columns under a name; open or delete one"),
    Action(
        "mark",
        "space",
        "Select",
        "Select the record, or deselect it",
        "Change",
        shown=True,
        needs=("row",),
    ),
    Action("mark-all", "*", "Select all", "Select all records shown, or deselect them", "Change"),
)
RECORD_ACTIONS = (
    Action("copy", "y", "Copy", "Copy a part of the record, or the command that does the same", shown=True),
    Action(
        "export",
        "x",
        "Export",
        "Export what is selected, shown or loaded, as CSV or JSON, to a file or the clipboard",
        needs=("rows",),
    ),
    Action(
        "import",
        "I",
        "Import",
        "Create or change a record for every row of a file that export writes",
        "Change",
        EACH,
        needs=("writing", "importing", "pane"),
    ),
    Action("browse", "o", "Open link", "Open the record's link in the browser", needs=("row",)),
    Action("raw", "v", "Raw", "Show the record as the service sent it", needs=("raw",)),
    replace(BACK, shown=False),
)

LIST_ACTIONS: tuple[Action, ...] = (*FIND_ACTIONS, *WRITE_ACTIONS, *PAGE_ACTIONS, *RECORD_ACTIONS)
"""For every list, also where the service has no way to write: then the keys say so."""
SUBSCRIBING_ACTIONS = tuple(SUBSCRIBE if action is ASSIGN else action for action in LIST_ACTIONS)
"""For lists of what is subscribed, or subscribed to."""


# ---- the keys ----

KEY_NAMES = {"escape": "esc", "pagedown": "page down", "pageup": "page up"}
"""How keys are written for people where that is not their name."""

_MODIFIERS = {"ctrl", "shift", "alt", "meta", "super", "hyper"}
_NAMES = {key.value for key in Keys if key.value.isalnum()}
_FIRST_NAMES = {alias: name for name, aliases in KEY_ALIASES.items() for alias in aliases}
Context = Sequence[tuple[str, str]]
"""Ids and keys of everything that is active at the same time, as they are by default."""


def key_names(keys: str) -> str:
    """The keys of an action as people read them: `]`, `: or ctrl+p`."""
    return " or ".join(KEY_NAMES.get(key, key) for key in _split(keys))


def first_key(keys: str) -> str:
    """The first of the keys of an action as people read it."""
    return key_names(keys).partition(" or ")[0]


class KeyNames:
    """The key of each action, with a person's own keys in the place of the defaults."""

    def __init__(self, remapped: Mapping[str, str]) -> None:
        self._remapped = remapped

    def of(self, id: str, actions: Iterable[Action] = ()) -> str:
        """The key of an action as a person reads it; `actions` are those of the screen that names it.

        Raises KeyError for an action that nowhere is.
        """
        if id in self._remapped:
            return first_key(self._remapped[id])
        known = (*actions, *PROGRAM_ACTIONS, *LIST_ACTIONS, CHECK)
        defaults = {action.id: action.keys for action in reversed(known)}
        places = {f"go-{place.id}": place.key for place in PLACES}
        return first_key({**places, **defaults}[id])

    def all_of(self, id: str) -> list[str]:
        """Every key of one of the program's actions, as Textual names it."""
        default = next(action.keys for action in PROGRAM_ACTIONS if action.id == id)
        return _split(self._remapped.get(id, default))


def check_keys(remapped: Mapping[str, str], contexts: Iterable[Context]) -> None:
    """Checks keys by action id.

    Raises Misconfigured for an unknown id, for what is no key, and for a key with two owners.
    """
    contexts = tuple(contexts)
    known = {id for context in contexts for id, _ in context}
    if unknown := sorted(remapped.keys() - known):
        raise Misconfigured(
            f"keys: there is no action {unknown[0]!r}.", f"Actions: {', '.join(sorted(known))}."
        )
    for id, keys in remapped.items():
        _check_names(id, keys)
    for context in contexts:
        _check_context(remapped, context)


def _check_names(id: str, keys: str) -> None:
    names = _split(keys)
    if wrong := [name for name in names if not is_key(name)] or ([] if names else [keys]):
        raise Misconfigured(
            f"keys: {id} has no key in {wrong[0]!r}.", "A key is like x, ?, comma, f5, pageup, ctrl+d."
        )


def is_key(name: str) -> bool:
    """Whether a terminal can send this key: one character, or Textual's name, with or without modifiers."""
    *modifiers, base = [name] if len(name) == 1 else name.split("+")
    known = base.isprintable() if len(base) == 1 else base in _NAMES or _is_name_of_character(base)
    return known and _MODIFIERS.issuperset(modifiers)


def _is_name_of_character(name: str) -> bool:
    character = key_to_character(REPLACED_KEYS.get(name, name))
    return character is not None and _character_to_key(character) == name


def _check_context(remapped: Mapping[str, str], context: Context) -> None:
    owners: dict[str, str] = {}
    for id, keys in sorted(context, key=lambda entry: entry[0] not in remapped):
        for key in _split(remapped.get(id, keys)):
            other = owners.setdefault(_one_name(key), id)
            if other != id and {other, id} & remapped.keys():
                raise Misconfigured(
                    f"keys: {key} would be both {other} and {id}.", "Give one of them another key."
                )


def _one_name(key: str) -> str:
    """The name of a key that can be spelled in several ways, such as / and slash, or tab and ctrl+i."""
    *modifiers, base = [key] if len(key) == 1 else key.split("+")
    name = _character_to_key(base) if len(base) == 1 else base
    whole = "+".join([*sorted(modifiers), name])
    return _FIRST_NAMES.get(whole, whole)


def _split(keys: str) -> list[str]:
    return [key.strip() for key in keys.split(",") if key.strip()]
