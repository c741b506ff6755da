"""The tabs that stand for the sidebar where there is no room for it."""

from collections.abc import Sequence

from textual import events

from linkdash.widgets.frame.sidebar import CURSOR, EntryChosen, PlaceEntry
from linkdash.widgets.styled_text import CUT, DrawnLines, Lines, Piece, Tone, cells


class Tabs(DrawnLines):
    """A row of tabs, a key and a name each; where not all have room, those around the current one."""

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
        for id, tab in self._tabs(self.size.width):
            end += cells(tab)
            if event.x < end:
                if id:
                    self.post_message(EntryChosen("place", id))
                return

    def _tabs(self, width: int) -> list[tuple[str, list[Piece]]]:
        """The tabs with the ids of their places, so that the current one and the next are whole."""
        tabs = [(place.id, self._tab(place)) for place in self._places]
        at = next((at for at, (id, _) in enumerate(tabs) if id == self._current), 0)
        before: list[tuple[str, list[Piece]]] = []
        first = 0
        while first < at and sum(cells(tab) for _, tab in (*before, *tabs[first : at + 2])) >= width:
            before, first = [("", [Piece(CUT, Tone.FAINT)])], first + 1
        return [*before, *tabs[first:]]

    def _tab(self, place: PlaceEntry) -> list[Piece]:
        is_current = place.id == self._current
        return [
            Piece(CURSOR if is_current else " ", Tone.KEY),
            Piece(f"{place.key} ", Tone.KEY),
            Piece(place.name, Tone.HERO if is_current else Tone.MUTED),
        ]
