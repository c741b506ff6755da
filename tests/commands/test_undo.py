"""`undo` and `journal show`: one change in full, and back."""

import csv
import json
import re

import pytest

from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from tests.commands.machines import Machines
from tests.commands.shell import Here
from tests.postgres import PostgresServer
from tests.service.visitor import Visitor


@pytest.fixture
def here(service: Running, capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(service, capsys)


def pixel(here: Here, id: int) -> dict[str, object]:
    return here("get", "pixels", str(id), "--format", "jsonl").lines[0]


def newest(here: Here) -> str:
    return str(here("journal", "--limit", "1", "--format", "jsonl").lines[0]["id"])


def test_a_change_is_undone_by_its_id(here: Here, service: Running) -> None:
    before = pixel(here, 5)
    here("update", "pixels", "5", "name=Changed")
    change = newest(here)
    shown = json.loads(here("journal", "show", change, "--format", "json").out)
    assert (shown["method"], shown["path"]) == ("PUT", "/api/pixel/5/update")
    listed = here("journal", "--limit", "1", "--format", "jsonl").lines
    assert listed == [shown], "the list has the same of each"
    (row,) = csv.DictReader(here("journal", "show", change, "--format", "csv").out.splitlines())
    assert (row["id"], row["path"]) == (change, shown["path"])
    assert json.loads(row["body"]) == shown["body"]
    assert shown["body"]["name"] == "Changed"
    assert shown["before"]["name"] == before["name"]
    assert (shown["resource"], shown["record_ids"], shown["outcome"]) == ("pixels", [5], "done")
    assert "Changed" in here("journal", "show", change).out
    writes = [entry for entry in service.service.log if entry.method == "PUT"]
    dry = here("undo", change, "--dry-run")
    assert json.loads(dry.out.partition("update ")[2])["name"] == before["name"]
    asked = here("undo", change)
    assert asked.status == 2
    assert "Add --yes" in asked.told
    assert [entry for entry in service.service.log if entry.method == "PUT"] == writes
    ran = here("undo", change, "--yes")
    assert (ran.status, ran.lines[0]["outcome"]) == (0, "done")
    assert "Name: Changed → " in ran.told
    assert pixel(here, 5)["name"] == before["name"]
    again = here("undo", change, "--yes")
    assert (again.status, again.out) == (0, "")
    assert "already has its previous values" in again.told


def test_a_later_change_is_named(here: Here) -> None:
    here("update", "pixels", "6", "name=First")
    change = newest(here)
    here("update", "pixels", "6", "name=Second")
    ran = here("undo", change, "--yes")
    assert f": edit pixel 6 (First) (change {newest_but_one(here)})" in ran.told
    assert re.search(r"changed again since, changed by \S+@\S+ at \d{4}-", ran.told)
    assert "does not show the content" not in ran.told, "of a pixel it shows all"


def test_contents_are_given_back_with_a_word_about_what_is_not_seen(here: Here) -> None:
    id = str(here("create", "qr", "type=text", "data=One").lines[0]["id"])
    here("update", "qr", id, "data=Two")
    change = newest(here)
    ran = here("undo", change, "--dry-run")
    assert json.loads(ran.out.partition("update ")[2])["data"] == "One"
    assert "The service does not show the content of a QR code" in ran.told


def test_contents_that_a_colleague_has_set_since_are_not_replaced_unasked(
    machines: Machines, postgresql: PostgresServer
) -> None:
    url = postgresql.url(postgresql.new_database())
    desk, laptop = machines.open("desk", url), machines.open("laptop", url)
    id = str(desk("create", "qr", "type=text", "data=One", LOGNAME="ada").lines[0]["id"])
    desk("update", "qr", id, "data=Two", LOGNAME="ada")
    change = str(desk("journal", "--limit", "1", "--format", "jsonl", LOGNAME="ada").lines[0]["id"])
    laptop("update", "qr", id, "data=Three", LOGNAME="ben")
    ran = desk("undo", change, "--yes", LOGNAME="ada")
    assert (ran.status, ran.out) == (3, ""), ran.told
    assert re.search(r"changed again since, changed by ben@\S+ at \d{4}-", ran.told), ran.told
    assert "--overwrite sends" in ran.told
    assert desk("undo", change, "--yes", "--overwrite", LOGNAME="ada").status == 0


def test_what_others_have_set_since_is_not_undone_unasked(here: Here, service: Running) -> None:
    was = pixel(here, 9)
    here("update", "pixels", "9", "name=Changed")
    change = newest(here)
    with Visitor(service, service.api_key) as other:
        other.write("PUT", "/api/pixel/9/update", {"name": "Theirs", "tag": "22222222"})
    ran = here("undo", change, "--yes")
    assert (ran.status, ran.out) == (3, "")
    assert f"Name Changed → Theirs. --overwrite sends Name {was['name']}. Nothing was sent." in ran.told
    ran = here("undo", change, "--overwrite", "--dry-run")
    assert f"Name: Theirs → {was['name']}" in ran.told, "what is replaced"
    assert "Name: Changed" not in ran.told
    assert pixel(here, 9)["name"] == "Theirs"
    assert here("undo", change, "--yes", "--overwrite").status == 0
    now = pixel(here, 9)
    assert (now["name"], now["tag"]) == (was["name"], "22222222"), "the member that it never changed stays"


def newest_but_one(here: Here) -> str:
    return str(here("journal", "--limit", "2", "--format", "jsonl").lines[1]["id"])


def test_what_cannot_be_undone_says_why(here: Here, service: Running) -> None:
    here("delete", "pixels", "7", "--yes")
    assert "This cannot be undone: delete pixel 7." in here("undo", newest(here), "--yes").told
    service.service.faults.next("PUT", "/api/pixel/8/update", Fault(drop=True))
    here("update", "pixels", "8", "name=Lost")
    lost = here("undo", newest(here), "--yes")
    assert (lost.status, "was not done, as far as known" in lost.told) == (1, True)
    for verb in (("undo", "9999", "--yes"), ("journal", "show", "9999")):
        ran = here(*verb)
        assert ran.status == 1, "nothing was asked of the service"
        assert "There is no change 9999" in ran.told
    assert here("journal", "show").status == 2
    assert here("--read-only", "undo", "1", "--yes").status == 1


def test_a_secret_of_a_change_is_masked(here: Here) -> None:
    typed = here("create", "users", "username=w", "email=w@example.org", "password=-", typed="correct horse")
    assert typed.status == 0, typed.told
    for form in ("table", "json", "jsonl"):
        assert "correct horse" not in here("journal", "show", newest(here), "--format", form).out


def test_a_subscription_is_undone_or_it_is_said_what_to_do(here: Here, service: Running) -> None:
    end = "--expiration=2035-01-01 00:00:00"
    for plan in ("2", "3"):
        assert here("subscribe", "5", plan, "--term", "yearly", end, "--yes").status == 0
    change = newest(here)
    asked = here("undo", change)
    assert (asked.status, "Add --yes" in asked.told) == (2, True)
    assert "Plan: Business → Pro" in asked.told
    ran = here("undo", change, "--yes")
    assert (ran.status, ran.lines[0]["outcome"]) == (0, "done"), ran.told
    words = "subscribe user 5 (greta.hansen) to plan 2 (Pro), yearly, as before"
    assert here("journal", "--limit", "1", "--format", "jsonl").lines[0]["what"] == words
    user = here("get", "users", "5", "--format", "jsonl").lines[0]
    assert (user["planid"], user["expires"]) == (2, "2035-01-01 00:00:00")
    again = here("undo", change, "--yes")
    assert (again.status, "already has the previous plan" in again.told) == (0, True)
    made = str(here("create", "pixels", "type=bing", "name=x", "tag=1", "--yes").lines[0]["id"])
    ran = here("undo", newest(here), "--yes")
    assert (ran.status, "Only edits and subscriptions can" in ran.told) == (1, True), made


def test_of_the_account_nothing_is_made_up_that_was_never_shown_here(here: Here, service: Running) -> None:
    with Visitor(service, service.api_key) as visitor:
        email = visitor.read("/api/account")["data"]["email"]
    lost = Fault(drop=True, handled=False)
    service.service.faults.next("PUT", "/api/account/update", lost)
    assert here("update", "account", f"email={email}").status == 4
    assert "may have had the values before" in here("journal", "--check").told
    assert here("update", "account", "email=other@example.org").status == 0
    ran = here("undo", newest(here), "--yes")
    assert (ran.status, "The old e-mail is not known." in ran.told) == (1, True), ran.told
