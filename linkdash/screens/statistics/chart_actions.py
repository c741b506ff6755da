"""The actions of every screen with charts."""

from dataclasses import replace
from typing import TYPE_CHECKING

from linkdash.screens.actions import BACK, Action, Need

if TYPE_CHECKING:
    from linkdash.screens.statistics.charts_screen import ChartsScreen

CHART_ACTIONS: tuple[Action["ChartsScreen"], ...] = (
    Action(
        "next-panel",
        "tab,right",
        "Next",
        "The next panel",
        "Move",
        shown=True,
        do=lambda screen: screen.panels.step(1),
    ),
    Action(
        "previous-panel",
        "shift+tab,left",
        "Previous",
        "The previous panel",
        "Move",
        do=lambda screen: screen.panels.step(-1),
    ),
    Action("zoom", "z", "Zoom", "This panel alone, or all of them", do=lambda screen: screen.do_zoom()),
    Action("down", "j,down", "Down", "Scroll the panel down", "Move", do=lambda screen: screen.scroll_by(1)),
    Action("up", "k,up", "Up", "Scroll the panel up", "Move", do=lambda screen: screen.scroll_by(-1)),
    Action(
        "page-down",
        "pagedown",
        "Page down",
        "Scroll the panel a page down",
        "Move",
        do=lambda screen: screen.scrolled.scroll_page_down(animate=False),
    ),
    Action(
        "page-up",
        "pageup",
        "Page up",
        "Scroll the panel a page up",
        "Move",
        do=lambda screen: screen.scrolled.scroll_page_up(animate=False),
    ),
    Action(
        "top-row",
        "g,home",
        "Top",
        "To the first row of the panel",
        "Move",
        do=lambda screen: screen.scrolled.scroll_home(animate=False),
    ),
    Action(
        "last-row",
        "G,end",
        "Bottom",
        "To the last row of the panel",
        "Move",
        do=lambda screen: screen.scrolled.scroll_end(animate=False),
    ),
    Action(
        "period",
        "t",
        "Period",
        "Another period: the last week, month, day, or since your last visit",
        shown=True,
        do=lambda screen: screen.do_period(),
    ),
    Action(
        "own-period", "P", "Own period", "As many days as you like", do=lambda screen: screen.do_own_period()
    ),
    Action(
        "in-all",
        "T",
        "Total",
        "Chart what was added, or the running total",
        do=lambda screen: screen.do_in_all(),
    ),
)
NUMBERS: Action["ChartsScreen"] = Action(
    "numbers",
    "v",
    "Numbers",
    "Show the numbers as tables",
    shown=True,
    needs=(Need["ChartsScreen"](lambda screen: screen.missing_numbers()),),
    do=lambda screen: screen.do_numbers(),
)
REFRESH: Action["ChartsScreen"] = Action(
    "refresh",
    "r",
    "Refresh",
    "Ask for the numbers as of now",
    cost="1 request a code",
    shown=True,
    do=lambda screen: screen.do_refresh(),
)
BACK_TO_LIST = replace(BACK, help="Back to all panels, then to the list")
WATCH: Action["ChartsScreen"] = Action(
    "watch",
    "W",
    "Watch live",
    "Watch this, or of several one or all",
    cost="1 request a code each time",
    shown=True,
    do=lambda screen: screen.do_watch(),
    opens=True,
)
EXPORT: Action["ChartsScreen"] = Action(
    "export",
    "x",
    "Export",
    "A report or the numbers, to a file or the clipboard",
    shown=True,
    do=lambda screen: screen.do_export(),
    opens=True,
    words="download save html csv",
)
COPY: Action["ChartsScreen"] = Action(
    "copy",
    "y",
    "Copy",
    "Copy the link, or the command that does the same",
    do=lambda screen: screen.do_copy(),
    opens=True,
)
