"""The inputs of a form, by keys, mouse and paste."""

from datetime import datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.color import Color
from rich.style import Style
from textual.widgets import Button, Input, OptionList, Static, Switch, TextArea

from linkdash.api.fields import stripped
from linkdash.api.inert_text import inert, marked
from linkdash.model.writes.draft import Draft, FieldChange
from linkdash.widgets.filter_line import one_line
from linkdash.widgets.form.choice_input import MOST_SHOWN, ChoiceLine, InputChoice, matching
from linkdash.widgets.form.field_input import several_lines
from linkdash.widgets.form.form import Form, difference
from linkdash.widgets.form.inputs import swatch
from tests.waiting import wait_until
from tests.widgets.form.form_probe import THING, Code, Hand, part, shown

PLANS = [(1, "Free"), (2, "Pro [b]"), (3, "Business"), (12, "Pro [b]")]


def form(*names: str, **options: list[tuple[int, str]]) -> Form:
    """A form for a new record with these fields of `Thing`."""
    draft = Draft.create(part(*names))
    return Form(draft, options=options, now=lambda: datetime(2024, 1, 31, 9, 30))


def edit_form(*names: str, **options: list[tuple[int, str]]) -> Form:
    return Form(Draft.update(part(*names), THING), options=options)


def open_list(hand: Hand, path: str) -> list[str] | None:
    """Return what the list of a choice offers; None where it is closed."""
    choices = next(iter(hand.row(path).query(OptionList)), None)
    return [str(option.prompt) for option in choices.options] if choices and choices.display else None


def says_something(hand: Hand, path: str) -> bool:
    """Return whether something is told below an input."""
    return any(line.strip() for line in str(hand.row(path).render()).split("\n")[1:])


# ---- choices ----


async def test_typing_narrows_a_choice_and_tab_takes_it() -> None:
    async with shown(form("vendor", "link")) as hand:
        await hand.at("vendor")
        assert open_list(hand, "vendor") is None
        await hand.press("p", "i", "n")
        assert open_list(hand, "vendor") == ["pinterest"]
        assert not says_something(hand, "vendor")
        await hand.press("tab")
        assert open_list(hand, "vendor") is None
        assert hand.form.draft.text("vendor") == hand.value("vendor") == "pinterest"
        assert hand.focused() == "link"
        await hand.at("vendor")
        assert says_something(hand, "vendor")


async def test_the_arrows_choose_from_the_whole_list() -> None:
    async with shown(form("vendor")) as hand:
        await hand.at("vendor")
        await hand.press("down", "down", "enter")
        assert hand.form.draft.text("vendor") == "gapixel"
        await hand.at("vendor")
        await hand.press("down", "up", "enter")
        assert hand.form.draft.text("vendor") == "gtmpixel"


@pytest.mark.parametrize(("width", "rows"), [(110, 40), (110, 30), (80, 24)])
async def test_a_list_leaves_no_part_of_a_field_beside_it(width: int, rows: int) -> None:
    async with shown(form("name", "vendor", "count", "link"), size=(width, rows)) as hand:
        await hand.at("vendor")
        await hand.press("down")
        row = hand.row("vendor")
        listed = row.query_one(OptionList).region
        assert (listed.x, listed.right) == (row.region.x, row.region.right)
        own = row.region if width > 100 else row.query_one(Input).region
        assert listed.bottom <= own.y or listed.y >= own.bottom
        assert listed.bottom <= rows - 2, "the last lines are for budget and keys"
        await hand.press("p", "i")
        await wait_until(lambda: row.query_one(OptionList).region.height < listed.height)
        listed = row.query_one(OptionList).region
        others = [hand.row(name) for name in ("name", "count", "link")]
        await wait_until(
            lambda: all(one.has_class("-covered") is one.region.overlaps(listed) for one in others)
        )
        assert any(one.has_class("-covered") for one in others), "what is hidden is hidden whole"
        await hand.press("tab")
        assert hand.focused() == "count", "it is there again at once"


async def test_down_after_typing_goes_to_the_first_that_fits_and_then_on() -> None:
    async with shown(form("vendor")) as hand:
        await hand.at("vendor")
        await hand.press("g", "down", "enter")
        assert hand.form.draft.text("vendor") == "gtmpixel"
        await hand.at("vendor")
        await hand.press("g", "down", "down", "enter")
        assert hand.form.draft.text("vendor") == "gapixel"


async def test_what_is_typed_in_a_choice_that_is_filled_replaces_it() -> None:
    async with shown(form("vendor", "link")) as hand:
        await hand.at("vendor")
        await hand.press(*"bing", "tab", "shift+tab", *"pint", "tab")
        assert hand.form.draft.text("vendor") == hand.value("vendor") == "pinterest"
        await hand.press("shift+tab", *"tik", "tab")
        assert hand.form.draft.text("vendor") == "tiktok"


async def test_the_key_that_chooses_is_told_while_there_is_something_to_choose() -> None:
    def told() -> bool:
        enter = hand.app.screen.active_bindings["enter"].binding
        return enter.show and enter.description == "Choose"

    async with shown(form("vendor")) as hand:
        await hand.at("vendor")
        assert not told()
        await hand.press("down")
        assert told()
        await hand.press("x", "y")
        assert not told(), "nothing fits"
        await hand.press("escape", "g")
        assert told()


@pytest.mark.parametrize(("choosing", "taken"), [(["p", "i"], "pinterest"), (["down", "down"], "gapixel")])
async def test_enter_takes_a_choice_and_goes_on(choosing: list[str], taken: str) -> None:
    async with shown(form("vendor", "link")) as hand:
        await hand.at("vendor")
        await hand.press(*choosing, "enter", *"go.it")
        assert (hand.form.draft.text("vendor"), hand.value("link")) == (taken, "go.it")


async def test_escape_takes_nothing_and_leaves_the_form_open() -> None:
    async with shown(edit_form("vendor")) as hand:
        await hand.at("vendor")
        offered = []
        for key in ("t", "escape"):
            await hand.press(key)
            offered.append(hand.app.screen.active_bindings["escape"].binding.description)
        assert offered == ["Close the list", "Cancel"]
        assert hand.form.draft.text("vendor") == hand.value("vendor") == "bing"
        assert not hand.app.posted


async def test_a_click_opens_the_list_and_chooses() -> None:
    async with shown(form("vendor")) as hand:
        await hand.click(ChoiceLine)
        choices = hand.row("vendor").query_one(OptionList)
        assert choices.display
        assert await hand.pilot.click(choices, offset=(2, 2))
        assert hand.form.draft.text("vendor") == "fbpixel"
        assert not choices.display


async def test_what_is_in_no_list_stays_and_is_faulted() -> None:
    async with shown(form("vendor")) as hand:
        await hand.paste("vendor", "nobody")
        assert open_list(hand, "vendor") == ["no match"]
        await hand.press("tab")
        assert hand.value("vendor") == "nobody"
        assert hand.problems() == {"vendor": "choose one from the list"}


async def test_what_is_typed_and_taken_back_leaves_the_whole_list() -> None:
    async with shown(form("vendor")) as hand:
        await hand.at("vendor")
        await hand.press(*"zzz")
        assert open_list(hand, "vendor") == ["no match"]
        await hand.press("ctrl+u")
        assert len(open_list(hand, "vendor") or ()) > 5
        await hand.press("down", "enter")
        assert hand.form.draft.text("vendor"), "and down goes into it"


async def test_a_form_with_an_open_list_can_be_removed() -> None:
    async with shown(form("vendor")) as hand:
        await hand.press("t")
        await hand.form.remove()
        await hand.pilot.pause()
        assert hand.app.is_running


async def test_a_choice_is_emptied_by_emptying_its_input() -> None:
    async with shown(edit_form("vendor")) as hand:
        await hand.at("vendor")
        await hand.press("backspace", "tab")
        assert hand.form.draft.text("vendor") == ""


@given(st.lists(st.text()), st.text())
def test_every_match_holds_every_word(labels: list[str], typed: str) -> None:
    found = matching([InputChoice(label, label) for label in labels], typed)
    fits = [label for label in labels if all(word in label.casefold() for word in typed.casefold().split())]
    assert sorted(choice.label for choice in found) == sorted(fits)


async def test_a_long_list_says_how_much_it_leaves_out() -> None:
    async with shown(form("plan", plans=[(number, f"Plan {number}") for number in range(1, 1001)])) as hand:
        await hand.at("plan")
        await hand.press("down")
        offered = open_list(hand, "plan") or []
        assert offered[-1] == f"{1000 - MOST_SHOWN} more: type to narrow"
        assert len(offered) == MOST_SHOWN + 1


# ---- references ----


async def test_a_record_is_chosen_by_name_and_sent_by_id() -> None:
    async with shown(form("plan", plans=PLANS)) as hand:
        await hand.paste("plan", "pro 12")
        assert open_list(hand, "plan") == ["Pro [b] · 12"]
        await hand.press("enter")
        assert hand.value("plan") == "Pro [b] · 12"
        assert hand.form.draft.text("plan") == "12"


async def test_a_record_is_shown_by_name() -> None:
    async with shown(edit_form("plan", plans=PLANS)) as hand:
        assert hand.value("plan") == "Pro [b] · 2"
        assert not hand.form.changed


async def test_without_loaded_records_the_number_is_typed() -> None:
    async with shown(form("plan")) as hand:
        await hand.paste("plan", "7")
        assert "no plans are loaded: type the number" in hand.screen_text()
        assert hand.form.draft.text("plan") == "7"


# ---- flags, colors, moments ----


async def test_a_switch_says_its_state_and_is_sent_once_touched() -> None:
    async with shown(form("starred")) as hand:
        row = hand.row("starred")
        assert (hand.text(".flag-word", row), hand.form.draft.text("starred")) == ("no", "")
        await hand.at("starred")
        await hand.press("space")
        assert (hand.text(".flag-word", row), hand.form.draft.text("starred")) == ("yes", "true")
        await hand.click(Switch)
        assert (hand.text(".flag-word", row), hand.form.draft.text("starred")) == ("no", "false")


async def test_an_address_without_its_scheme_is_completed_when_it_is_left() -> None:
    async with shown(form("link", "email")) as hand:
        await hand.paste("link", "example.org/x")
        assert hand.problems()
        await hand.press("tab")
        assert hand.value("link") == hand.form.draft.text("link") == "https://example.org/x"
        assert not hand.problems()
        await hand.paste("link", "example.org")
        await hand.press("ctrl+s")
        assert [message.body.given() for message in hand.app.saved] == [{"link": "https://example.org"}]


async def test_a_color_is_seen_in_either_spelling() -> None:
    async with shown(form("color")) as hand:
        assert "#rrggbb" in hand.screen_text()
        for text in ("ff8000", "rgb(255, 128, 0)"):
            await hand.paste("color", text)
            assert not hand.problems()
            strip = hand.row("color").query_one(".swatch", Static).render_line(0)
            colors = {segment.style.bgcolor for segment in strip if segment.style}
            assert colors == {Color.from_rgb(255, 128, 0)}
            await hand.paste("color", "reddish")
            assert "····" in hand.screen_text()


def test_the_difference_shows_the_colors_themselves() -> None:
    change = FieldChange("Color", "#010203", "#040506")
    line = difference([change], {"Color"})
    shown = [
        span.style.bgcolor for span in line.spans if isinstance(span.style, Style) and span.style.bgcolor
    ]
    assert shown == [Color.from_rgb(1, 2, 3), Color.from_rgb(4, 5, 6)]
    assert line.plain.split() == ["Color:", "#010203", "→", "#040506"]


def test_a_swatch_of_nothing_shows_no_color() -> None:
    assert swatch("reddish").plain == swatch("").plain == "····"
    style = swatch("#010203").style
    assert not isinstance(style, str)
    assert style.bgcolor == Color.from_rgb(1, 2, 3)


async def test_keys_move_a_moment() -> None:
    moves = {
        ("2023-11-30 08:00:00", "my"): "2024-12-30 08:00:00",
        ("2024-02-29", "y"): "2025-02-28 00:00:00",
        ("nonsense", "m"): "2024-02-29 09:30:00",
        ("9999-12-31", "m"): "9999-12-31",
    }
    async with shown(form("expires")) as hand:
        await hand.at("expires")
        await hand.press("y")
        assert hand.value("expires") == "2025-01-31 09:30:00"
        for (before, keys), after in moves.items():
            await hand.paste("expires", before)
            await hand.press(*keys)
            assert hand.form.draft.text("expires") == hand.value("expires") == after


async def test_a_moment_is_moved_by_clicks_too() -> None:
    async with shown(form("expires")) as hand:
        await hand.at("expires")
        month, year = hand.row("expires").query(Button)
        assert await hand.pilot.click(month)
        assert await hand.pilot.click(year)
        assert hand.form.draft.text("expires") == "2025-02-28 09:30:00"
        assert hand.focused() == "expires"


# ---- texts ----


async def test_a_secret_is_hidden_unless_asked_for() -> None:
    async with shown(form("password"), size=(80, 30)) as hand:
        await hand.paste("password", "hush-hush")
        assert "hush-hush" not in hand.screen_text()
        await hand.press("f2")
        assert "hush-hush" in hand.screen_text()
        await hand.press("tab")
        assert "hush-hush" not in hand.screen_text()


async def test_a_paste_of_several_lines_loses_none_of_them() -> None:
    async with shown(form("notes", "name")) as hand:
        await hand.paste("notes", "one\n\ntwo\x1b[2J")
        assert hand.form.draft.text("notes") == "one\n\ntwo[2J"
        await hand.paste("name", "one\r\n two\n")
        assert hand.form.draft.text("name") == "one two"


async def test_the_clipboard_of_the_app_is_pasted_whole() -> None:
    async with shown(form("name")) as hand:
        await hand.at("name")
        hand.app.copy_to_clipboard("one\ntwo")
        await hand.press("ctrl+v")
        assert hand.form.draft.text("name") == "one two"


UNSEEN = "\u200f\u200b\u2060\u00ad\ufeff\u202e\x1b\t\u00a0\n"


@given(st.text(st.characters() | st.sampled_from("Sale" + UNSEEN)))
@example("Sale\u200f")
@example("\ufeffA\u200bB \u00a0")
def test_pasted_text_keeps_what_can_be_seen_and_nothing_else(text: str) -> None:
    def seen(any_text: str) -> list[str]:
        return [one for one in any_text if one.isalnum() and marked(one) == one]

    for pasted in (one_line(text), several_lines(text)):
        assert seen(pasted) == seen(text)
        assert "\ufffd" not in pasted
        assert inert(pasted.replace("\n", " ")).count("\ufffd") <= text.count("\u0300")
    line = one_line(text)
    assert line == stripped(line)
    assert len(line.splitlines()) <= 1


@pytest.mark.parametrize(
    "word", ["👩\u200d💻", "⚠\ufe0f", "می\u200cخواهم", "क्\u200dष", "\U0001f3f4\U000e0067\U000e007f"]
)
def test_what_a_word_or_an_emoji_is_made_of_stays_at_its_end(word: str) -> None:
    assert stripped(f" {word} \u200b") == word


async def test_signs_that_show_nothing_are_not_pasted() -> None:
    async with shown(form("name", "link", "notes")) as hand:
        await hand.paste("name", "\ufeffSale\u200f")
        await hand.paste("link", "https://example.org/\u200b")
        await hand.paste("notes", "one\u00ad\n\ttwo\u2060")
        texts = hand.form.draft
        assert texts.text("name") == "Sale"
        assert texts.text("link") == "https://example.org/"
        assert texts.text("notes") == "one\ntwo"


async def test_what_nobody_touched_goes_back_with_its_signs() -> None:
    """And what was typed behind it, without what shows nothing at its end."""
    names = ("name", "notes")
    draft = Draft.update(part(*names), {"name": "Sale\u200f", "notes": "old \u200b"})
    async with shown(Form(draft)) as hand:
        await hand.at("name")
        await hand.press("home", "A")
        assert hand.row("name").field_input.settle() == "ASale"
        assert hand.row("notes").field_input.settle() == "old \u200b"
        assert hand.form.draft.text("name") == "ASale"


async def test_several_lines_are_typed_with_enter() -> None:
    async with shown(form("notes")) as hand:
        await hand.at("notes")
        await hand.press("a", "enter", "b")
        assert hand.form.draft.text("notes") == "a\nb"
        assert hand.row("notes").query_one(TextArea).has_focus


# ---- payloads ----


async def test_the_parts_of_a_payload_follow_its_type() -> None:
    async with shown(Form(Draft.create(Code))) as hand:
        assert hand.shown() == ["type", "logo"]
        await hand.press("w", "i", "tab", *"net")
        assert hand.value("data.wifi.ssid") == "net"
        assert hand.row("data.wifi.encryption").query_one(Input).placeholder == "WPA"
        await hand.paste("type", "link")
        await hand.press("tab", "x")
        assert hand.shown() == ["type", "data.link.link", "logo"]
        await hand.paste("type", "wifi")
        await hand.press("enter")
        assert hand.value("data.wifi.ssid") == "net"
        assert hand.shown()[1:3] == ["data.wifi.ssid", "data.wifi.encryption"]


def test_what_is_typed_finds_what_is_shown_and_a_value_by_the_whole_of_it() -> None:
    spotify, google = InputChoice("spotifypixel", "Spotify"), InputChoice("adwordspixel", "Google Ads")
    assert matching([google, spotify], "Sp") == [spotify]
    assert matching([google], "Sp") == [], "nobody sees how the service calls it"
    assert matching([google, spotify], "adwordspixel") == [google]
