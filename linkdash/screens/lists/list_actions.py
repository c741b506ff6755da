"""The actions of every screen with a table of records."""

from dataclasses import replace

from linkdash.screens.actions import BACK, WRITING, Action
from linkdash.screens.lists.list_needs import (
    ASSIGNMENT,
    CREATE,
    DELETION,
    IMPORT,
    LINKS,
    MORE,
    PANE,
    RAW,
    ROW,
    ROWS,
    SORTABLE,
    TARGETS,
    UPDATE,
    ListHost,
)

PAGE_COST = "1 request if it is not loaded"
EACH = "1 request each"

NEW: Action[ListHost] = Action(
    "new",
    "n",
    "New",
    "Create a record",
    "Change",
    "1 request",
    shown=True,
    needs=(WRITING, CREATE, PANE),
    do=lambda screen: screen.editing.new(),
    words="add",
    opens=True,
)
VIEWS: Action[ListHost] = Action(
    "views",
    "F",
    "Views",
    "What to look at here, and views of your own: a filter, an order and columns under a name",
    do=lambda screen: screen.arranging.views(),
    opens=True,
)
EDIT: Action[ListHost] = Action(
    "edit",
    "e",
    "Edit",
    "Edit the record, or set a field on all that are selected",
    "Change",
    f"{EACH}, and 1 a page to read first",
    shown=True,
    needs=(WRITING, UPDATE, PANE, TARGETS),
    is_for_selection=True,
    do=lambda screen: screen.editing.edit(screen.records.targets),
    words="rename change update bulk",
    asks=True,
)
DELETE: Action[ListHost] = Action(
    "delete",
    "d",
    "Delete",
    "Delete the record, or all that are selected, after confirming",
    "Change",
    EACH,
    shown=True,
    needs=(WRITING, DELETION, PANE, TARGETS),
    is_for_selection=True,
    do=lambda screen: screen.editing.delete(screen.records.targets),
    words="remove",
    asks=True,
)
ASSIGN: Action[ListHost] = Action(
    "assign",
    "a",
    "Assign",
    "Assign items to a channel, links to a campaign",
    "Change",
    EACH,
    shown=True,
    needs=(WRITING, ASSIGNMENT, PANE, TARGETS),
    is_for_selection=True,
    do=lambda screen: screen.editing.assign(screen.records.targets),
    opens=True,
)
EDIT_BUT_NAME = replace(EDIT, words="change update")
"""For records whose name the service cannot change."""
SUBSCRIBE = replace(
    ASSIGN, label="Subscribe", help="Subscribe a user to a plan", words="upgrade downgrade change plan"
)
UNDO: Action[ListHost] = Action(
    "undo",
    "u",
    "Undo",
    "Undo the last change of the record, after a preview",
    "Change",
    f"{EACH}, and 1 a page to read first",
    needs=(WRITING, UPDATE, PANE, TARGETS),
    is_for_selection=True,
    do=lambda screen: screen.undo(screen.records.targets),
    words="revert restore recover",
    asks=True,
)
WRITE_ACTIONS = (NEW, EDIT, DELETE, ASSIGN, UNDO)
FORM_ACTIONS = frozenset({NEW.id, EDIT.id, ASSIGN.id})
"""Ids of those that always open a form."""

FIND_ACTIONS: tuple[Action[ListHost], ...] = (
    Action(
        "open",
        "enter",
        "Open",
        "Open the record under the cursor",
        shown=True,
        needs=(ROW, MORE),
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
        words="search find",
    ),
)
SELECT_ACTIONS: tuple[Action[ListHost], ...] = (
    Action(
        "mark",
        "space",
        "Select",
        "Select the record, or deselect it",
        "Change",
        shown=True,
        needs=(ROW,),
        do=lambda screen: screen.selecting.toggle_row(),
    ),
    Action(
        "mark-all",
        "*",
        "Select all",
        "Select all records shown, or deselect them",
        "Change",
        do=lambda screen: screen.selecting.toggle_all(),
    ),
)
PAGE_ACTIONS: tuple[Action[ListHost], ...] = (
    Action(
        "next-page",
        "]",
        "Next page",
        "Go to the next page",
        "Move",
        PAGE_COST,
        do=lambda screen: screen.pages.next(),
    ),
    Action(
        "previous-page",
        "[",
        "Previous page",
        "Go to the previous page",
        "Move",
        PAGE_COST,
        do=lambda screen: screen.pages.previous(),
    ),
    Action(
        "refresh",
        "r",
        "Refresh",
        "Ask the service for this page again",
        cost="1 request",
        shown=True,
        do=lambda screen: screen.pages.refresh(),
        words="reload",
    ),
    Action(
        "load-all",
        "L",
        "Load all",
        "Load every page",
        cost="1 request a page",
        do=lambda screen: screen.pages.load_all(),
    ),
    Action(
        "sort",
        "s",
        "Sort",
        "Sort by the next column, among what is loaded",
        shown=True,
        needs=(SORTABLE,),
        do=lambda screen: screen.arranging.sort(),
    ),
    Action(
        "reverse",
        "S",
        "Reverse",
        "Reverse the order",
        needs=(SORTABLE,),
        do=lambda screen: screen.arranging.reverse(),
    ),
    Action(
        "columns",
        "C",
        "Columns",
        "Show, hide, move and widen columns; sort by several",
        do=lambda screen: screen.arranging.columns(),
        opens=True,
    ),
    VIEWS,
)
RECORD_ACTIONS: tuple[Action[ListHost], ...] = (
    Action(
        "copy",
        "y",
        "Copy",
        "Copy a part of the record, or the command that does the same",
        shown=True,
        is_for_selection=True,
        do=lambda screen: screen.do_copy(),
        opens=True,
    ),
    Action(
        "export",
        "x",
        "Export",
        "Export what is selected, shown or loaded, as CSV or JSON, to a file or the clipboard",
        shown=True,
        needs=(ROWS,),
        is_for_selection=True,
        do=lambda screen: screen.do_export(),
        words="download save report",
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
        words="upload",
        opens=True,
    ),
    Action(
        "browse",
        "o",
        "Open link",
        "Open the record's link in the browser",
        needs=(ROW,),
        do=lambda screen: screen.do_browse(),
        words="visit url",
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
    BACK,
)

LIST_ACTIONS: tuple[Action[ListHost], ...] = (
    *FIND_ACTIONS,
    *WRITE_ACTIONS,
    *SELECT_ACTIONS,
    *PAGE_ACTIONS,
    *RECORD_ACTIONS,
)
"""For every list, also where the service has no way to write: then the keys say so."""
SUBSCRIBING_ACTIONS = tuple(SUBSCRIBE if action is ASSIGN else action for action in LIST_ACTIONS)
"""For lists of what is subscribed, or subscribed to."""
