"""Keys that come faster than they are handled: fields hold what they hold if each had its turn."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from textual.app import App, ComposeResult
from textual.widgets import Input

from linkdash.api.fields import LongText, PlainText
from linkdash.api.records import Body
from linkdash.model.writes.draft import Draft
from linkdash.widgets.form.form import Form, Step
from tests.nightly import is_nightly
from tests.typist import send, send_slowly
from tests.waiting import wait_until
from tests.widgets.form.form_probe import Hand, shown


class Bare(App[None]):
    """Textual with an input, and nothing of ours."""

    def compose(self) -> ComposeResult:
        yield Input()


async def test_textual_itself_still_lets_letters_overtake() -> None:
    """Once this fails, Textual keeps the order by itself, and `TypeAhead` is to be looked at again."""
    app = Bare()
    async with app.run_test() as pilot:
        send(app, *"abc", "backspace", *"def")
        await pilot.pause()
        assert app.query_one(Input).value == "abcde"


# ---- a form, and a model of it ----


class Letter(Body):
    """Two fields of one line and one of several, none of them required."""

    name: PlainText = ""
    about: PlainText = ""
    notes: LongText = ""


FIELDS = ["name", "about", "notes"]
EDITING = [*FIELDS, "save", "close"]
DISCARDING = ["back", "discard"]


@dataclass
class Model:
    """A form's content after some keys, by its rules alone."""

    texts: dict[str, str] = field(default_factory=lambda: dict.fromkeys(FIELDS, ""))
    cursors: dict[str, int] = field(default_factory=lambda: dict.fromkeys(FIELDS, 0))
    focus: str = "name"
    last: str = "name"
    step: Step = Step.EDIT
    is_sent: bool = False
    is_left: bool = False

    def press(self, key: str) -> None:
        if self.is_sent:
            return
        if key in ("tab", "shift+tab"):
            self._go(1 if key == "tab" else -1)
        elif key == "escape":
            self._back()
        elif self.step is Step.DISCARD and key == "y":
            self.is_left = True
        elif self.step is Step.DISCARD and key == "n":
            self._back()
        elif key == "ctrl+s":
            self.is_sent = self.step is Step.EDIT
        elif self.focus in FIELDS:
            self._edit(key)
        elif key == "enter":
            self._press_button()

    def _go(self, by: int) -> None:
        stops = EDITING if self.step is Step.EDIT else DISCARDING
        self._focus(stops[(stops.index(self.focus) + by) % len(stops)])

    def _focus(self, name: str) -> None:
        self.focus = name
        if name in FIELDS:
            self.last = name

    def _back(self) -> None:
        if self.step is Step.DISCARD:
            self.step = Step.EDIT
            self.focus = self.last
        elif any(self.texts.values()):
            self.step = Step.DISCARD
            self.focus = "back"
        else:
            self.is_left = True

    def _press_button(self) -> None:
        match self.focus:
            case "save":
                self.is_sent = True
            case "discard":
                self.is_left = True
            case _:
                self._back()

    def _edit(self, key: str) -> None:
        text, at = self.texts[self.focus], self.cursors[self.focus]
        begin = text.rfind("\n", 0, at) + 1
        end = text.find("\n", at) if "\n" in text[at:] else len(text)
        match key:
            case "backspace":
                text, at = text[: max(0, at - 1)] + text[at:], max(0, at - 1)
            case "left":
                at = max(0, at - 1)
            case "right":
                at = min(len(text), at + 1)
            case "home":
                at = begin
            case "end":
                at = end
            case "enter" if self.focus != "notes":
                self._go(1)
                return
            case "enter":
                text, at = f"{text[:at]}\n{text[at:]}", at + 1
            case _:
                text, at = text[:at] + key + text[at:], at + 1
        self.texts[self.focus], self.cursors[self.focus] = text, at


def expected(keys: Sequence[str]) -> tuple[Model, list[str]]:
    """The model after these keys, and as many of them as its owner would let the form have."""
    model = Model()
    for count, key in enumerate(keys, start=1):
        model.press(key)
        if model.is_left:
            return model, [*keys[:count]]
    return model, [*keys]


async def fields_after(
    hand: Hand, keys: list[str], seconds: float
) -> tuple[dict[str, str], str, list[dict[str, str]]]:
    """The texts of a new form, the step it is at, and what was sent, after these keys."""
    form = Form(Draft.create(Letter))
    await hand.app.change_to(form)
    await hand.settle()
    await send_slowly(hand.app, keys, seconds)
    await wait_until(lambda: not hand.app.message_queue_size and hand.app.type_ahead.is_idle)
    await hand.settle()
    sent = [{name: str(answer.body.given().get(name, "")) for name in FIELDS} for answer in hand.app.saved]
    return {name: form.draft.text(name) for name in FIELDS}, form.step, sent


KEYS = st.one_of(
    st.sampled_from("abcdny"),
    st.sampled_from(["backspace", "left", "right", "home", "end"]),
    st.sampled_from(["tab", "shift+tab", "enter", "escape"]),
)
BURSTS = st.tuples(st.lists(KEYS, min_size=2, max_size=24), st.sampled_from([[], [], ["ctrl+s", "x"]]))
IS_LONG = is_nightly()
GAPS = st.sampled_from([0, 0, 0, 1, 2, 5, 10, 20, 30] if IS_LONG else [0, 0, 0, 0, 1, 3])
"""Milliseconds from one key to the next."""


async def test_the_button_of_a_question_asked_again_at_once_is_heard() -> None:
    async with shown(Form(Draft.create(Letter))) as hand:
        keys = ["n", "escape", "enter", "tab", "d", "escape", "enter", "backspace"]
        texts, step, _ = await fields_after(hand, keys, 0)
        assert (texts["about"], step) == ("", Step.EDIT)


@settings(
    max_examples=100 if IS_LONG else 3,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(st.tuples(BURSTS, GAPS), min_size=5, max_size=5))
async def test_a_form_holds_what_it_holds_if_each_key_is_handled_before_the_next(
    bursts: list[tuple[tuple[list[str], list[str]], int]],
) -> None:
    async with shown(Form(Draft.create(Letter))) as hand:
        for burst, gap in bursts:
            model, keys = expected(burst[0] + burst[1])
            texts, step, sent = await fields_after(hand, keys, gap / 1000)
            assert texts == model.texts
            assert step == model.step
            assert sent == ([model.texts] if model.is_sent else [])
