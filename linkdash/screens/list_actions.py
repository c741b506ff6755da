"""The actions of every screen with a table of records."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from linkdash.screens.actions import BACK, WRITING, Action, Need

if TYPE_CHECKING:
    from linkdash.screens.resource_screen import ResourceScreen

    AnyList: TypeAlias = ResourceScreen[Any]  # an action is for lists of whatever records

PAGE_COST = "1 request if it is not loaded"
EACH = "1 request each"

# ---- needs ----

CREATE: Need["AnyList"] = Need(lambda screen: screen.missing_create(), is_lasting=True)
UPDATE: Need["AnyList"] = Need(lambda screen: screen.missing_update(), is_lasting=True)
DELETION: Need["AnyList"] = Need(lambda screen: screen.missing_delete(), is_lasting=True)
ASSIGNMENT: Need["AnyList"] = Need(lambda screen: screen.missing_assignment(), is_lasting=True)
IMPORT: Need["AnyList"] = Need(lambda screen: screen.missing_import(), is_lasting=True)
LINKS: Need["AnyList"] = Need(lambda screen: screen.missing_links(), is_lasting=True)
PANE: Need["AnyList"] = Need(lambda screen: screen.missing_pane())
"""A pane without a form."""
ROW: Need["AnyList"] = Need(lambda screen: screen.missing_row(), is_record=True)
TARGETS: Need["AnyList"] = Need(lambda screen: screen.missing_targets(), is_record=True)
ROWS: Need["AnyList"] = Need(lambda screen: screen.missing_rows())
RAW: Need["AnyList"] = Need(lambda screen: screen.missing_raw())

# ---- actions ----

NEW: Action["AnyList"] = Action(
    "new",
    "n",
    "New",
    "Create a record",
    "Change",
    "1 request",
    shown=True,
    needs=(WRITING, CREATE, PANE),
    do=lambda screen: screen.do_new(),
    opens=True,
)
EDIT: Action["AnyList"] = Action(
    "edit",
    "e",
    "Edit",
    "Edit the record, or set a field on all that are selected",
    "Change",
    f"{EACH}, and 1 a page to read first",
    shown=True,
    needs=(WRITING, UPDATE, PANE, TARGETS),
    do=lambda screen: screen.do_edit(),
    asks=True,
)
DELETE: Action["AnyList"] = Action(
    "delete",
    "d",
    "Delete",
    "Delete the record, or all that are selected, after confirming",
    "Change",
    EACH,
    shown=True,
    needs=(WRITING, DELETION, PANE, TARGETS),
    do=lambda screen: screen.do_delete(),
    asks=True,
)
ASSIGN: Action["AnyList"] = Action(
    "assign",
    "a",
    "Assign",
    "Assign items to a channel, links to a campaign",
    "Change",
    EACH,
    shown=True,
    needs=(WRITING, ASSIGNMENT, PANE, TARGETS),
    do=lambda screen: screen.do_assign(),
    opens=True,
)
SUBSCRIBE = replace(ASSIGN, label="Subscribe", help="Subscribe a user to a plan")
UNDO: Action["AnyList"] = Action(
    "undo",
    "u",
    "Undo",
    "Undo the last edit of the record, of all that are selected, or of a whole bulk job, shown first",
    "Change",
    f"{EACH}, and 1 a page to read first",
    needs=(WRITING, UPDATE, PANE, TARGETS),
    do=lambda screen: screen.do_undo(),
    asks=True,
)
WRITE_ACTIONS = (NEW, EDIT, DELETE, ASSIGN, UNDO)
FORM_ACTIONS = frozenset({NEW.id, EDIT.id, ASSIGN.id})
"""Ids of those that open a form."""

FIND_ACTIONS: tuple[Action["AnyList"], ...] = (
    Action(
        "open",
        "enter",
        "Open",
        "Open the record under the cursor",
        shown=True,
        needs=(ROW,),
        do=lambda screen: screen.do_open(),
    ),
    Action(
        "follow",
        "f",
        "Follow",
        "Go to the linked record: a user's plan, an item's code, a code's channel",
        "Move",
        needs=(LINKS, ROW),
        do=lambda screen: screen.do_follow(),
        opens=True,
    ),
    Action(
        "filter",
        "/",
        "Filter",
        "Show only what matches, among what is loaded",
        shown=True,
        do=lambda screen: screen.do_filter(),
    ),
)
PAGE_ACTIONS: tuple[Action["AnyList"], ...] = (
    Action(
        "next-page",
        "]",
        "Next page",
        "Go to the next page",
        "Move",
        PAGE_COST,
        do=lambda screen: screen.do_next_page(),
    ),
    Action(
        "previous-page",
        "[",
        "Previous page",
        "Go to the previous page",
        "Move",
        PAGE_COST,
        do=lambda screen: screen.do_previous_page(),
    ),
    Action(
        "refresh",
        "r",
        "Refresh",
        "Ask the service for this page again",
        cost="1 request",
        shown=True,
        do=lambda screen: screen.do_refresh(),
    ),
    Action(
        "load-all",
        "L",
        "Load all",
        "Load every page",
        cost="1 request a page",
        do=lambda screen: screen.do_load_all(),
    ),
    Action(
        "sort",
        "s",
        "Sort",
        "Sort by the next column, among what is loaded",
        shown=True,
        do=lambda screen: screen.do_sort(),
    ),
    Action("reverse", "S", "Reverse", "Reverse the order", do=lambda screen: screen.do_reverse()),
    Action(
        "columns",
        "C",
        "Columns",
        "Show, hide, move and widen columns; sort by several",
        do=lambda screen: screen.do_columns(),
        opens=True,
    ),
    Action(
        "views",
        "F",
        "Views",
        "Save a filter, an order and columns under a name; open or delete one",
        do=lambda screen: screen.do_views(),
        opens=True,
    ),
    Action(
        "mark",
        "space",
        "Select",
        "Select the record, or deselect it",
        "Change",
        shown=True,
        needs=(ROW,),
        do=lambda screen: screen.do_mark(),
    ),
    Action(
        "mark-all",
        "*",
        "Select all",
        "Select all records shown, or deselect them",
        "Change",
        do=lambda screen: screen.do_mark_all(),
    ),
)
RECORD_ACTIONS: tuple[Action["AnyList"], ...] = (
    Action(
        "copy",
        "y",
        "Copy",
        "Copy a part of the record, or the command that does the same",
        shown=True,
        do=lambda screen: screen.do_copy(),
        opens=True,
    ),
    Action(
        "export",
        "x",
        "Export",
        "Export what is selected, shown or loaded, as CSV or JSON, to a file or the clipboard",
        needs=(ROWS,),
        do=lambda screen: screen.do_export(),
        opens=True,
    ),
    Action(
        "import",
        "I",
        "Import",
        "Create or change a record for every row of a file that export writes",
        "Change",
        EACH,
        needs=(WRITING, IMPORT, PANE),
        do=lambda screen: screen.do_import(),
        opens=True,
    ),
    Action(
        "browse",
        "o",
        "Open link",
        "Open the record's link in the browser",
        needs=(ROW,),
        do=lambda screen: screen.do_browse(),
    ),
    Action(
        "raw",
        "v",
        "Raw",
        "Show the record as the service sent it",
        needs=(RAW,),
        do=lambda screen: screen.do_raw(),
        opens=True,
    ),
    replace(BACK, shown=False),
)

LIST_ACTIONS: tuple[Action["AnyList"], ...] = (*FIND_ACTIONS, *WRITE_ACTIONS, *PAGE_ACTIONS, *RECORD_ACTIONS)
"""For every list, also where the service has no way to write: then the keys say so."""
SUBSCRIBING_ACTIONS = tuple(SUBSCRIBE if action is ASSIGN else action for action in LIST_ACTIONS)
"""For lists of what is subscribed, or subscribed to."""
