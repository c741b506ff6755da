"""The actions: each declared once, and the keys that do it, as the user has them.

Bindings, key line, help, command palette, messages and the guide's table of keys are rendered from the
actions. Wherever a key is named to the user, it is asked for here, so that a remapped key is named right
everywhere; the user's own keys are checked for clashes.
"""

import inspect
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from textual.binding import Binding, BindingType

Group = Literal["Move", "Look", "Change", "Program"]
Flow = Coroutine[None, None, None]
"""An action that awaits something: a question, an answer, the service."""

Need = Literal[
    # to change something: a session that may, an endpoint of the resource, a pane without a form
    "writing",
    "create",
    "update",
    "delete",
    "assignment",
    "importing",
    "pane",
    # something to do it with: what is under the cursor, what is selected, what is shown
    "row",
    "targets",
    "rows",
    "raw",
    "follows",
    "comparable",
    "line",
    "plans",
    "users",
    "link",
    "numbers",
    # a code that was watched; an entry of the journal; a bulk job
    "stopped",
    "entry",
    "unknown",
    "something_left",
    "run",
    "rest",
]
"""What an action may need; `Host.missing` says why it is not there."""

LASTING: frozenset[Need] = frozenset(
    {"writing", "create", "update", "delete", "assignment", "follows", "importing"}
)
"""Needs that are met as long as a screen is there, or never."""


ASKING = frozenset({"delete", "discard", "edit", "quit", "undo"})
"""Actions that lead to a question before something is lost or much is changed."""
OPENING = ASKING | {
    *("new", "assign", "import", "copy", "export", "columns", "views", "raw"),
    *("follow", "overview", "before", "bulk", "sum", "whose", "code"),
}
"""Actions whose flow opens something without asking the service: the keys that follow are for that."""


class Host(Protocol):
    """The host of actions: a screen or the app. It has a method `do_<id>` for each of its actions."""

    def missing(self, need: Need) -> str | None:
        """Why an action that needs something is not possible now, in words; None where it is."""

    def say(self, text: str, title: str = "") -> None:
        """Tells the user something."""

    def warn(self, text: str, title: str = "") -> None:
        """Tells the user why something is not done."""

    def begin(self, flow: Flow, name: str, *, opens: bool = False) -> None:
        """Runs a flow beside everything else; whatever it raises is shown. For what `opens`, keys wait."""


@dataclass(frozen=True)
class Action:
    """Something the user can do."""

    id: str
    """Its name, also in a remapping of keys."""
    keys: str
    label: str
    help: str
    group: Group = "Look"
    cost: str = ""
    """In requests, in words; empty for none."""
    shown: bool = False
    """True if the key line shows it; in the order of their declaration, as many as fit."""
    needs: tuple[Need, ...] = ()

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
        """Return whether it can ever be done on `host`; what else is missing now is said when it is tried."""
        return not any(host.missing(need) for need in self.needs if need in LASTING)


def bindings(actions: Iterable[Action]) -> list[BindingType]:
    """The Textual bindings of some actions."""
    return [action.binding for action in actions]


def run_action(host: Host, actions: Iterable[Action], id: str) -> None:
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
        host.begin(flow, id, opens=id in OPENING)


BACK = Action("back", "escape", "Back", "Go back one step", "Move", shown=True)

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
    f"{EACH}, and 1 a page to read first",
    shown=True,
    needs=("writing", "update", "pane", "targets"),
)
DELETE = Action(
    "delete",
    "d",
    "Delete",
    "Delete the record, or all that are selected, after confirming",
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
    "Undo the last edit of the record, of all that are selected, or of a whole bulk job, shown first",
    "Change",
    f"{EACH}, and 1 a page to read first",
    needs=("writing", "update", "pane", "targets"),
)
WRITE_ACTIONS = (NEW, EDIT, DELETE, ASSIGN, UNDO)
FORM_ACTIONS = frozenset({NEW.id, EDIT.id, ASSIGN.id})
"""Those that open a form."""

FIND_ACTIONS = (
    Action("open", "enter", "Open", "Open the record under the cursor", shown=True, needs=("row",)),
    Action(
        "follow",
        "f",
        "Follow",
        "Go to the linked record: a user's plan, an item's code, a code's channel",
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
