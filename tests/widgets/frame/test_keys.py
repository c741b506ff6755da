from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import ComposeResult
from textual.binding import Binding
from textual.pilot import Pilot
from textual.widgets import Input

from linkdash.widgets.frame.key_line import Claim, Hint, KeyLine, Standing, fitting
from linkdash.widgets.themes import ThemedApp, style_paths
from tests.waiting import resize, wait_until
from tests.widgets.sample import drawn


class KeysApp(ThemedApp[None]):
    """Keys of its own, a field that takes most of them away, and one that is not possible."""

    AUTO_FOCUS = None
    CSS_PATH = [*style_paths("key_line")]
    BINDINGS = [
        Binding("f1,h", "note('help')", "Help", tooltip="All of them"),
        Binding("q", "note('quit')", "Quit"),
        Binding("x", "note('hidden')", "Hidden", show=False),
        Binding("n", "note('new')", "New", id="new"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.noted: list[str] = []

    def compose(self) -> ComposeResult:
        yield Input(compact=True)
        yield KeyLine(lambda binding: Standing(Claim.SHOWN) if binding.show and binding.id != "new" else None)

    def action_note(self, what: str) -> None:
        self.noted.append(what)


@pytest.fixture
async def pilot() -> AsyncIterator[Pilot[None]]:
    async with KeysApp().run_test(size=(30, 5)) as pilot:
        yield pilot


def _line(pilot: Pilot[None]) -> str:
    return drawn(pilot.app.query_one(KeyLine))[0]


async def test_what_is_active_shown_and_possible(pilot: Pilot[None]) -> None:
    await wait_until(lambda: _line(pilot).split() == ["q", "Quit", "f1", "Help"])
    pilot.app.query_one(Input).focus()
    await wait_until(lambda: "q Quit" not in _line(pilot))
    assert "f1 Help" in _line(pilot), "the field takes no function key away"
    assert "Submit" not in _line(pilot)


async def test_a_click_does_what_the_key_does(pilot: Pilot[None]) -> None:
    app, line = pilot.app, pilot.app.query_one(KeyLine)
    assert isinstance(app, KeysApp)
    await wait_until(lambda: "Quit" in _line(pilot))
    quit, help = (_line(pilot).index(label) for label in ("Quit", "Help"))
    for x, noted in ((quit, ["quit"]), (help, ["quit", "help"]), (1, ["quit", "help"])):
        await pilot.click(KeyLine, offset=(x, 0))
        await pilot.pause()
        assert app.noted == noted
    await pilot.hover(KeyLine, offset=(help, 0))
    await wait_until(lambda: line.tooltip == "All of them")


async def test_help_is_the_last_to_go(pilot: Pilot[None]) -> None:
    await wait_until(lambda: "Quit" in _line(pilot))
    await resize(pilot, 10, 5)
    await wait_until(lambda: _line(pilot) == "  f1 Help ")


hints = st.builds(
    Hint,
    key=st.text("ab", min_size=1, max_size=2),
    shown_as=st.text("ab⏎", min_size=1, max_size=5),
    label=st.text("abc日", max_size=9),
    tooltip=st.just(""),
    everywhere=st.booleans(),
    standing=st.builds(Standing, st.sampled_from(Claim), st.integers(0, 9)),
)


@given(st.lists(hints, max_size=12, unique=True), st.integers(0, 200))
def test_the_line_is_full_and_its_room_goes_to_the_strongest_claim(known: list[Hint], width: int) -> None:
    kept = fitting(known, width)
    assert sum(hint.width for hint in kept) <= width
    assert kept == [hint for hint in known if hint in kept]
    for left_out in (hint for hint in known if hint not in kept):
        before = [hint for hint in kept if hint.standing <= left_out.standing]
        assert sum(hint.width for hint in before) + left_out.width > width, "there was room for it"
