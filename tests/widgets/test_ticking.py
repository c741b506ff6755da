"""Lines that look every second whether they say something else: they rest while they are out of sight."""

from textual.app import ComposeResult
from textual.screen import ModalScreen, Screen

from linkdash.widgets.styled_text import DrawnLines, Lines, Piece
from linkdash.widgets.themes import ThemedApp


class Clock(DrawnLines):
    ticks = True

    def lines(self, width: int, height: int) -> Lines:
        return [[Piece("now")]]

    @property
    def is_at_rest(self) -> bool:
        return not self._ticking._active.is_set()


class ClockApp(ThemedApp[None]):
    def compose(self) -> ComposeResult:
        yield Clock()


async def test_lines_rest_while_another_screen_hides_them() -> None:
    app = ClockApp()
    async with app.run_test() as pilot:
        clock = app.query_one(Clock)
        rests = [clock.is_at_rest]
        for screen in (ModalScreen[None](), Screen[None](), ModalScreen[None]()):
            await app.push_screen(screen)
            rests.append(clock.is_at_rest)
        while len(app.screen_stack) > 1:
            await app.pop_screen()
            await pilot.pause()
        rests.append(clock.is_at_rest)
        assert rests == [False, False, True, False, False]
