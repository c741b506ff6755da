"""Panels with a title in their frame, of which one is the current one: keys work on it.

How they stand beside each other, the style sheet decides by the size of the screen.
"""

from collections.abc import Sequence

from textual import events
from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

POINTER = "▶ "
"""Stands before the title of the current panel."""


class Panel(Container):
    """A widget in a frame with its name, what it shows, and what more there is to it."""

    class Chosen(Message):
        """The panel was clicked."""

        def __init__(self, panel: "Panel") -> None:
            super().__init__()
            self.panel = panel

    def __init__(self, key: str, title: str, content: Widget, *, tells_all: bool = False) -> None:
        """With `tells_all`, what stands below is told in the title where the frame has no lower side."""
        super().__init__(content, classes=f"panel -{key}")
        self.key = key
        self.content = content
        self._tells_all = tells_all
        self._title, self._note, self._below = title, Content(""), Content("")
        self._painted = (Content(""), Content(""))

    def on_mount(self) -> None:
        self._paint()

    def caption(self, note: Content | str = "", below: Content | str = "", title: str | None = None) -> None:
        """Says in the frame what is shown: after the title, and below."""
        self._title = self._title if title is None else title
        self._note = note if isinstance(note, Content) else Content.styled(note, "$muted")
        self._below = below if isinstance(below, Content) else Content.styled(below, "$muted")
        self._paint()

    def point(self, *, is_current: bool) -> None:
        """Makes it the current panel, or another one."""
        self.set_class(is_current, "-current")
        self._paint()

    def _paint(self) -> None:
        pointer = POINTER if self.has_class("-current") else ""
        title = Content.assemble((pointer, "bold $primary"), (self._title, "bold"))
        parts = [self._below, self._note] if self._tells_all and not self._has_bottom else [self._note]
        if said := [part for part in parts if part.plain]:
            title = Content.assemble(title, "  ", Content.styled(" · ", "$muted").join(said))
        if (title, self._below) != self._painted:  # else nothing is to be painted again
            self._painted = (title, self._below)
            self.border_title, self.border_subtitle = title, self._below

    @property
    def below(self) -> str:
        """What is said below, as text."""
        return self._below.plain

    @property
    def _has_bottom(self) -> bool:
        """Whether the frame has a lower side."""
        return bool(self.styles.border_bottom[0])

    def on_resize(self) -> None:
        self._paint()

    def on_click(self, event: events.Click) -> None:
        self.post_message(self.Chosen(self))


class Panels(VerticalScroll, can_focus=False):
    """Shows panels, one of which is the current one."""

    def __init__(self, *panels: Panel) -> None:
        super().__init__(*panels)
        self._panels: Sequence[Panel] = panels
        self._current = 0

    def on_mount(self) -> None:
        self._show(0, scroll=False)

    @property
    def current(self) -> Panel:
        """The panel that keys work on."""
        return self._panels[self._current]

    def panel(self, key: str) -> Panel:
        """The panel of this key."""
        return next(panel for panel in self._panels if panel.key == key)

    def step(self, by: int) -> None:
        """Makes a panel after or before the current one the current one, round and round."""
        self._show((self._current + by) % len(self._panels))

    def show(self, key: str) -> None:
        """Makes the panel of this key the current one."""
        self._show(self._panels.index(self.panel(key)))

    def on_panel_chosen(self, message: Panel.Chosen) -> None:
        message.stop()
        self._show(self._panels.index(message.panel))

    def _show(self, number: int, *, scroll: bool = True) -> None:
        self._current = number
        for other, panel in enumerate(self._panels):
            panel.point(is_current=other == number)
        if scroll:
            self.current.scroll_visible(animate=False)
