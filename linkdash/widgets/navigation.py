"""The places of the program, each with its key: a list at the side, or tabs where there is no room."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from linkdash.widgets.fitting import fit_text


@dataclass(frozen=True)
class Place:
    """Somewhere to go."""

    id: str
    key: str
    title: str


class Navigation(Widget):
    """One place a line where there is height for it, else as many tabs as fit around the current one."""

    COMPONENT_CLASSES = {"navigation--key", "navigation--place", "navigation--current"}

    class Chosen(Message):
        """A place was clicked."""

        def __init__(self, place: Place) -> None:
            super().__init__()
            self.place = place

    def __init__(self, places: Sequence[Place], current: str) -> None:
        super().__init__()
        self._places = tuple(places)
        self._current = next((n for n, place in enumerate(places) if place.id == current), -1)

    def render_line(self, y: int) -> Strip:
        if self.size.height > 1:
            return self._entry(y)
        segments = [Segment("‹" if self._first_tab() else " ", self._look("place"))]
        for number in self._tabs():
            segments += self._tab(number)
        last = self._first_tab() + len(self._tabs()) >= len(self._places)
        strip = Strip(segments).extend_cell_length(self.size.width - 1, self._look("place"))
        return Strip([*strip, Segment(" " if last else "›", self._look("place"))])

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None:
            return
        number = offset.y if self.size.height > 1 else self._tab_at(offset.x)
        if number is not None and number < len(self._places):
            self.post_message(self.Chosen(self._places[number]))

    def _entry(self, y: int) -> Strip:
        if y >= len(self._places):
            return Strip.blank(self.size.width, self._look("place"))
        place = self._places[y]
        title = fit_text(place.title, max(0, self.size.width - 4))
        style = self._look("current" if y == self._current else "place")
        sign = "▌" if y == self._current else " "
        return Strip([Segment(f"{sign}{place.key} ", style + self._look("key")), Segment(title + " ", style)])

    def _tab(self, number: int) -> list[Segment]:
        place = self._places[number]
        style = self._look("current" if number == self._current else "place")
        return [Segment(f" {place.key}", style + self._look("key")), Segment(f" {place.title} ", style)]

    def _tabs(self) -> range:
        """The tabs that fit: from the first on, shifted until the current one is among them."""
        first = self._first_tab()
        end, room = first, self.size.width - 2
        while end < len(self._places) and (room := room - self._width(end)) >= 0:
            end += 1
        return range(first, end)

    def _first_tab(self) -> int:
        first = 0
        while first < self._current and self._cells(first) > self.size.width - 2:
            first += 1
        return first

    def _cells(self, first: int) -> int:
        """What the tabs from `first` to the current one take together."""
        return sum(map(self._width, range(first, self._current + 1)))

    def _tab_at(self, x: int) -> int | None:
        end = 1
        for number in self._tabs():
            end += self._width(number)
            if x < end:
                return number
        return None

    def _width(self, number: int) -> int:
        return len(self._places[number].title) + 4

    def _look(self, part: str) -> Style:
        return self.get_visual_style(f"navigation--{part}").rich_style
