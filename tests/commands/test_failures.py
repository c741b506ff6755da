"""Failures as they are said: to the user with what may have been meant, to a program as JSON."""

import json
import time

import pytest

from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from tests.commands.shell import PROGRAM, Here, run


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


def outcomes(out: str) -> list[object]:
    return [line["outcome"] for line in json.loads(out)]


def test_a_program_reads_outcomes_as_json(here: Here, service: Running) -> None:
    ran = here("create", "pixels", "type=bing", "name=Read by jq", "tag=98700001", "--format", "json")
    made = json.loads(ran.out)
    assert (ran.status, ran.told, made["outcome"], made["answer"]["id"]) == (0, "", "done", made["id"])
    id = str(made["id"])
    ran = here("update", "pixels", id, "name=Once", "--format", "json")
    assert (ran.status, json.loads(ran.out)["outcome"]) == (0, "done")
    change = here("journal", "--limit", "1", "--format", "jsonl").lines[0]["id"]
    ran = here("undo", str(change), "--yes", "--format", "json")
    assert (ran.status, json.loads(ran.out)["outcome"]) == (0, "done")
    ran = here("subscribe", "6", "2", "--term", "monthly", "--yes", "--format", "json")
    assert (ran.status, json.loads(ran.out)["outcome"]) == (0, "done")
    ran = here("update", "pixels", "--filter", f"id:{id}", "name=Twice", "--yes", "--format", "json")
    assert (ran.status, outcomes(ran.out)) == (0, ["done"])
    for none in (["update", "pixels", "name=Twice"], ["delete", "pixels"]):
        ran = here(*none, "--filter", "name:nowhere", "--yes", "--format", "json")
        assert (ran.status, json.loads(ran.out)) == (0, [])
    shown = json.loads(here("delete", "pixels", id, "--dry-run", "--format", "json").out)
    assert shown == [{"method": "DELETE", "path": f"/api/pixel/{id}/delete", "body": None}]
    ran = here("delete", "pixels", id, "--yes", "--format", "json")
    assert (ran.status, outcomes(ran.out)) == (0, ["done"])
    assert here("assign", "channel", "1", "qr:1", "--yes", "--format", "jsonl").lines[0]["outcome"] == "done"


def test_a_program_reads_why_a_change_failed(here: Here, service: Running) -> None:
    quiet = ("--yes", "--quiet", "--format", "json")
    ran = here("subscribe", "6", "999", "--term", "monthly", *quiet)
    assert (ran.status, failure(ran.told)["code"]) == (3, "rejected")
    ran = here("delete", "pixels", "99998", "99999", *quiet)
    assert (ran.status, outcomes(ran.out)) == (3, ["rejected", "rejected"])
    assert (failure(ran.told)["status"], failure(ran.told)["retriable"]) == (3, False)
    service.service.faults.next("POST", "/api/channel/2/assign/qr/*", Fault(drop=True))
    ran = here("assign", "channel", "2", "qr:1", "qr:2", *quiet)
    assert (ran.status, outcomes(ran.out)) == (4, ["unknown", "done"])
    told = failure(ran.told)
    assert (told["code"], told["retriable"]) == ("outcome_unknown", False)
    assert "journal --check" in str(told["advice"])
    here("journal", "--check")
    gone = {"LINKDASH_BASE_URL": "http://127.0.0.1:9"}
    ran = here("delete", "pixels", "1", "2", *quiet, set=gone)
    assert (ran.status, failure(ran.told)["code"], failure(ran.told)["retriable"]) == (1, "not_sent", True)
    ran = here("delete", "pixels", "1", "--format", "json")
    assert (ran.status, failure(ran.told)["code"]) == (2, "wrong_usage")


def test_a_single_change_has_the_status_of_its_error(here: Here, service: Running) -> None:
    busy = Fault(handled=False, status=429, content=b'{"error": 1, "message": "Slow down."}')
    service.service.faults.next("POST", "/api/pixel/add", busy)
    ran = here("create", "pixels", "type=bing", "name=x", "tag=98700002", "--format", "json")
    told = failure(ran.told)
    assert (ran.status, told["code"], told["retriable"], told["status"]) == (1, "rate_limited", True, 1)


def test_quiet_says_what_went_wrong(here: Here) -> None:
    gone = {"LINKDASH_BASE_URL": "http://127.0.0.1:9"}
    for line in ("delete pixels 99999 --yes", "delete pixels 1 --yes", "collect --qr 99999"):
        ran = here(*line.split(), "--quiet", set=gone if " 1 " in line else {})
        assert ran.status
        assert ran.told.startswith("linkdash: "), line
    assert here("assign", "channel", "1", "qr:1", "--yes", "--quiet").told == ""


def test_what_failed_among_others_is_named_once(here: Here) -> None:
    told = here("stats", "1", "99999").told.splitlines()
    assert told == ["linkdash: QR code 99999 was not found."]
    found = failure(here("stats", "1", "99999", "--format", "json").told)
    assert (found["message"], found["status"]) == ("QR code 99999 was not found.", 3)


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("subscribe 331 pro --term monthly", "PLAN: must be an id such as 12; linkdash list shows them"),
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


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("list pixels --sort -name", "expected one argument; write --sort=VALUE for one that begins with"),
        ("list pixels --filter -x", "write --filter=VALUE"),
        ("create pixels type=bing name=x name=y tag=1", "name is given twice."),
        ("report --since 7d --from 2026-11-01", "--since cannot be combined with --from or --to."),
        ("report --since 7d --to 2026-11-01", "cannot be combined"),
        ("get pixels ١", "must be an id such as 12"),
        ("demo-server --port 0 --rate 0", "argument --rate: must be a whole number"),
        ("create pixels type=bing name=\udcff tag=1", "must be text in UTF-8"),
        ("update pixels 1 name=\udcff", "must be text in UTF-8"),
        ("list pixels --filter \udcff", "must be text in UTF-8"),
    ],
)
def test_what_would_surprise_is_refused(here: Here, service: Running, line: str, words: str) -> None:
    before = len(service.service.log)
    ran = here(*line.split())
    assert (ran.status, len(service.service.log)) == (2, before), ran.told
    assert words in ran.told


def test_a_text_is_the_user_s_in_every_locale(service: Running) -> None:
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    made = run(service, "create", "pixels", "type=bing", "name=東京 é", "tag=98700003", **ascii_only)
    assert made.status == 0, made.told
    found = run(service, "list", "pixels", "--filter", 'name:"東京 é"', "--format", "jsonl", **ascii_only)
    assert [line["name"] for line in found.lines] == ["東京 é"]


def test_content_of_no_known_shape_has_one_reason(here: Here) -> None:
    ran = here("create", "qr", "type=link", "data=[1]")
    assert ran.told == "linkdash: data: this type needs a text. Nothing was sent.\n"


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="TZ is heard of here at the start only")
def test_a_time_zone_that_cannot_be_is_utc(service: Running) -> None:
    ran = run(service, "journal", program=PROGRAM, TZ="UTC+99")
    assert (ran.status, ran.told) == (0, "linkdash: TZ is not a time zone; times are in UTC.\n")
