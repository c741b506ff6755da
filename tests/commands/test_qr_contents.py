"""The content of a code is refused alike by every way in; colors that no scanner reads are asked about."""

import csv
import json
from pathlib import Path

import pytest

from linkdash.api.endpoints import body_of
from linkdash.api.errors import InvalidBody
from linkdash.api.resources.qr import QrCreate, QrUpdate, colors_problem
from linkdash.demo.server import Running
from tests.commands.shell import Here
from tests.service.writes import writes

URL = "use a full address, starting with http:// or https://"
REFUSED = [
    ("link", "shop.example.org/spring?utm_source=flyer", URL),
    ("link", "htps://shop.example.org/typo", URL),
    ("link", "https://shop.example.org/a b", URL),
    ("phone", "call us", "use a phone number such as +49 30 1234567"),
    ("email", "not-an-address", "this type needs an object with to, subject, body"),
    ("email", {"to": "not-an-address"}, "to: use an e-mail address such as name@example.org"),
    ("wifi", "MyGuestNet", "this type needs an object with ssid, encryption, password, hidden"),
    ("wifi", {"ssid": "Guests"}, "password: an encrypted network needs a password"),
    ("wifi", {"name": "Guests"}, "name is unknown; its members: ssid, encryption, password, hidden"),
    ("sms", {"message": "hello"}, "phone: required"),
    ("vcard", {"name": "Jane", "website": "example"}, f"website: {URL}"),
    ("text", {"text": "x"}, "this type needs a text"),
    ("text", " ", "this cannot be empty"),
    ("link", ["https://example.org"], "this type needs a text"),
]


@pytest.fixture
def here(service: Running, capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(service, capsys)


@pytest.mark.parametrize(("type_", "data", "words"), REFUSED)
def test_a_content_is_refused_by_library_and_verb_and_import(
    here: Here, service: Running, tmp_path: Path, type_: str, data: object, words: str
) -> None:
    before = writes(service)
    with pytest.raises(InvalidBody) as caught:
        body_of(QrCreate, {"type": type_, "data": data})
    if data != " ":
        assert words in str(caught.value)
    text = data if isinstance(data, str) else json.dumps(data)
    ran = here("create", "qr", f"type={type_}", f"data={text}", "--yes")
    assert (ran.status, words in ran.told) == (3, True), ran.told
    path = tmp_path / "codes.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["type", "data"], [type_, text]])
    ran = here("import", "qr", str(path), "--yes")
    assert ran.status == 3
    assert (words if text.strip() else "required") in " ".join(ran.out.split())
    assert writes(service) == before


@pytest.mark.parametrize("data", [{"ssid": "x"}, {"to": "x"}, {"name": ""}, {"phone": "call"}, {}, [], "", 5])
def test_a_new_content_of_a_code_is_one_that_a_code_can_have(data: object) -> None:
    with pytest.raises(InvalidBody):
        body_of(QrUpdate, {"data": data})


@pytest.mark.parametrize(
    "data",
    [
        "any text",
        {"ssid": "x", "encryption": "none"},
        {"to": "a@b.example"},
        {"name": "Jane"},
        {"phone": "112"},
    ],
)
def test_the_members_of_a_new_content_say_of_which_type_it_is(data: object) -> None:
    assert body_of(QrUpdate, {"data": data}).given() == {"data": data}


def test_what_is_sent_is_what_the_form_sends(here: Here) -> None:
    ran = here(
        "create",
        "qr",
        "type=wifi",
        'data={"ssid": " Guests ", "password": " a b ", "hidden": true}',
        "--dry-run",
    )
    assert '"data": {"ssid": "Guests", "encryption": "WPA", "password"' in ran.out
    ran = here("create", "qr", "type=phone", "data=+49\u00a030 1234\u20135", "--dry-run")
    assert '"data": "+49 30 1234-5"' in ran.out


YELLOW = ["foreground=#ffff00", "background=#ffffff"]


def test_colors_that_no_scanner_reads_are_asked_about(here: Here, service: Running, tmp_path: Path) -> None:
    create = ["create", "qr", "type=text", "data=x", *YELLOW]
    before = len(writes(service))
    ran = here(*create)
    assert (ran.status, len(writes(service))) == (2, before)
    assert "contrast 1.1, 4 is needed" in ran.told
    assert "Scanners may not read" in here(*create, "--dry-run").told
    made = here(*create, "--yes")
    assert made.status == 0
    ran = here("update", "qr", str(made.lines[0]["id"]), "data=y", "background=#000000")
    assert (ran.status, len(writes(service))) == (2, before + 1)
    path = tmp_path / "codes.csv"
    path.write_text("type,data,foreground\ntext,x,#ffff00\n")
    ran = here("import", "qr", str(path), "--dry-run")
    assert "Row 2: Scanners may not read a code of these colors" in ran.told


def test_dark_on_light_is_fine_and_light_on_dark_is_not() -> None:
    assert (
        colors_problem("", "") == colors_problem("#336", "") == colors_problem("", "rgb(255,255,200)") == ""
    )
    assert colors_problem("#fff", "#000") != ""
    assert colors_problem("", "#333") != ""
