"""What can be done on every screen with a table of records."""

from dataclasses import replace

from linkdash.screens.actions import Action

PAGE_COST = "1 request if it is not loaded"
EACH = "1 request each"

NEW = Action(
    "new", "n", "New", "Make a record", "Change", "1 request", shown=True, needs=("writing", "creating")
)
EDIT = Action(
    "edit",
    "e",
    "Edit",
    "Change the record, or set a field on all that are marked",
    "Change",
    EACH,
    shown=True,
    needs=("writing", "updating", "targets"),
)
DELETE = Action(
    "delete",
    "d",
    "Delete",
    "Delete the record, or all that are marked, after a question",
    "Change",
    EACH,
    shown=True,
    needs=("writing", "deleting", "targets"),
)
ASSIGN = Action(
    "assign",
    "a",
    "Assign",
    "Put items into a channel, links into a campaign",
    "Change",
    EACH,
    shown=True,
    needs=("writing", "giving", "targets"),
)
SUBSCRIBE = replace(ASSIGN, label="Subscribe", help="Subscribe a user to a plan")
UNDO = Action(
    "undo",
    "u",
    "Undo",
    "Put the record's last change back, shown first; a delete cannot be undone",
    "Change",
    "1 request",
    needs=("writing", "updating", "row"),
)
WRITE_ACTIONS = (NEW, EDIT, DELETE, ASSIGN, UNDO)

FIND_ACTIONS: tuple[Action, ...] = (
    Action("open", "enter", "Open", "Open the record under the cursor", shown=True, needs=("row",)),
    Action("filter", "/", "Filter", "Show only what matches, among what is loaded", shown=True),
)
PAGE_ACTIONS: tuple[Action, ...] = (
    Action("next-page", "]", "Next page", "Next page", "Move", PAGE_COST),
    Action(
        "previous-page",
        "[",
        "Previous page",
        "Previous page",
        "Move",
        PAGE_COST,
    ),
    Action("refresh", "r", "Refresh", "Ask the service for this page again", cost="1 request", shown=True),
    Action("load-all", "L", "Load all", "Load every page in the background", cost="1 request a page"),
    Action("sort", "s", "Sort", "Sort by the next column, among what is loaded", shown=True),
    Action("reverse", "S", "Reverse", "Reverse the order"),
    Action(
        "mark",
        "space",
        "Mark",
        "Mark the record, or take the mark away",
        "Change",
        shown=True,
        needs=("row",),
    ),
    Action("mark-all", "*", "Mark all", "Mark all records shown, or take all marks away", "Change"),
)
RECORD_ACTIONS: tuple[Action, ...] = (
    Action(
        "copy",
        "y",
        "Copy",
        "Copy a part of the record",
        needs=("row",),
        shown=True,
    ),
    Action(
        "export",
        "x",
        "Export",
        "Hand on what is marked, shown or loaded, as CSV or JSON, to a file or the clipboard",
        needs=("rows",),
    ),
    Action("browse", "o", "Open link", "Open the record's link in the browser", needs=("row",)),
    Action("raw", "v", "Raw", "Show the record as the service sent it", needs=("row",)),
    Action("back", "escape", "Back", "Back, one step", "Move"),
)

LIST_ACTIONS = (*FIND_ACTIONS, *WRITE_ACTIONS, *PAGE_ACTIONS, *RECORD_ACTIONS)
"""For every list, also where the service has no way to write: then the keys say so."""
SUBSCRIBING_ACTIONS = tuple(SUBSCRIBE if action is ASSIGN else action for action in LIST_ACTIONS)
"""For lists of what is subscribed, or subscribed to."""
