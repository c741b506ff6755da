"""The content of QR codes: the data that is sent, and the text that is scanned."""

import re
from typing import get_args
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from linkdash.api.fields import Kind, fields_of
from linkdash.api.qr_payloads import (
    PAYLOADS,
    EmailPayload,
    LinkPayload,
    Payload,
    PhonePayload,
    SmsPayload,
    TextPayload,
    VcardPayload,
    WifiPayload,
    payload_from,
)
from linkdash.api.resources.qr import QrType

VALID: dict[str, st.SearchStrategy[str]] = {
    "to": st.sampled_from(["a@example.org", "x+y@mail.example"]),
    "email": st.sampled_from(["", "a@example.org"]),
    "link": st.sampled_from(["https://example.org", "http://go.example/?a=b&c"]),
    "website": st.sampled_from(["", "https://example.org"]),
    "phone": st.sampled_from(["+49 30 1234567", "(030) 12-34", "112"]),
    "encryption": st.sampled_from(["WPA", "WEP", "none"]),
}
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)


@st.composite
def payloads(draw: st.DrawFn) -> tuple[str, Payload]:
    type_ = draw(st.sampled_from(sorted(PAYLOADS)))
    members: dict[str, object] = {}
    for field in fields_of(PAYLOADS[type_]):
        strategy = st.booleans() if field.kind is Kind.FLAG else VALID.get(field.name, ANY_TEXT)
        if value := draw(strategy):
            members[field.name] = value
    return type_, PAYLOADS[type_].model_validate(members)


def test_every_type_of_the_reference_has_a_payload() -> None:
    assert set(PAYLOADS) == set(get_args(QrType))


@given(payloads())
def test_data_is_read_back_as_the_same_payload(made: tuple[str, Payload]) -> None:
    type_, payload = made
    data = payload.data()
    assert isinstance(data, str) is (type_ in {"text", "link", "phone"})
    assert payload_from(type_, data) == payload


@pytest.mark.parametrize(
    ("type_", "data"), [("fax", "1"), ("wifi", "x"), ("text", {"text": "x"}), ("link", "x")]
)
def test_data_of_another_type_is_refused(type_: str, data: str | dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        payload_from(type_, data)


@given(name=ANY_TEXT, password=ANY_TEXT)
def test_a_network_is_read_as_scanners_do(name: str, password: str) -> None:
    content = WifiPayload.model_validate({"ssid": name, "password": password, "hidden": True}).content()
    parts = re.findall(r"([TSPH]):((?:\\.|[^\\;])*);", content.removeprefix("WIFI:"), re.DOTALL)
    read = {key: re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL) for key, value in parts}
    assert read == {"T": "WPA", "S": name, "P": password, "H": "true"}


def test_an_open_network_has_no_password() -> None:
    payload = WifiPayload.model_validate({"ssid": "Café; 1", "encryption": "none", "password": "left over"})
    assert payload.content() == r"WIFI:T:nopass;S:Café\; 1;;"
    assert payload.data() == {"ssid": "Café; 1", "encryption": "none"}


def test_an_encrypted_network_needs_a_password() -> None:
    with pytest.raises(ValidationError) as caught:
        WifiPayload.model_validate({"ssid": "home"})
    assert [error["loc"] for error in caught.value.errors()] == [("password",)]


def test_a_network_password_is_in_no_repr() -> None:
    assert "hush" not in repr(WifiPayload.model_validate({"ssid": "home", "password": "hush"}))


@given(subject=ANY_TEXT, body=ANY_TEXT)
def test_an_email_is_read_as_an_address_of_a_message(subject: str, body: str) -> None:
    content = EmailPayload(to="x+y@example.org", subject=subject, body=body).content()
    parts = urlsplit(content)
    members = parse_qs(parts.query, strict_parsing=True, keep_blank_values=True)
    assert (parts.scheme, unquote(parts.path)) == ("mailto", "x+y@example.org")
    assert members["subject"] == [subject]
    lines = members["body"][0].split("\r\n")
    assert "\n".join(lines) == body.replace("\r\n", "\n").replace("\r", "\n")


def test_plain_contents() -> None:
    assert TextPayload(text="a\nb").content() == "a\nb"
    assert LinkPayload(link=" https://example.org ").content() == "https://example.org"
    assert PhonePayload(phone="+49 (30) 12-34").content() == "tel:+49301234"
    assert SmsPayload(phone="112", message="see: https://e.org").content() == "SMSTO:112:see: https://e.org"
    assert EmailPayload(to="a@example.org").content() == "mailto:a@example.org"


def test_a_card_escapes_what_would_end_a_value() -> None:
    card = VcardPayload(name="Doe; Jane", phone="112", address="1, High St\nTown")
    assert card.content().split("\r\n") == [
        "BEGIN:VCARD",
        "VERSION:3.0",
        r"N:Doe\; Jane;;;;",
        r"FN:Doe\; Jane",
        "TEL:112",
        r"ADR:;;1\, High St\nTown;;;;",
        "END:VCARD",
        "",
    ]


@pytest.mark.parametrize("phone", ["", "++1", "call me", "+", "12 ext", "1x2x3", "+49 call 12"])
def test_a_phone_number_has_digits(phone: str) -> None:
    with pytest.raises(ValidationError):
        PhonePayload(phone=phone)


@pytest.mark.parametrize(
    ("pasted", "number", "dialled"),
    [
        ("+49\u00a030\u202f1234567", "+49 30 1234567", "+49301234567"),
        ("+49 30 1234\u2013567", "+49 30 1234-567", "+49301234567"),
        ("\u202a+49 30 1234\u2011567\u202c", "+49 30 1234-567", "+49301234567"),
        ("+1 (555) 123\u22124567 ext. 12", "+1 (555) 123-4567;ext=12", "+15551234567;ext=12"),
        ("+1 555 1234567 x12", "+1 555 1234567;ext=12", "+15551234567;ext=12"),
        ("+1 555 1234567;ext=12", "+1 555 1234567;ext=12", "+15551234567;ext=12"),
        ("030 1234 Durchwahl 5", "030 1234;ext=5", "0301234;ext=5"),
        ("+49 (0)30 1234567", "+49 30 1234567", "+49301234567"),
        ("tel:+49-30-1234567", "+49-30-1234567", "+49-30-1234567".replace("-", "")),
        ("\uff11\uff12\uff13", "123", "123"),
        ("*100#", "*100#", "*100#"),
    ],
)
def test_a_phone_number_is_read_as_people_paste_it(pasted: str, number: str, dialled: str) -> None:
    payload = PhonePayload(phone=pasted)
    assert payload.data() == number
    assert payload.content() == f"tel:{dialled}"
    assert PhonePayload(phone=number) == payload
