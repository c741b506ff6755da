"""A form as data: what is typed, what is sent, what it changes."""

from collections.abc import Mapping
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkdash.api.fields import Kind, fields_of
from linkdash.api.http.secrecy import MASK
from linkdash.api.qr_payloads import WifiPayload
from linkdash.api.records import Body
from linkdash.api.resources.channels import ChannelUpdate
from linkdash.model.humanize import months_later
from linkdash.model.writes.draft import Draft, FieldChange, Problems, choice_labels
from tests.widgets.form.form_probe import THING, Code, CodeChange, Thing

WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="↵"), min_size=1).filter(
    lambda text: text.strip() == text
)
MEMBERS: dict[str, st.SearchStrategy[object]] = {
    "name": WORDS,
    "vendor": st.sampled_from(["gtmpixel", "bing", "tiktok"]),
    "link": st.sampled_from(["https://example.org", "http://x.example/?q=1"]),
    "email": st.sampled_from(["a@example.org", "b@example.org"]),
    "starred": st.booleans(),
    "color": st.from_regex(r"#[0-9A-F]{6}", fullmatch=True),
    "backdrop": st.tuples(*[st.integers(0, 255)] * 3).map(lambda rgb: "rgb({},{},{})".format(*rgb)),
    "expires": st.datetimes(datetime(1900, 1, 1), datetime(9000, 1, 1)).map(
        lambda at: at.replace(microsecond=0)
    ),
    "plan": st.integers(0, 10**9),
    "count": st.integers(0, 10**9),
    "notes": st.lists(WORDS, min_size=1).map("\n".join),
}
REQUIRED = ("name", "vendor")
THINGS = st.fixed_dictionaries(
    {name: MEMBERS[name] for name in REQUIRED},
    optional={name: strategy for name, strategy in MEMBERS.items() if name not in REQUIRED},
)


def body(draft: Draft) -> Body:
    parsed = draft.parse()
    assert isinstance(parsed, Body), parsed
    return parsed


def problems(draft: Draft) -> Mapping[str, str]:
    parsed = draft.parse()
    assert isinstance(parsed, Problems), parsed
    return parsed.messages


def typed(draft: Draft, **texts: str) -> Draft:
    for path, text in texts.items():
        draft = draft.with_text(path.replace("__", "."), text)
    return draft


# ---- laws ----


@given(THINGS)
def test_what_is_filled_in_is_parsed_as_it_was(members: dict[str, object]) -> None:
    made = Thing.model_validate(members)
    parsed = body(Draft.create(Thing, members))
    assert parsed == made
    assert parsed.given() == made.given()


@given(THINGS)
def test_an_untouched_record_changes_nothing(record: dict[str, object]) -> None:
    draft = Draft.update(Thing, record)
    assert body(draft).given().keys() == set(REQUIRED)
    assert draft.changes() == ()
    assert draft.storable_values() == {}


@given(record=THINGS, edits=THINGS, edited=st.sets(st.sampled_from(sorted(MEMBERS))))
def test_an_update_sends_what_differs_and_what_is_required(
    record: dict[str, object], edits: dict[str, object], edited: set[str]
) -> None:
    draft = Draft.update(Thing, record)
    texts = Draft.create(Thing, edits).values
    for path in edited & texts.keys():
        draft = draft.with_text(path, texts[path])
    sent = body(draft).given()
    before = Thing.model_validate(record).given()
    wanted = {name for name in edited & texts.keys() if texts[name] != Draft.update(Thing, record).text(name)}
    assert sent.keys() == wanted | set(REQUIRED)
    assert before | sent == before | {
        name: value for name, value in Thing.model_validate(edits).given().items() if name in edited
    }
    assert len(draft.changes()) == len(wanted)


@given(record=THINGS, edits=THINGS)
def test_a_stored_draft_is_typed_again(record: dict[str, object], edits: dict[str, object]) -> None:
    began = Draft.update(Thing, record)
    draft = began.with_stored(Draft.create(Thing, edits).values)
    again = began.with_stored(draft.storable_values())
    assert not again.differs_from(draft)
    assert again.differs_from(began) is bool(draft.storable_values())


@given(st.datetimes(max_value=datetime(9000, 1, 1)), st.integers(0, 1200))
def test_months_later_is_the_same_day_or_the_last_one(moment: datetime, months: int) -> None:
    later = months_later(moment, months)
    assert (later.year - moment.year) * 12 + later.month - moment.month == months
    assert later.day <= moment.day
    assert later.day == moment.day or (later + timedelta(days=1)).day == 1
    assert later.time() == moment.time()


# ---- what is sent ----


def test_a_new_record_sends_only_what_was_filled_in_or_switched() -> None:
    draft = typed(Draft.create(Thing), name="Spring", vendor="bing", starred="false", link="")
    assert body(draft).given() == {"name": "Spring", "vendor": "bing", "starred": False}


def test_cleared_is_not_left_alone() -> None:
    draft = typed(Draft.update(Thing, THING), link="")
    assert body(draft).given() == {"name": "Spring", "vendor": "bing", "link": ""}
    assert draft.changes() == (FieldChange("Link", "https://example.org", ""),)


def test_a_flag_switched_off_is_sent() -> None:
    draft = typed(Draft.update(Thing, THING), starred="false")
    assert body(draft).given()["starred"] is False
    assert draft.changes() == (FieldChange("Starred", "yes", "no"),)


def test_what_is_emptied_although_it_is_needed_is_faulted() -> None:
    assert problems(typed(Draft.update(Thing, THING), name="")) == {"name": "this cannot be empty"}


def test_a_color_is_sent_and_shown_as_the_reference_spells_it() -> None:
    draft = typed(Draft.update(Thing, THING), color="rgb(1, 2, 3)", backdrop="#0f0")
    assert draft.changes() == (
        FieldChange("Color", "#FF8800", "#010203"),
        FieldChange("Backdrop", None, "rgb(0,255,0)"),
    )


def test_the_same_color_in_another_spelling_is_no_change() -> None:
    assert typed(Draft.update(Thing, THING), color="#ff8800").changes() == ()


def test_a_draft_holds_the_text_of_the_service_and_sends_none_that_nobody_touched() -> None:
    draft = Draft.update(Thing, {**THING, "notes": "one↵two\r\nthree\u200f"})
    assert draft.text("notes") == "one↵two\r\nthree\u200f"
    assert draft.changes() == ()
    assert "notes" not in body(typed(draft, name="Other")).given()


def test_what_was_left_to_the_service_is_not_known_and_what_is_empty_is() -> None:
    values = {"name": "News", "color": ""}
    told = Draft.update(ChannelUpdate, values).with_text("color", "#ff8800")
    chosen = Draft.update(ChannelUpdate, values, {"color"}).with_text("color", "#ff8800")
    assert [change.before for change in (*told.changes(), *chosen.changes())] == ["", None]


def test_a_record_is_named_in_the_difference() -> None:
    changes = typed(Draft.update(Thing, THING), plan="3").changes({"plans": {"2": "Free", "3": "Pro"}})
    assert changes == (FieldChange("Plan", "Free", "Pro"),)


# ---- what is wrong ----


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        ("name", "", "Required"),
        ("name", "  ", "this cannot be empty"),
        ("vendor", "nobody", "choose one from the list"),
        ("link", "example.org", "use a full address, starting with http:// or https://"),
        ("email", "a@b", "use an e-mail address such as name@example.org"),
        ("color", "reddish", "use #RRGGBB"),
        ("expires", "2025", "use YYYY-MM-DD or YYYY-MM-DD HH:MM:SS"),
        ("expires", "soon", "use YYYY-MM-DD or YYYY-MM-DD HH:MM:SS"),
        ("expires", "0000-00-00", "use YYYY-MM-DD or YYYY-MM-DD HH:MM:SS"),
        ("plan", "Pro", "no match: choose one of the list, or type an id"),
        ("count", "-1", "must be 0 or more"),
        ("password", "abc", "at least 5 characters"),
    ],
)
def test_a_problem_is_said_in_plain_words(path: str, text: str, message: str) -> None:
    draft = Draft.create(Thing, {"name": "x", "vendor": "bing"}).with_text(path, text)
    if path == "password":
        draft = typed(draft, password__again=text)
    assert problems(draft) == {path: message}


def test_everything_that_is_wrong_is_said_at_once() -> None:
    assert problems(typed(Draft.create(Thing), link="x")).keys() == {"name", "vendor", "link"}


def test_a_password_is_typed_twice() -> None:
    draft = typed(Draft.create(Thing), name="x", vendor="bing", password="secret")
    assert problems(draft) == {"password.again": "does not match"}
    sent = body(typed(draft, password__again="secret"))
    assert sent.given()["password"] == "secret"
    assert "password.again" not in sent.given()


def test_secrets_are_masked_and_never_stored() -> None:
    draft = typed(Draft.update(Thing, THING), password="hush!", password__again="hush!")
    assert draft.changes() == (FieldChange("Password", None, MASK),)
    assert draft.storable_values() == {}
    assert "hush" not in repr(draft)
    wifi = typed(Draft.create(Code), type="wifi", data__wifi__ssid="home", data__wifi__password="hush!")
    assert wifi.with_text("type", "link").storable_values() == {"type": "link", "data.wifi.ssid": "home"}
    assert [change.after for change in wifi.changes()] == ["wifi", "home", "WPA", MASK]


def test_a_secret_of_the_record_is_not_put_into_the_form() -> None:
    assert Draft.update(Thing, {**THING, "password": "hush!"}).text("password") == ""


# ---- payloads ----


def test_a_payload_asks_for_what_its_type_needs() -> None:
    draft = Draft.create(Code)
    assert [item.name for item in draft.fields] == ["type", "logo"]
    assert problems(draft) == {"type": "Required"}
    assert problems(draft.with_text("type", "url")) == {"type": "choose one from the list"}
    wifi = typed(draft, type="wifi")
    assert [item.name for item in wifi.fields] == [
        "type",
        "data.wifi.ssid",
        "data.wifi.encryption",
        "data.wifi.password",
        "data.wifi.hidden",
        "logo",
    ]
    assert problems(wifi) == {
        "data.wifi.ssid": "Required",
        "data.wifi.password": "an encrypted network needs a password",
    }


def test_what_was_typed_for_another_type_is_kept_and_not_sent() -> None:
    draft = typed(Draft.create(Code), type="text", data__text__text="hello", logo="a.png")
    other = typed(draft, type="link", data__link__link="https://example.org")
    assert body(other).given() == {"type": "link", "data": "https://example.org", "logo": "a.png"}
    assert body(typed(other, type="text")).given()["data"] == "hello"


def test_a_network_is_sent_as_an_object() -> None:
    draft = typed(Draft.create(Code), type="wifi", data__wifi__ssid="home", data__wifi__password="hush!")
    assert body(draft).given()["data"] == {"ssid": "home", "encryption": "WPA", "password": "hush!"}
    assert isinstance(draft.payload("data"), WifiPayload)
    assert draft.with_text("data.wifi.ssid", "").payload("data") is None


def test_the_type_is_asked_for_where_the_body_has_none() -> None:
    draft = Draft.update(CodeChange, {"logo": "a.png"})
    assert [item.name for item in draft.fields] == ["type", "logo"]
    draft = typed(draft, type="link", data__link__link="https://example.org")
    assert body(draft).given() == {"data": "https://example.org"}
    assert draft.changes() == (FieldChange("Target", None, "https://example.org"),)


def test_a_known_payload_is_filled_in() -> None:
    draft = Draft.update(CodeChange, {"type": "link", "data": "https://example.org"})
    assert draft.text("data.link.link") == "https://example.org"
    assert draft.changes() == ()
    assert body(draft).given() == {"data": "https://example.org"}


def test_a_payload_that_cannot_be_read_is_left_empty() -> None:
    assert Draft.update(CodeChange, {"type": "link", "data": {"a": "b"}}).values == {"type": "link"}


def test_texts_of_unknown_inputs_are_dropped() -> None:
    draft = Draft.create(Thing).with_stored({"name": "x", "gone": "y", "data.wifi.ssid": "z"})
    assert draft.values == {"name": "x"}


def test_every_kind_of_a_request_is_covered_here() -> None:
    kinds = {item.kind for item in (*fields_of(Thing), *fields_of(Code))}
    read_only = {Kind.IDENTIFIER, Kind.COUNT, Kind.DAY, Kind.NESTED}
    assert kinds == set(Kind) - read_only


def test_choices_have_their_id_only_where_a_name_is_not_alone() -> None:
    labels = choice_labels([(1, "Pro"), (2, "Free"), (3, "Pro"), (4, "")])
    assert labels == {"1": "Pro · 1", "2": "Free", "3": "Pro · 3", "4": " · 4"}
