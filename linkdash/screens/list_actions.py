"""What can be done on every screen with a table of records."""

from linkdash.screens.actions import Action

PAGE_COST = "1 request if it is not loaded"

LIST_ACTIONS: tuple[Action, ...] = (
    Action("open", "enter", "Open", "Open the record under the cursor", shown=False, needs=("row",)),
    Action("next-page", "right_square_bracket", "Next page", "Next page", "Move", PAGE_COST),
    Action(
        "previous-page",
        "left_square_bracket",
        "Previous page",
        "Previous page",
        "Move",
        "1 request if not loaded",
    ),
    Action("refresh", "r", "Refresh", "Ask the service for this page again", cost="1 request", shown=True),
    Action("filter", "slash", "Filter", "Show only what matches, among what is loaded", shown=True),
    Action("sort", "s", "Sort", "Sort by the next column, among what is loaded", shown=True),
    Action("reverse", "S", "Reverse", "Reverse the order"),
    Action("mark", "space", "Mark", "Mark the record, or take the mark away", "Change", needs=("row",)),
    Action("mark-all", "asterisk", "Mark all", "Mark all records shown, or take all marks away", "Change"),
    Action(
        "copy",
        "y",
        "Copy",
        "Copy a part of the record",
        needs=("row",),
        shown=True,
    ),
    Action("browse", "o", "Open link", "Open the record's link in the browser", needs=("row",)),
    Action("raw", "v", "Raw", "Show the record as the service sent it", needs=("row",)),
    Action("back", "escape", "Back", "Back, one step", "Move"),
)
