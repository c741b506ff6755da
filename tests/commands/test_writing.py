"""`create`, `update`, `delete`, `assign`, `subscribe`, `journal`: sent once; how it ended is the status."""

import json
import signal
from collections import Counter
from itertools import count
from pathlib import Path

import pytest

from linkdash.demo import DemoSettings
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running, serve_in_thread
from linkdash.model.writes import guard
from linkdash.store.journal_table import INTERRUPTED
from tests.commands.shell import Here, Person, Ran, run, start
from tests.service.visitor import Visitor
from tests.service.writes import writes
from tests.waiting import wait_here_until

_TAGS = count(40_000_000)  # no two pixels of a type have one

LOST = Fault(drop=True)
"""The service did it, and its answer is lost."""


@pytest.fixture
def here(service: Running, capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(service, capsys)


def created(here: Here, name: str = "Shop") -> int:
    ran = here("create", "pixels", "type=bing", f"name={name}", f"tag={next(_TAGS)}")
    assert ran.status == 0, ran.told
    id = ran.lines[0]["id"]
    assert isinstance(id, int)
    return id


def test_a_record_is_created_changed_and_deleted_in_a_shell(service: Running) -> None:
    made = run(service, "create", "pixels", "type=Facebook", "name=Shop", "tag=123456789012345")
    assert (made.status, made.told) == (0, "")
    id = str(made.lines[0]["id"])
    (line,) = made.lines
    answer = line.pop("answer")
    assert line == {"outcome": "done", "what": "create pixel 'Shop'", "id": int(id)}
    assert isinstance(answer, dict)
    assert answer["id"] == int(id)
    assert run(service, "update", "pixels", id, "tag=543210987654321").status == 0
    with Visitor(service, service.api_key) as visitor:
        rows = visitor.read("/api/pixels?limit=100")["data"]["pixels"]
        found = next(row for row in rows if str(row["id"]) == id)
        assert (found["type"], found["tag"]) == ("fbpixel", "543210987654321")
    ran = run(service, "delete", "pixels", id)
    assert (ran.status, ran.out) == (2, "")
    assert "Add --yes. Nothing was sent." in ran.told
    assert run(service, "delete", "pixels", id, "--yes").status == 0


def test_what_the_service_says_of_a_new_record_is_told_whole(here: Here) -> None:
    code = here("create", "qr", "type=link", "data=https://x.example").lines[0]["answer"]
    campaign = here("create", "campaigns", "name=Told whole", "slug=told-whole").lines[0]["answer"]
    user = here("create", "users", "username=told", "email=t@x.example", "password=-", typed="swordfish-9\n")
    assert "://" in str(dict(code)["link"])  # type: ignore[call-overload]  # JSON, whose shape is tested here
    assert "rotator" in str(campaign)
    assert (user.status, "swordfish" in user.out + user.told) == (0, False)


def test_what_is_always_sent_is_the_record_s_own_as_it_is_now(here: Here, service: Running) -> None:
    id = created(here)
    with Visitor(service, service.api_key) as visitor:
        visitor.write("PUT", f"/api/pixel/{id}/update", {"tag": "87654321"})
    assert here("update", "pixels", str(id), "name=Other").status == 0
    found = here("get", "pixels", str(id), "--format", "jsonl").lines[0]
    assert (found["name"], found["tag"]) == ("Other", "87654321")


def test_a_dry_run_shows_the_request_and_sends_nothing(here: Here, service: Running) -> None:
    before = len(service.service.log)
    for arguments, shown in [
        (["create", "pixels", "type=bing", "name=x", "tag=12345678"], "POST /api/pixel/add {"),
        (["update", "pixels", "3", "name=x", "tag=12345678"], "PUT /api/pixel/3/update {"),
        (["delete", "pixels", "3", "4", "3"], "DELETE /api/pixel/3/delete\nDELETE /api/pixel/4/delete"),
        (["assign", "channel", "3", "qr:4"], "POST /api/channel/3/assign/qr/4"),
        (["assign", "campaign", "3", "4"], "POST /api/campaign/3/assign/4"),
        (["subscribe", "3", "2", "--term", "yearly"], "PUT /api/plan/2/user/3 {"),
        (["update", "account", "email=a@example.org"], "PUT /api/account/update {"),
    ]:
        ran = here(*arguments, "--dry-run", "--read-only")
        assert (ran.status, ran.told) == (0, "linkdash: Nothing was sent: --dry-run.\n"), ran.told
        assert ran.out.startswith(shown), ran.out
        assert ran.out.count("/api/") == shown.count("/api/"), "each once, also where it is named twice"
    assert len(service.service.log) == before


def test_a_secret_is_read_and_never_shown(here: Here) -> None:
    member = ["create", "users", "username=x", "email=x@example.org"]
    ran = here(*member, "password=-", "--dry-run", typed="hunter22\n")
    assert (ran.status, "hunter22" in ran.out + ran.told) == (0, False)
    ran = here(*member, "password=hunter22")
    assert (ran.status, "hunter22" in ran.out + ran.told) == (2, False)


def test_read_only_is_refused_before_anything(here: Here, service: Running) -> None:
    before = len(service.service.log)
    for arguments in (
        ["create", "pixels", "type=bing", "name=x", "tag=1"],
        ["update", "account", "password=-"],
        ["delete", "pixels", "1", "2", "--yes"],
        ["assign", "campaign", "1", "2"],
        ["subscribe", "1", "2", "--term", "yearly"],
    ):
        ran = here(*arguments, "--read-only")
        assert (ran.status, ran.told) == (1, "linkdash: This run is read-only. Nothing was sent.\n")
    assert len(service.service.log) == before
    assert here("journal", "--format", "jsonl", "--read-only").lines == []


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["create", "pixels", "type=bing"], 3, "name: required"),
        (["create", "pixels", "type=nonsense", "name=x", "tag=1"], 3, "type: "),
        (["create", "pixels", "kind=bing"], 2, "'kind' is not a field. Use NAME=VALUE; fields: type,"),
        (["create", "pixels"], 2, "No fields are given."),
        (["create", "plans", "name=x"], 2, "The service offers no way to create plans."),
        (["update", "pixels", "x", "name=y"], 2, "The id of a pixel must be"),
        (["assign", "channel", "1", "12"], 2, "'12' is not an item. Use qr:12, links:7 or bio:3."),
        (["assign", "campaign", "1", "qr:12"], 2, "Only links can be assigned to campaigns"),
        (["create", "qr", "type=link", "data={"], 3, "data: this is not valid JSON."),
    ],
)
def test_what_cannot_be_sent_is_told_in_one_line(
    here: Here, service: Running, arguments: list[str], status: int, words: str
) -> None:
    before = len(service.service.log)
    ran = here(*arguments)
    assert (ran.status, ran.out, ran.told.count("\n")) == (status, "", 1), ran.told
    assert words in ran.told
    assert len(service.service.log) == before


def test_a_refusal_of_the_service_has_its_own_status(here: Here) -> None:
    ran = here("delete", "pixels", "99999", "--yes")
    assert (ran.status, ran.lines[0]["outcome"]) == (3, "rejected")
    missing = here("update", "pixels", "99999", "name=x")
    assert (missing.status, missing.out) == (3, "")


def test_an_unknown_outcome_is_told_and_can_be_found_out(here: Here, service: Running) -> None:
    service.service.faults.next("POST", "/api/pixel/add", LOST)
    ran = here("create", "pixels", "type=bing", "name=Lost", "tag=99345678")
    assert (ran.status, ran.lines[0]["outcome"]) == (4, "unknown")
    assert "linkdash journal --check" in ran.told
    assert here("journal", "--unknown", "--format", "jsonl").lines[0]["outcome"] == "unknown"
    checked = here("journal", "--check", "--format", "jsonl")
    assert checked.lines[0]["outcome"] == "confirmed"
    assert here("journal", "--unknown", "--format", "jsonl").lines == []
    assert here("journal").out.startswith("Id")


def assigned(service: Running, channel: int) -> Counter[int]:
    """Return how often each item is in a channel."""
    with Visitor(service, service.api_key) as visitor:
        rows = visitor.read(f"/api/channel/{channel}?limit=100")["data"]["items"]
    return Counter(row["id"] for row in rows)


@pytest.mark.parametrize("handled", [True, False])
def test_after_a_lost_answer_and_a_look_the_same_command_sends_only_what_was_not_done(
    here: Here, service: Running, handled: bool
) -> None:
    channel = here("create", "channels", f"name=Lost {handled}").lines[0]["id"]
    assert isinstance(channel, int)
    command = ["assign", "channel", str(channel), *(f"qr:{id}" for id in range(1, 7)), "--yes"]
    service.service.faults.next(
        "POST", f"/api/channel/{channel}/assign/qr/3", Fault(drop=True, handled=handled)
    )
    before = len(writes(service))
    assert here(*command).status == 4
    early = here(*command)
    assert (early.status, len(writes(service)) - before) == (4, 6), "what is unknown is not sent"
    checked = here("journal", "--check", "--format", "jsonl")
    (line,) = checked.lines
    assert (line["outcome"], checked.status) == ("confirmed" if handled else "not done", 0)
    again = here(*command)
    assert (again.status, len(again.lines)) == (0, 6)
    assert len(writes(service)) - before == (6 if handled else 7)
    assert assigned(service, channel) == Counter(range(1, 7))
    assert ("nothing is sent" in again.told) is handled
    assert "No change is of unknown outcome." in here("journal", "--check").told


def test_what_was_rejected_is_tried_again_alone(here: Here, service: Running) -> None:
    ids = [created(here, f"Kept {number}") for number in range(3)]
    refused = Fault(handled=False, status=422, content=b'{"error": 1, "message": "Not now."}')
    service.service.faults.next("DELETE", f"/api/pixel/{ids[1]}/delete", refused)
    command = ["delete", "pixels", *map(str, ids), "--yes"]
    before = len(writes(service))
    assert here(*command).status == 3
    assert len(writes(service)) - before == 3
    again = here(*command)
    assert (again.status, len(writes(service)) - before) == (0, 4)
    assert writes(service)[-1] == f"DELETE /api/pixel/{ids[1]}/delete"


def test_what_could_not_be_sent_leaves_no_job(here: Here) -> None:
    nowhere = {"LINKDASH_BASE_URL": "http://127.0.0.1:9"}
    ran = here("delete", "pixels", "1", "--yes", set=nowhere)
    assert (ran.status, "0 done, 1 left" in ran.told) == (1, True)
    again = here("delete", "pixels", "1", "--yes", set=nowhere)
    assert "Going on" not in again.told


def test_many_are_a_job_with_a_line_for_each(here: Here, service: Running) -> None:
    ids = [created(here, f"Many {number}") for number in range(3)]
    ran = here("delete", "pixels", *map(str, ids), "99999", "--yes")
    assert ran.status == 3
    assert [line["outcome"] for line in ran.lines] == ["done", "done", "done", "rejected"]
    assert ran.told == "linkdash: Finished: 3 done, 1 rejected.\n"
    assigned = here("assign", "channel", "1", "qr:1", "qr:2", "--yes")
    assert [line["what"] for line in assigned.lines] == [
        "assign QR code 1 to channel 1",
        "assign QR code 2 to channel 1",
    ]


def test_a_subscription_that_takes_something_away_is_asked_about(here: Here, service: Running) -> None:
    end = "--expiration=2035-01-01 00:00:00"
    assert here("subscribe", "5", "3", "--term", "lifetime", end, "--yes").status == 0
    before = len(service.service.log)
    lowered = ("subscribe", "5", "2", "--term", "monthly")
    ran = here(*lowered)
    assert ran.status == 2
    assert (
        "Confirmation is needed to subscribe user 5 (greta.hansen) to plan 2 (Pro), monthly; Plan: "
        in ran.told
    )
    assert "Until: 2035-01-01 → about " in ran.told
    ran = here(*lowered, person=Person((lambda: None, "no")))
    assert (ran.status, "Until: 2035-01-01 → about " in ran.told) == (1, True), ran.told
    assert {entry.method for entry in [*service.service.log][before:]} == {"GET"}
    assert here(*lowered, "--yes").status == 0
    person = Person()
    assert here("subscribe", "5", "2", "--term", "yearly", person=person).status == 0
    assert person.asked == 0


@pytest.mark.parametrize("is_undo", [False, True], ids=["subscribe", "undo"])
def test_a_subscription_that_others_change_while_it_is_asked_about_is_asked_about_anew(
    here: Here, service: Running, monkeypatch: pytest.MonkeyPatch, *, is_undo: bool
) -> None:
    monkeypatch.setattr(guard, "FRESH_SECONDS", -1.0)
    end = "--expiration=2035-01-01 00:00:00"
    for plan in ("2", "3"):
        assert here("subscribe", "8", plan, "--term", "lifetime", end, "--yes").status == 0
    change = str(here("journal", "--limit", "1", "--format", "jsonl").lines[0]["id"])
    lowered = ("undo", change) if is_undo else ("subscribe", "8", "2", "--term", "monthly")
    with Visitor(service, service.api_key) as other:
        person = Person(
            (lambda: other.write("PUT", "/api/plan/1/user/8", {"type": "lifetime"}), "yes"),
            (lambda: None, "no"),
        )
        ran = here(*lowered, person=person)
        assert (ran.status, person.asked) == (3, 2), ran.told
        assert "changed on the service since" in ran.told
        assert "2 requests, now" in ran.told, "the user is read again"
        assert here("get", "users", "8", "--format", "jsonl").lines[0]["planid"] == 1
        assert here(*lowered, "--yes").status == 0, "by who has seen it"


def test_a_subscription_that_is_gone_on_with_keeps_what_it_replaces_now(here: Here, service: Running) -> None:
    refused = Fault(handled=False, status=422)
    service.service.faults.next("PUT", "/api/plan/2/user/7", refused)
    command = ("subscribe", "7", "2", "--term", "monthly", "--yes")
    assert here(*command).status == 3
    with Visitor(service, service.api_key) as other:
        other.write("PUT", "/api/plan/3/user/7", {"type": "lifetime"})
    ran = here(*command)
    assert (ran.status, "Resuming what was started" in ran.told) == (0, True), ran.told
    (newest,) = here("journal", "--limit", "1", "--format", "jsonl").lines
    before = newest["before"]
    assert isinstance(before, dict)
    assert before["planid"] == 3


@pytest.mark.nightly
def test_a_bulk_delete_that_is_interrupted_goes_on_and_repeats_nothing(tmp_path: Path) -> None:
    ids = [str(id) for id in range(1, 31)]
    with serve_in_thread(DemoSettings(rate=100_000)) as service:
        for id in ids[10:]:
            service.service.faults.next("DELETE", f"/api/pixel/{id}/delete", Fault(delay=0.2))
        process = start(service, "delete", "pixels", *ids, "--yes")
        assert process.stdout is not None
        first = [json.loads(process.stdout.readline()) for _ in range(12)]
        process.send_signal(signal.SIGTERM)
        out, told = process.communicate(timeout=60)
        assert process.returncode == 128 + signal.SIGTERM
        assert "Run the same command again to continue." in told
        done = len(first) + len(out.splitlines())
        assert 12 <= done < 30
        ran = run(service, "delete", "pixels", *ids, "--yes")
        assert (ran.status, len(ran.lines)) == (0, 30)
        assert "Resuming what was started" in ran.told
        sent = writes(service)
        assert len(sent) == len({*sent}) == 30


def test_a_killed_bulk_delete_leaves_one_unknown_and_repeats_nothing() -> None:
    ids = [str(id) for id in range(1, 9)]
    with serve_in_thread(DemoSettings(rate=100_000)) as service:
        service.service.faults.next("DELETE", "/api/pixel/5/delete", Fault(delay=60, handled=True))
        process = start(service, "delete", "pixels", *ids, "--yes")
        assert process.stdout is not None
        for _ in range(4):
            process.stdout.readline()
        wait_here_until(lambda: len(writes(service)) >= 5)
        process.kill()
        process.communicate(timeout=60)
        ran = run(service, "delete", "pixels", *ids, "--yes")
        assert ran.status == 4
        assert [line["outcome"] for line in ran.lines].count("unknown") == 1
        sent = writes(service)
        assert len(sent) == len({*sent}) == 8


def test_what_another_program_is_sending_is_not_unknown_until_that_program_is_gone() -> None:
    with serve_in_thread(DemoSettings(rate=100_000)) as service:
        run(service, "get", "account")  # the budget is known then, and nobody waits for who was killed
        service.service.faults.next(
            "DELETE", "/api/pixel/5/delete", Fault(delay=60, handled=False, drop=True)
        )
        process = start(service, "delete", "pixels", "5", "--yes")
        try:
            wait_here_until(lambda: writes(service))
            jsonl = ("--format", "jsonl")
            assert [line["outcome"] for line in run(service, "journal", *jsonl).lines] == ["sending"]
            checked = run(service, "journal", "--check", *jsonl)
            assert (checked.status, checked.out) == (0, ""), "nobody settles what is still being sent"
            assert [line["outcome"] for line in run(service, "journal", *jsonl).lines] == ["sending"]
        finally:
            process.kill()
            process.communicate(timeout=60)
        (left,) = run(service, "journal", *jsonl).lines
        assert (left["outcome"], left["message"]) == ("unknown", INTERRUPTED)
        (settled,) = run(service, "journal", "--check", *jsonl).lines
        assert settled["outcome"] == "not done"


def test_a_script_asks_nobody(here: Here) -> None:
    ran: Ran = here("delete", "pixels", "1", "2")
    assert (ran.status, ran.out) == (2, "")
    assert ran.told == "linkdash: Confirmation is needed to delete 2 pixels. Add --yes. Nothing was sent.\n"


def test_a_job_with_refused_and_unknown_items_ends_as_unknown(here: Here, service: Running) -> None:
    """Some of it may have been done, and has to be checked, whatever was refused beside it."""
    service.service.faults.next("DELETE", "/api/pixel/5/delete", LOST)
    ran = here("delete", "pixels", "5", "999999", "6", "--yes")
    assert [line["outcome"] for line in ran.lines] == ["unknown", "rejected", "done"]
    assert (ran.status, "1 done, 1 rejected, 1 unknown" in ran.told) == (4, True), ran.told
