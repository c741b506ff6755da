"""Failures as they are said: to the user with what may have been meant, to a program as JSON."""

import json

import pytest

from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from tests.commands.shell import Here


@pytest.fixture
def here(service: Running, capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(service, capsys)


def failure(told: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(told)["error"]
    assert set(found) == {"code", "message", "advice", "retriable", "status"}
    return found


def test_a_program_reads_failures_as_json(here: Here, service: Running) -> None:
    found = failure(here("get", "qr", "99999", "--format", "json").told)
    assert (found["code"], found["retriable"], found["status"]) == ("rejected", False, 3)
    service.service.faults.next("GET", "/api/domains", Fault(status=503, content=b"{}"), times=3)
    found = failure(here("list", "domains", "--format", "jsonl").told)
    assert (found["retriable"], found["message"]) == (True, found["message"])
    found = failure(here("list", "domains", "--columns", "nam", "--format", "json").told)
    assert (found["code"], found["status"]) == ("wrong_usage", 2)
    assert found["advice"].startswith("Columns: ")  # type: ignore[attr-defined]
    found = failure(here("list", "domains", "--format=json", "--limt", "3").told)
    assert found["code"] == "wrong_usage"
    assert "did you mean --limit?" in str(found["message"])
    gone = {"LINKDASH_BASE_URL": "http://127.0.0.1:9"}
    found = failure(here("get", "account", "--format", "json", set=gone).told)
    assert (found["code"], found["retriable"]) == ("not_sent", True)
    assert here("export", "pixels", "-", "--format", "json", set=gone).told.startswith("linkdash: ")


def test_what_failed_among_others_is_named_once(here: Here) -> None:
    told = here("stats", "1", "99999").told.splitlines()
    assert told == ["linkdash: QR code 99999 was not found."]
    found = failure(here("stats", "1", "99999", "--format", "json").told)
    assert (found["message"], found["status"]) == ("QR code 99999 was not found.", 3)


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("lst qr", "did you mean list?"),
        ("list pixel", "did you mean pixels?"),
        ("list qr --fliter x", "did you mean --filter?"),
        ("list pixels --columns nmae", "did you mean name?"),
        ("list pixels --sort=nmae", "did you mean name?"),
        ("create pixels nmae=x", "did you mean name?"),
        ("journal shw", "did you mean show?"),
    ],
)
def test_a_slip_of_a_finger_is_seen(here: Here, line: str, hint: str) -> None:
    ran = here(*line.split())
    assert ran.status == 2
    assert hint in ran.told


def test_no_value_of_a_flag_is_repeated(here: Here) -> None:
    ran = here("list", "qr", "--api-key=s3cret", "s3cret")
    assert ran.status == 2
    assert "s3cret" not in ran.told
