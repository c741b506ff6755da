"""Panels beside each other, of which one is the current one."""

from collections.abc import Sequence

from textual import events, on
from textual.containers import Container
from textual.message import Message
from textual.widget import Widget

from linkdash.widgets.panel import Panel


class PanelOfSeveral(Panel):
    """A panel of one widget beside others, of which one is the current one: keys work on it."""

    class Chosen(Message):
        """The panel was clicked."""

        def __init__(self, panel: "PanelOfSeveral") -> None:
            super().__init__()
            self.panel = panel

    def __init__(self, key: str, title: str, content: Widget) -> None:
        super().__init__(content, title=title, classes=f"-{key}")
        self.key = key
        self.content = content

    @property
    def is_pointed_at(self) -> bool:
        return self.has_class("-current")

    def point(self, *, is_current: bool) -> None:
        """Make it the current panel, or another one."""
        self.set_class(is_current, "-current")
        self._write()

    def on_click(self, event: events.Click) -> None:
        self.post_message(self.Chosen(self))


class Panels(Container):
    """A group of panels, one of which is the current one."""

    def __init__(self, *panels: PanelOfSeveral) -> None:
        super().__init__(*panels)
        self._panels: Sequence[PanelOfSeveral] = panels
        self._current = 0

    def on_mount(self) -> None:
        self._show(0, scroll=False)

    @property
    def current(self) -> PanelOfSeveral:
        """The panel that keys work on."""
        return self._panels[self._current]

    def panel(self, key: str) -> PanelOfSeveral:
        """The panel of this key."""
        return next(panel for panel in self._panels if panel.key == key)

    def step(self, by: int) -> None:
        """Make a panel after or before the current one the current one, round and round."""
        self._show((self._current + by) % len(self._panels))

    def show(self, key: str) -> None:
        """Make the panel of this key the current one."""
        self._show(self._panels.index(self.panel(key)))

    @on(PanelOfSeveral.Chosen)
    def _choose(self, message: PanelOfSeveral.Chosen) -> None:
        message.stop()
        self._show(self._panels.index(message.panel))

    def _show(self, number: int, *, scroll: bool = True) -> None:
        self._current = number
        for other, panel in enumerate(self._panels):
            panel.point(is_current=other == number)
        if scroll:
            self.current.scroll_visible(animate=False)
