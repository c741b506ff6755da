"""Several panels: one at a time under a line of their titles, or all at once in a grid where there is room.

Which of the two it is, the style sheet decides by the size of the screen.
"""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message
from textual.widget import Widget


class Panel(Container):
    """A widget with a title."""

    def __init__(self, key: str, title: str, content: Widget) -> None:
        super().__init__(classes=f"panel -{key}")
        self.key = key
        self.title = title
        self.content = content

    def compose(self) -> ComposeResult:
        yield self.content


class PanelTabs(Widget):
    """The titles in one line, the current one marked; those before it give way where they have no room."""

    COMPONENT_CLASSES = {"panel-tabs--title", "panel-tabs--current"}

    class Clicked(Message):
        """A title was clicked."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    def __init__(self, titles: Sequence[str]) -> None:
        super().__init__()
        self._titles = [f" {title} " for title in titles]
        self._current = 0

    def show(self, number: int) -> None:
        """Marks another title."""
        self._current = number
        self.refresh()

    def render(self) -> Text:
        first = self._first()
        line = Text(no_wrap=True, overflow="crop")
        for number, title in enumerate(self._titles[first:], first):
            part = "current" if number == self._current else "title"
            line.append(title, self.get_visual_style(f"panel-tabs--{part}").rich_style)
        return line

    def on_click(self, event: events.Click) -> None:
        end = 0
        for number, title in enumerate(self._titles[self._first() :], self._first()):
            end += cell_len(title)
            if event.x < end:
                self.post_message(self.Clicked(number))
                return

    def _first(self) -> int:
        """The first title shown: as early as the current one still fits."""
        first = 0
        while first < self._current and self._width(first) > self.size.width:
            first += 1
        return first

    def _width(self, first: int) -> int:
        return sum(cell_len(title) for title in self._titles[first : self._current + 1])


class Panels(Container):
    """Shows panels, one of which is the current one: it alone where there is no room for all."""

    class Changed(Message):
        """Another panel is the current one."""

        def __init__(self, panel: Panel) -> None:
            super().__init__()
            self.panel = panel

    def __init__(self, *panels: Panel, grid: Sequence[str] = ()) -> None:
        """`panels` in the order keys go through them; `grid` names them in another order for the grid."""
        super().__init__()
        self._panels = panels
        self._grid = tuple(grid) or tuple(panel.key for panel in panels)
        self._current = 0

    def compose(self) -> ComposeResult:
        yield PanelTabs([panel.title for panel in self._panels])
        with Container(id="panel-grid"):
            yield from sorted(self._panels, key=lambda panel: self._grid.index(panel.key))

    def on_mount(self) -> None:
        self._show(0)

    @property
    def current(self) -> Panel:
        """The panel that keys work on."""
        return self._panels[self._current]

    def step(self, by: int) -> None:
        """Makes a panel after or before the current one the current one, round and round."""
        self._show((self._current + by) % len(self._panels))

    def show(self, key: str) -> None:
        """Makes the panel of this key the current one."""
        self._show(next(number for number, panel in enumerate(self._panels) if panel.key == key))

    @on(PanelTabs.Clicked)
    def _choose(self, message: PanelTabs.Clicked) -> None:
        message.stop()
        self._show(message.number)

    def _show(self, number: int) -> None:
        self._current = number
        for other, panel in enumerate(self._panels):
            panel.set_class(other == number, "-current")
        self.query_one(PanelTabs).show(number)
        self.current.scroll_visible(animate=False)
        self.post_message(self.Changed(self.current))
