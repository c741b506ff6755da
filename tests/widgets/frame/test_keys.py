from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import ComposeResult
from textual.binding import Binding
from textual.pilot import Pilot
from textual.widgets import Input

from linkdash.widgets.frame.key_line import SPACIOUS, Hint, KeyLine, fitting
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
        yield KeyLine(lambda id: None if id == "new" else 0)

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
    is_spare=st.booleans(),
)


@given(st.lists(hints, max_size=12, unique=True), st.integers(0, 2 * SPACIOUS))
def test_as_many_as_fit_in_their_order(known: list[Hint], width: int) -> None:
    kept, shown = fitting(known, width), [hint for hint in known if not hint.is_spare]
    assert sum(hint.width for hint in kept) <= width
    assert kept == [hint for hint in known if hint in kept]
    if sum(hint.width for hint in known) <= width:
        assert kept == (known if width >= SPACIOUS else shown)
    if any(hint.is_spare for hint in kept):
        assert set(shown) <= set(kept), "nothing has to go for what is shown only where there is room"
    if kept and shown:
        help = next((hint for hint in shown if hint.everywhere), shown[0])
        assert help in kept
