"""The tabs that stand for the sidebar where there is no room for it."""

from collections.abc import Iterator, Sequence

from textual import events

from linkdash.widgets.frame.sidebar import CURSOR, EntryChosen, PlaceEntry
from linkdash.widgets.styled_text import DrawnLines, Lines, Piece, Tone, cells


class Tabs(DrawnLines):
    """A row of tabs: keys and names, short ones where not all fit, at last keys alone.

    Whatever place is open, each is called the same.
    """

    def __init__(self) -> None:
        super().__init__()
        self._places: Sequence[PlaceEntry] = ()
        self._current = ""

    def show_places(self, places: Sequence[PlaceEntry], current: str) -> None:
        """The places, and in which of them the user is."""
        self._places, self._current = tuple(places), current
        self.update_lines()

    def lines(self, width: int, height: int) -> Lines:
        return [[piece for _, tab in self._tabs(width) for piece in tab]]

    def on_click(self, event: events.Click) -> None:
        end = 0
        for place, tab in self._tabs(self.size.width):
            end += cells(tab)
            if event.x < end:
                self.post_message(EntryChosen("place", place.id))
                return

    def _tabs(self, width: int) -> list[tuple[PlaceEntry, list[Piece]]]:
        tabs: list[tuple[PlaceEntry, list[Piece]]] = []
        for names in self._names():
            tabs = [(place, self._tab(place, name)) for place, name in zip(self._places, names, strict=True)]
            if sum(cells(tab) for _, tab in tabs) <= width:
                break
        return tabs

    def _names(self) -> Iterator[Sequence[str]]:
        yield [place.name for place in self._places]
        yield [_short_name(place) for place in self._places]
        yield [""] * len(self._places)

    def _tab(self, place: PlaceEntry, name: str) -> list[Piece]:
        if place.id == self._current:
            return [
                Piece(CURSOR, Tone.KEY),
                Piece(f"{place.key} ", Tone.KEY),
                Piece(f"{name or place.name} ", Tone.HERO),
            ]
        if not name:
            return [Piece(f" {place.key}", Tone.KEY), Piece(" ", Tone.MUTED)]
        return [Piece(f"{place.key} ", Tone.KEY), Piece(f"{name} ", Tone.MUTED)]


def _short_name(place: PlaceEntry) -> str:
    return place.short or place.name[:4]
