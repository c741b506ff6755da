"""A form: saving, refusals, closing, the difference, drafts, and every size it has to live in."""

from functools import partial

import pytest
from textual.app import ComposeResult
from textual.widgets import Button, Input, Static

from linkdash.api.http.secrecy import MASK
from linkdash.model.writes.draft import Draft, FieldChange
from linkdash.widgets.form.form import Form, Preview, Step
from linkdash.widgets.themes import DAY, NIGHT, contrast
from tests.waiting import wait_until
from tests.widgets.form.form_probe import THING, Code, Hand, part, shown

PLANS = {"plans": [(2, "Free"), (3, "Pro")]}
SIZES = [(80, 12), pytest.param((58, 15), marks=pytest.mark.nightly)]


def new_form() -> Form:
    return Form(Draft.create(part("name", "vendor", "link", "email")))


def filled_form(*more: str) -> Form:
    draft = Draft.create(part("name", "vendor", *more), {"name": "Spring", "vendor": "bing"})
    return Form(draft)


def edit_form(*more: str) -> Form:
    draft = Draft.update(part("name", "vendor", "link", "plan", *more), THING)
    return Form(draft, options=PLANS)


def long_form() -> Form:
    return edit_form("starred", "color", "expires", "password", "notes")


# ---- typing and saving ----


async def test_a_new_record_is_saved_by_keys() -> None:
    async with shown(new_form()) as hand:
        await hand.press("S", "p", "enter", "b", "enter", "ctrl+s")
        (saved,) = hand.app.saved
        assert saved.body.given() == {"name": "Sp", "vendor": "bing"}
        assert saved.changes == (FieldChange("Name", None, "Sp"), FieldChange("Vendor", None, "bing"))


async def test_a_save_pressed_twice_is_one() -> None:
    async with shown(filled_form()) as hand:
        await hand.press("ctrl+s", "ctrl+s")
        await hand.form.action_save()
        await hand.pilot.pause()
        assert len(hand.app.saved) == 1


async def test_the_save_button_is_reached_and_pressed_by_keys() -> None:
    async with shown(filled_form("notes")) as hand:
        await hand.at("notes")
        await hand.press("tab", "enter")
        assert len(hand.app.saved) == 1


async def test_a_half_made_choice_is_taken_by_saving() -> None:
    async with shown(new_form()) as hand:
        await hand.paste("name", "x")
        await hand.at("vendor")
        await hand.press("t", "i", "ctrl+s")
        assert [saved.body.given()["vendor"] for saved in hand.app.saved] == ["tiktok"]


async def test_it_is_checked_while_typing_and_only_where_one_typed() -> None:
    async with shown(new_form()) as hand:
        await hand.paste("link", "example.org")
        assert hand.problems() == {"link": "use a full address, starting with http:// or https://"}
        assert "starting with http://" in hand.screen_text()
        await hand.paste("link", "https://example.org")
        assert hand.problems() == {}


async def test_a_save_that_cannot_be_sent_says_everything_and_goes_to_the_first_fault() -> None:
    async with shown(new_form()) as hand:
        await hand.paste("email", "nobody")
        await hand.press("ctrl+s")
        assert hand.problems().keys() == {"name", "vendor", "email"}
        assert hand.note() == "✗ Fix 3 fields"
        assert hand.focused() == "name"
        assert not hand.app.saved


async def test_a_password_is_compared_with_its_repetition() -> None:
    async with shown(filled_form("password")) as hand:
        await hand.paste("password", "secret")
        assert not hand.problems()
        await hand.paste("password.again", "secre")
        assert hand.problems() == {"password.again": "does not match"}
        await hand.paste("password.again", "secret")
        await hand.press("ctrl+s")
        (saved,) = hand.app.saved
        assert saved.body.given()["password"] == "secret"
        assert saved.changes[-1] == FieldChange("Password", None, MASK)


# ---- while it is sent, and when it is refused ----


async def test_while_it_is_sent_everything_is_shown_and_nothing_can_be_touched() -> None:
    async with shown(filled_form("starred")) as hand:
        await hand.press("ctrl+s", "x", "d")
        hand.form.say_saving()
        assert hand.note() == "Saving… esc cancels it while it is queued."
        await hand.press("escape")
        assert hand.note() == "Still saving: this stays open until there is an answer."
        assert hand.app.screen.focus_chain == [hand.form]
        assert "Spring" in hand.screen_text()
        assert hand.value("name") == "Spring"
        assert (hand.app.destroyed, hand.app.closed) == (0, False)
        hand.form.busy(False)
        await hand.press("end", "!")
        assert hand.value("name") == "Spring!"


async def test_a_refusal_keeps_everything_and_is_inert() -> None:
    async with shown(filled_form("notes")) as hand:
        await hand.paste("notes", "two\nlines")
        await hand.press("ctrl+s")
        hand.form.refuse("[red]No[/red]\x1b[2J")
        await hand.pilot.pause()
        assert hand.note() == "[red]No[/red]�[2J"
        assert hand.form.draft.text("notes") == "two\nlines"
        await hand.press("ctrl+s")
        assert len(hand.app.saved) == 2


async def test_a_refusal_stands_at_its_field_until_that_is_edited() -> None:
    async with shown(filled_form()) as hand:
        await hand.press("ctrl+s")
        hand.form.refuse("taken", "name")
        await hand.pilot.pause()
        assert hand.problems() == {"name": "taken"}
        await hand.press("end", "2")
        assert hand.problems() == {}


async def test_a_refused_payload_is_told_at_its_first_part() -> None:
    draft = Draft.create(Code, {"type": "link", "data": "https://example.org"})
    async with shown(Form(draft)) as hand:
        await hand.press("ctrl+s")
        hand.form.refuse("unreachable", "data")
        await hand.pilot.pause()
        assert hand.problems() == {"data.link.link": "unreachable"}


# ---- closing ----


async def test_tab_goes_round_and_never_leads_out() -> None:
    async with shown(Form(Draft.create(part("name", "link")))) as hand:
        await hand.app.mount(Input(id="behind"))
        places = []
        for _ in range(5):
            places.append(hand.focused() or str(getattr(hand.app.focused, "name", "")))
            await hand.press("tab")
        assert places == ["name", "link", "save", "close", "name"]
        await hand.at("name")
        await hand.press("shift+tab")
        assert getattr(hand.app.focused, "name", "") == "close"


async def test_an_unchanged_form_closes_at_once() -> None:
    async with shown(filled_form()) as hand:
        await hand.press("escape")
        assert hand.app.closed


async def test_a_changed_form_asks_and_keeps_by_default() -> None:
    async with shown(new_form()) as hand:
        await hand.press("x", "escape")
        assert "Discard changes?" in hand.screen_text()
        await hand.press("enter", "y", "escape", "escape", "z")
        assert (hand.value("name"), hand.app.closed) == ("xyz", False)
        await hand.press("escape", "tab", "enter")
        assert hand.app.closed


async def test_one_key_discards() -> None:
    async with shown(new_form()) as hand:
        await hand.press("y", "escape", "y")
        assert hand.app.closed
        assert hand.app.destroyed == 0


async def test_letters_on_a_button_or_a_switch_do_not_reach_what_lies_behind() -> None:
    async with shown(filled_form("starred")) as hand:
        await hand.at("starred")
        await hand.press("d")
        hand.form.query_one(Button).focus()
        await hand.press("d")
        assert hand.app.destroyed == 0


# ---- the difference ----


async def test_an_update_shows_the_difference_before_it_goes() -> None:
    async with shown(edit_form()) as hand:
        await hand.paste("name", "Sum\x1bmer [b]")
        await hand.at("link")
        await hand.press("ctrl+u")
        await hand.paste("plan", "pro")
        await hand.press("ctrl+s")
        assert not hand.app.saved
        assert hand.text(".form-changes").splitlines() == [
            "Name: Spring → Summer [b]",
            "Link: https://example.org → (empty)",
            "Plan: Free → Pro",
        ]
        await hand.press("escape")
        assert hand.form.step is Step.EDIT
        await hand.press("ctrl+s", "enter")
        (saved,) = hand.app.saved
        assert saved.body.given() == {"name": "Summer [b]", "vendor": "bing", "link": "", "plan": 3}


async def test_the_difference_is_agreed_to_and_left_by_the_keys_of_every_question() -> None:
    async with shown(edit_form()) as hand:
        await hand.press("!", "ctrl+s")
        active = hand.app.screen.active_bindings.values()
        keys = {(one.binding.key, one.binding.description) for one in active if one.binding.show}
        assert {("y", "Send"), ("escape", "Keep editing")} <= keys
        assert [str(one.label) for one in hand.form.query(".-question Button").results(Button)] == [
            "Send y",
            "Keep editing esc",
        ]
        await hand.press("n")
        assert (hand.form.step, hand.app.saved) == (Step.EDIT, [])
        await hand.press("y", "ctrl+s", "y")
        (saved,) = hand.app.saved
        assert saved.body.given()["name"] == "Spring!y"


async def test_an_update_of_nothing_is_not_sent() -> None:
    async with shown(edit_form()) as hand:
        await hand.press("ctrl+s")
        assert hand.note() == "Nothing was changed."
        assert (hand.form.step, hand.app.posted) == (Step.EDIT, [])


# ---- drafts ----


async def test_what_is_typed_is_told_without_secrets_and_can_be_restored() -> None:
    async with shown(edit_form("password", "color")) as hand:
        await hand.paste("password", "hush-hush")
        await hand.paste("color", "#000000")
        told = [message.values for message in hand.app.posted]
        assert told[-1] == hand.form.storable_values() == {"color": "#000000"}
    async with shown(edit_form("color")) as hand:
        await hand.form.restore({**told[-1], "unknown": "x"})
        assert hand.value("color") == "#000000"
        assert hand.value("name") == "Spring"
        assert hand.form.changed
        await hand.press("!")
        assert hand.value("name") == "Spring!"


async def test_a_draft_can_be_restored_before_the_form_is_shown() -> None:
    form = new_form()
    await form.restore({"name": "Spring"})
    async with shown(form) as hand:
        assert hand.value("name") == "Spring"
        assert form.changed


# ---- previews ----


class Echo(Preview):
    """A preview of what a code would hold."""

    def compose(self) -> ComposeResult:
        yield Static(markup=False)

    def show(self, draft: Draft) -> None:
        payload = draft.payload("data")
        self.query_one(Static).update(payload.content() if payload else "not yet")


async def test_a_preview_follows_what_is_typed() -> None:
    draft = Draft.create(Code, {"type": "text"})
    async with shown(Form(draft, preview=Echo())) as hand:
        assert hand.text("Echo Static") == "not yet"
        await hand.paste("data.text.text", "hello")
        assert hand.text("Echo Static") == "hello"


# ---- sizes ----


@pytest.mark.parametrize("size", SIZES)
async def test_every_field_is_seen_whole_when_it_has_the_focus(size: tuple[int, int]) -> None:
    async with shown(long_form(), size=size) as hand:
        body = hand.form.query_one(".form-body")
        for field in hand.form.draft.fields:
            await (
                hand.paste(field.name, "?")
                if field.name in ("link", "color", "notes")
                else hand.at(field.name)
            )
            row = hand.row(field.name)
            await wait_until(partial(lambda row: body.content_region.contains_region(row.region), row))
            assert field.title in hand.screen_text()
            assert row.field_input.region.width >= 20
        buttons = [widget for widget in hand.app.screen.focus_chain if isinstance(widget, Button)]
        assert [str(button.label) for button in buttons] == ["Save ctrl+s", "Cancel esc"]
        assert all(hand.app.screen.region.contains_region(button.region) for button in buttons)


@pytest.mark.parametrize("size", SIZES)
async def test_the_questions_are_seen_whole(size: tuple[int, int]) -> None:
    questions = {"escape": ["Keep editing esc", "Discard y"], "ctrl+s": ["Send y", "Keep editing esc"]}
    async with shown(edit_form(), size=size) as hand:
        await hand.paste("name", "Summer")
        for key, labels in questions.items():
            await hand.press(key)
            asked = [widget for widget in hand.app.screen.focus_chain if isinstance(widget, Button)]
            assert [str(button.label) for button in asked] == labels
            assert all(hand.app.screen.region.contains_region(button.region) for button in asked)
            assert all(label in hand.screen_text() for label in labels)
            assert hand.app.focused is asked[0]
            await hand.press("escape")


async def test_a_message_that_appears_below_the_last_line_is_scrolled_to() -> None:
    draft = Draft.create(part("name", "vendor", "starred", "color", "backdrop", "expires", "notes", "link"))
    async with shown(Form(draft), size=(80, 11)) as hand:
        await hand.paste("link", "?")
        body = hand.form.query_one(".form-body")
        await wait_until(lambda: body.content_region.contains_region(hand.row("link").region))


async def test_the_open_list_stays_on_a_small_screen() -> None:
    draft = Draft.create(part("name", "vendor", "starred", "color", "expires", "plan"))
    plans = {"plans": [(number, f"Plan {number}") for number in range(6)]}
    async with shown(Form(draft, options=plans), size=(80, 15)) as hand:
        await hand.at("plan")
        await hand.press("down")
        choices = hand.row("plan").query_one(".choice-list")
        assert choices.display
        assert hand.app.screen.region.contains_region(choices.region)
        assert not choices.region.overlaps(hand.row("plan").query_one(Input).region)


async def test_arrows_and_pages_move_through_the_form() -> None:
    async with shown(long_form(), size=(80, 12)) as hand:
        await hand.at("link")
        await hand.press("down")
        assert hand.focused() == "plan"
        await hand.press("up")
        assert hand.focused() == "link"
        body = hand.form.query_one(".form-body")
        await hand.press("pagedown")
        await hand.pilot.wait_for_animation()
        assert body.scroll_y > 0


async def test_a_question_is_not_answered_by_saving_and_escape_says_what_it_does() -> None:
    async with shown(Form(Draft.create(part("name")))) as hand:
        assert escape_of(hand) == "Cancel"
        await hand.press("a", "escape")
        assert escape_of(hand) == "Keep editing"
        assert footer_of(hand) == {"Keep editing", "Discard"}, "nothing that does not work now"
        await hand.press("ctrl+s")
        assert hand.form.step == "discard"
        assert hand.app.saved == []
        ways_out = "y discards your changes, esc goes back to them."
        assert hand.note() == f"Nothing was saved: {ways_out}"
        await hand.press("x")
        assert hand.note() == ways_out, "what does nothing says what does"
        await hand.press("down", "down")
        assert hand.form.step == "discard"
        assert not hand.form.query_one(".form-body").has_focus_within, "y is no letter for a field"
        await hand.press("n")
        assert (hand.form.step, hand.note(), hand.value("name")) == ("edit", "", "a")
        await hand.press("escape")
        await hand.press("escape", "ctrl+s")
        assert escape_of(hand) == "Cancel", "while it is saved, too"
        assert len(hand.app.saved) == 1


async def test_who_clicks_a_field_beside_a_question_goes_on_with_it() -> None:
    async with shown(Form(Draft.create(part("name")))) as hand:
        await hand.press("a", "escape")
        assert hand.form.step == "discard"
        assert await hand.pilot.click("Form Input")
        await hand.press("y")
        assert (hand.form.step, hand.value("name")) == ("edit", "ya"), "the click put the cursor first"


async def test_an_empty_field_is_seen_by_its_ground_in_dark_and_in_light() -> None:
    async with shown(Form(Draft.create(part("name", "link", "email")))) as hand:
        for theme in (NIGHT, DAY):
            hand.app.theme = theme.name
            await hand.settle()
            grounds = [field.background_colors for field in hand.form.query(Input)]
            assert len(grounds) == 3
            assert all(contrast(*ground) > 1.25 for ground in grounds), theme.name
            focused, *others = (ground for _, ground in grounds)
            assert min(contrast(focused, other) for other in others) > 1.1, theme.name


async def test_the_footer_says_what_saving_does_in_each_step() -> None:
    async with shown(edit_form("name")) as hand:
        assert {"Save", "Copy command"} <= footer_of(hand)
        await hand.press("a", "ctrl+s")
        assert hand.form.step == "review"
        assert footer_of(hand) == {"Send", "Keep editing"}


def footer_of(hand: Hand) -> set[str]:
    """The key line's words on the form's keys."""
    active = (found.binding for found in hand.app.screen.active_bindings.values() if found.node is hand.form)
    return {binding.description for binding in active if binding.show}


def escape_of(hand: Hand) -> str:
    return hand.app.screen.active_bindings["escape"].binding.description
