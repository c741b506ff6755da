"""What the screens with charts share: panels to go through, what is new since when, and time in steps."""

from textual import on
from textual.widgets import Static

from linkdash.model.session import Session
from linkdash.model.statistics.code_statistics import SINCES, STEPS
from linkdash.model.statistics.reader import StatisticsReader
from linkdash.screens.actions import Action
from linkdash.screens.host import HostScreen
from linkdash.store.changes import Since, Step
from linkdash.widgets.panels import Panels

CHART_ACTIONS = (
    Action("next-panel", "right,tab", "Next", "The next chart", "Move", shown=True),
    Action("previous-panel", "left,shift+tab", "Previous", "The previous chart", "Move"),
    Action("zoom", "z", "One / all", "One chart alone, or all of them where there is room", "Move"),
    Action("down", "j,down", "Down", "Scroll the chart down", "Move"),
    Action("up", "k,up", "Up", "Scroll the chart up", "Move"),
    Action("page-down", "pagedown", "Page down", "Scroll the chart a screen down", "Move"),
    Action("page-up", "pageup", "Page up", "Scroll the chart a screen up", "Move"),
    Action("top-row", "g,home", "Top", "To the first row of the chart", "Move"),
    Action("last-row", "G,end", "Bottom", "To the last row of the chart", "Move"),
    Action("since", "c", "What's new", "What is new since last week, yesterday, your last look", shown=True),
    Action("step", "t", "Time", "Over time by hour, day or week", shown=True),
    Action("added", "T", "Added", "Over time: what was added, or what it had come to"),
)
WATCH = Action(
    "watch", "W", "Watch", "Follow the numbers as they change", cost="1 request each time", shown=True
)
EXPORT = Action(
    "export", "x", "Export", "A report, the numbers or the code, to a file or the clipboard", shown=True
)


class ChartsScreen(HostScreen):
    """A screen of panels. A subclass composes `Panels` with one named "time" and one named "new"."""

    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (20, "-low"), (30, "-high")]

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.reader = StatisticsReader(session)
        self.since: Since = SINCES[0]
        self.step: Step | None = None
        """The step of the time series; None for the one that fits."""
        self.added = False

    def paint(self) -> None:
        """Shows what is known."""
        raise NotImplementedError

    def fitting_step(self) -> Step:
        """The step of the time series as long as nobody has chosen one."""
        raise NotImplementedError

    @property
    def panels(self) -> Panels:
        return self.query_one(Panels)

    @property
    def shown_step(self) -> Step:
        """The step of the time series."""
        return self.step or self.fitting_step()

    def on_mount(self) -> None:
        self.set_interval(1.0, self._tick)

    def _tick(self) -> None:
        if self.is_active:
            self.paint_truth()

    def paint_truth(self) -> None:
        """Says how old everything is."""
        raise NotImplementedError

    def show_truth(self, words: str, *, stale: bool) -> None:
        """Shows the line of truth, with why nothing is kept if nothing is."""
        truth, trouble = self.query_one("#status-line", Static), self.session.store_trouble
        truth.set_class(stale, "-stale")
        truth.update(words if trouble is None else f"{words} · no history: {trouble.what}")

    @on(Panels.Changed)
    def _note_panel(self, message: Panels.Changed) -> None:
        """Some panels want the whole screen where there is little of it."""
        self.set_class(message.panel.key == "code", "-code")

    def do_next_panel(self) -> None:
        self.panels.step(1)

    def do_previous_panel(self) -> None:
        self.panels.step(-1)

    def do_zoom(self) -> None:
        self.toggle_class("-zoomed")
        self.call_after_refresh(self.panels.current.scroll_visible, animate=False)

    def do_down(self) -> None:
        self.panels.current.content.scroll_relative(y=1, animate=False)

    def do_up(self) -> None:
        self.panels.current.content.scroll_relative(y=-1, animate=False)

    def do_page_down(self) -> None:
        self.panels.current.content.scroll_page_down(animate=False)

    def do_page_up(self) -> None:
        self.panels.current.content.scroll_page_up(animate=False)

    def do_top_row(self) -> None:
        self.panels.current.content.scroll_home(animate=False)

    def do_last_row(self) -> None:
        self.panels.current.content.scroll_end(animate=False)

    def do_since(self) -> None:
        """Shows what is new since the next of the moments."""
        self.since = SINCES[(SINCES.index(self.since) + 1) % len(SINCES)]
        self.paint()
        self.panels.show("new")

    def do_step(self) -> None:
        """Shows the time series; another step if it is shown already."""
        if self.panels.current.key == "time":
            self.step = STEPS[(STEPS.index(self.shown_step) + 1) % len(STEPS)]
            self.paint()
        self.panels.show("time")

    def do_added(self) -> None:
        self.added = not self.added
        self.paint()
        self.panels.show("time")

    def do_back(self) -> None:
        self.dismiss()
