"""`list`, `get`, `export`: what they write, what they say beside it, and what they spend."""

import asyncio
import csv
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest
from pydantic import SecretStr

from linkdash.api.http.address import state_folder
from linkdash.api.resources.pixels import Pixel
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.model.session import Session, opened_store
from linkdash.model.settings import Settings
from linkdash.store.folders import cache_folder
from tests import prestarted
from tests.commands.shell import Here, environment, run, start
from tests.service.visitor import Visitor


@pytest.fixture
def here(service: Running, capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(service, capsys)


def asked(service: Running, before: int) -> list[str]:
    """The requests since there were so many."""
    return [f"{entry.method} {entry.path}" for entry in list(service.service.log)[before:]]


def test_all_of_a_list_as_json_lines_in_a_shell(service: Running) -> None:
    before = len(service.service.log)
    ran = run(service, "list", "qr", "--all", "--format", "jsonl")
    assert (ran.status, ran.told) == (0, "")
    assert [line["id"] for line in ran.lines] == list(range(400, 0, -1))
    assert len(asked(service, before)) == 4


def test_columns_can_be_those_of_the_dashboard(here: Here) -> None:
    here("list", "plans")
    columns, row = "username,class,plan", "dmitri.gruber,pro,Enterprise"
    words = ("list", "users", "--columns", columns, "--limit", "1")
    assert here(*words, "--format", "csv").out.splitlines() == [columns, row]
    assert here(*words).out.splitlines()[1].split() == row.split(",")


def test_a_page_says_that_there_is_more(here: Here, service: Running) -> None:
    before = len(service.service.log)
    ran = here("list", "qr", "--format", "json")
    assert len(json.loads(ran.out)) == 100
    assert ran.told == "linkdash: Showing 100 of 400; --all loads the rest.\n"
    assert len(asked(service, before)) == 1


def test_a_limit_costs_the_pages_it_needs(here: Here, service: Running) -> None:
    for limit, requests in ((3, 1), (100, 1), (101, 2), (5000, 4)):
        before = len(service.service.log)
        ran = here("list", "qr", "--limit", str(limit), "--format", "jsonl")
        assert len(ran.lines) == min(limit, 400)
        assert len(asked(service, before)) == requests
    assert here("list", "qr", "--cached", "--format", "jsonl").lines


def test_what_is_stored_costs_nothing(here: Here, service: Running) -> None:
    assert here("list", "pixels", "--cached", "--format", "jsonl").out == ""
    whole = here("list", "pixels", "--all", "--format", "jsonl").lines
    before = len(service.service.log)
    ran = here("list", "pixels", "--cached", "--format", "jsonl")
    assert ran.lines == whole != []
    assert ran.told.startswith("linkdash: Stored ")
    assert here("get", "pixels", "7", "--cached", "--format", "jsonl").lines[0]["id"] == 7
    assert here("get", "domains", "1", "--cached").status == 1
    assert asked(service, before) == []


def test_all_goes_on_from_pages_of_a_moment_ago(here: Here, service: Running) -> None:
    here("list", "qr", "--limit", "300")
    before = len(service.service.log)
    assert len(here("list", "qr", "--all", "--format", "jsonl").lines) == 400
    assert len(asked(service, before)) == 2  # the first page anew, and the one that was missing


def test_what_was_stored_before_a_change_is_asked_for_again(here: Here, service: Running) -> None:
    here("list", "pixels", "--all")
    assert here("update", "pixels", "1", "name=Changed since", "--yes").status == 0
    before = len(service.service.log)
    found = {line["id"]: line["name"] for line in here("list", "pixels", "--all", "--format", "jsonl").lines}
    assert found[1] == "Changed since"
    assert len(asked(service, before)) == 2
    with Visitor(service, service.api_key) as visitor:
        for number in range(2):
            visitor.write(
                "POST", "/api/pixel/add", {"type": "bing", "name": "x", "tag": f"{30_000_000 + number}"}
            )
    before = len(service.service.log)
    assert len(here("list", "pixels", "--all", "--format", "jsonl").lines) == len(found) + 2
    assert len(asked(service, before)) == 2, "the list has moved: its other page was no help"


def test_a_screen_asks_again_for_what_was_changed_since(here: Here, service: Running) -> None:
    settings = Settings("tests", service.base_url, SecretStr(service.api_key))

    async def opened() -> str:
        session = Session(settings, opened_store(settings, state_folder(), cache_folder()))
        collection = session.collection("pixels")
        await collection.open()
        await session.close()
        newest: Pixel = collection.records[0]
        return f"{newest.id} {newest.name}"

    requests = []
    for name in ("", "", "Changed meanwhile"):
        if name:
            newest = asyncio.run(opened())
            assert here("update", "pixels", newest.split()[0], f"name={name}").status == 0
        before = len(service.service.log)
        newest = asyncio.run(opened())
        requests.append(len(asked(service, before)))
    assert requests == [1, 0, 1]
    assert newest.endswith("Changed meanwhile")


def test_filter_sort_and_columns_are_those_of_the_dashboard(here: Here) -> None:
    ran = here("list", "users", "--filter", "status:pro planid:2", "--sort", "id", "--format", "jsonl")
    assert ran.lines
    assert all((line["status"], line["planid"]) == ("pro", 2) for line in ran.lines)
    ids = [line["id"] for line in ran.lines]
    assert ids == sorted(ids)  # type: ignore[type-var]  # numbers, as JSON has them
    turned = here("list", "users", "--filter", "planid:2", "--sort", "id", "--reverse", "--format", "jsonl")
    assert [line["id"] for line in turned.lines] == ids[::-1]
    assert here("list", "plans").status == 0  # now their names are known
    named = here("list", "users", "--filter", "class:pro plan:pro", "--sort", "id", "--format", "jsonl")
    assert [line["id"] for line in named.lines] == ids
    several = ("list", "users", "--filter", "id<30", "--sort=-status,id", "--format", "jsonl")
    mixed = here(*several).lines
    found = [(line["status"] == "free", int(str(line["id"]))) for line in mixed]
    assert found == sorted(found)
    assert len({free for free, _ in found}) == 2
    back = here(
        *("list", "users", "--filter", "id<30", "--sort=-status,id"), "--reverse", "--format", "jsonl"
    )
    assert back.lines == mixed[::-1]
    rows = csv.reader(io.StringIO(here("list", "users", "--columns", "id,email", "--format", "csv").out))
    assert [len(row) for row in rows] == [2] * 1201


def test_no_format_shows_a_key(here: Here, service: Running) -> None:
    for form in ("table", "json", "jsonl", "csv"):
        shown = here("list", "users", "--limit", "5", "--format", form, "--columns", "id,apikey").out
        assert service.api_key not in shown
        assert service.plain_key not in shown


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["list", "qr", "--sort", "size"], "There is no column 'size' to sort by. Columns: name, scans,"),
        (["list", "qr", "--columns", "id,size"], "There is no column 'size'."),
        (["list", "qr", "--filter", "scans>many"], "scans"),
        (["get", "qr"], "Which QR code? Write: linkdash get qr ID"),
        (["export", "qr", "codes.xls"], "codes.xls: unknown file type. Use .csv, .json or .jsonl."),
    ],
)
def test_what_has_no_meaning_costs_no_request(
    here: Here, service: Running, arguments: list[str], words: str
) -> None:
    before = len(service.service.log)
    ran = here(*arguments)
    assert (ran.status, ran.out) == (2, "")
    assert ran.told.startswith("linkdash: ")
    assert words in ran.told
    assert ran.told.count("\n") == 1
    assert asked(service, before) == []


def test_one_record_in_full(here: Here) -> None:
    found = here("get", "qr", "1", "--format", "jsonl").lines[0]
    assert found["id"] == 1
    assert isinstance(found["statistics"], dict)
    assert here("get", "users", "3", "--format", "jsonl").lines[0]["id"] == 3
    assert "email" in here("get", "account").out
    missing = here("get", "users", "999999")
    assert (missing.status, missing.out) == (3, "")


def test_a_listed_record_is_looked_for_where_it_was(here: Here, service: Running) -> None:
    here("list", "pixels", "--all")
    before = len(service.service.log)
    assert here("get", "pixels", "7", "--format", "jsonl").lines[0]["id"] == 7
    assert len(asked(service, before)) == 1
    ran = here("get", "pixels", "99999")
    assert (ran.status, ran.told) == (3, "linkdash: There is no pixel 99999 at the service.\n")


def test_an_order_or_a_filter_looks_at_the_whole_list(here: Here, service: Running) -> None:
    before = len(service.service.log)
    largest = here("list", "qr", "--sort=-scans", "--limit", "3", "--format", "jsonl")
    assert (largest.status, largest.told) == (0, "")
    assert len(asked(service, before)) == 4
    every = here("list", "qr", "--all", "--sort=-scans", "--format", "jsonl").lines
    assert largest.lines == every[:3]
    found = here("list", "qr", "--filter", "id<5", "--limit", "3", "--format", "jsonl").lines
    assert [line["id"] for line in found] == [4, 3, 2], "on the last page"


@pytest.mark.parametrize(
    "wanted", [(), ("--sort=-scans",), ("--filter", "id>0"), ("--limit", "300"), ("--all",)]
)
def test_a_part_of_a_list_that_is_stored_is_told_as_one(here: Here, wanted: tuple[str, ...]) -> None:
    here("list", "qr")
    ran = here("list", "qr", "--cached", *wanted, "--format", "jsonl")
    assert (ran.status, len(ran.lines)) == (6, 100)
    assert "100 of 400; the rest is not stored." in ran.told
    enough = here("list", "qr", "--cached", "--limit", "3", "--format", "jsonl")
    assert (enough.status, len(enough.lines)) == (0, 3)


def test_an_export_of_a_part_that_is_stored_is_told_as_one_and_as_old_as_it_is(
    here: Here, tmp_path: Path
) -> None:
    here("list", "qr")
    path = tmp_path / "codes.json"
    with closing(sqlite3.connect(cache_folder() / "cache.db")) as stored, stored:
        stored.execute("UPDATE pages SET at = '2026-11-20T10:00:00.000000+00:00'")
    for name in (str(path), "-"):
        ran = here("export", "qr", name, "--cached", "--format", "json")
        assert ran.status == 6
        assert re.search(r"Stored [\d,]+ \w+ ago\.", ran.told)
        assert ran.told.endswith("Exported 100 of 400; the rest is not stored.\n")
    assert json.loads(path.read_text())["as_of"] == "2026-11-20T10:00:00+00:00"
    here("list", "qr", "--all")
    whole = here("export", "qr", str(path), "--cached")
    assert (whole.status, len(json.loads(path.read_text())["records"])) == (0, 400)


def test_a_record_that_is_not_there_is_looked_for_once(here: Here, service: Running) -> None:
    requests = []
    for id in ("99999", "99999", "88888"):
        before = len(service.service.log)
        ran = here("get", "pixels", id)
        assert (ran.status, ran.told) == (3, f"linkdash: There is no pixel {id} at the service.\n")
        requests.append(len(asked(service, before)))
    assert requests == [2, 0, 0]


def test_a_record_that_is_gone_from_the_only_page_costs_one_request(here: Here, service: Running) -> None:
    with Visitor(service, service.api_key) as visitor:
        id = visitor.write("POST", "/api/domain/add", {"domain": "https://gone.example.org"})["id"]
        here("list", "domains")
        visitor.write("DELETE", f"/api/domain/{id}/delete")
    before = len(service.service.log)
    assert here("get", "domains", str(id)).status == 3
    assert len(asked(service, before)) == 1


def test_an_export_is_closed_to_others_and_whole(here: Here, tmp_path: Path) -> None:
    path = tmp_path / "codes.csv"
    ran = here("export", "qr", str(path))
    assert (ran.status, ran.out, ran.told) == (0, "", f"linkdash: Wrote 400 QR codes to {path}.\n")
    assert len(path.read_text().splitlines()) == 401
    assert path.stat().st_mode & 0o777 == 0o600
    nowhere = here("export", "qr", str(tmp_path / "no" / "codes.jsonl"), "--cached")
    assert nowhere.status == 1
    assert nowhere.told.endswith("Nothing was saved.\n")


def test_a_reader_that_has_seen_enough_is_no_error(service: Running) -> None:
    process = start(service, "list", "qr", "--all", "--format", "jsonl")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert (process.wait(timeout=60), process.stderr.read()) == (0, "")
    process.stderr.close()


def test_flags_of_all_work_before_and_after_the_verb(here: Here) -> None:
    wrong = "http://elsewhere.example"
    for arguments in (["--base-url", wrong, "list", "qr"], ["list", "--base-url", wrong, "qr"]):
        assert here(*arguments).told.startswith("linkdash: Plain http to elsewhere.example")
    assert here("--read-only", "delete", "pixels", "1", "--yes").told.startswith(
        "linkdash: This run is read-only"
    )


def test_text_of_the_service_moves_nothing_in_a_terminal(here: Here, service: Running) -> None:
    row = {"id": 5, "name": "a\x1b[2J\x9b1m\u202eb", "odd": "\x9b2J\u202e"}
    page = {"result": 1, "perpage": 100, "currentpage": 1, "nextpage": None, "maxpage": 1, "qrs": [row]}
    for form in ("table", "json", "jsonl", "csv"):
        service.service.faults.next(
            "GET", "/api/qr*", Fault(content=json.dumps({"error": "0", "data": page}).encode())
        )
        out = here("list", "qr", "--format", form).out
        if form == "csv":
            assert str(row["name"]) in out, "a pipe gets the data as it is; on a terminal it is inert"
        else:
            assert all(line.isprintable() for line in out.splitlines()), form


def test_a_formula_gets_a_quote_in_csv_and_that_is_said(here: Here, service: Running, tmp_path: Path) -> None:
    row = {"id": 5, "type": "bing", "name": "=1+1", "tag": "'@x"}
    page = {"result": 1, "perpage": 100, "currentpage": 1, "nextpage": None, "maxpage": 1, "pixels": [row]}
    fault = Fault(content=json.dumps({"error": "0", "data": page}).encode())
    for *flags, name, tag, told in (
        ("'=1+1", "''@x", "2 cells that a spreadsheet would execute got a quote; --raw adds none."),
        ("--raw", "=1+1", "'@x", ""),
    ):
        service.service.faults.next("GET", "/api/pixels*", fault)
        ran = here("list", "pixels", "--format", "csv", "--columns", "name,tag", *flags)
        assert ran.out.splitlines()[1] == f"{name},{tag}"
        assert told in ran.told
        assert ("spreadsheet" in ran.told) == bool(told)
        service.service.faults.next("GET", "/api/pixels*", fault)
        ran = here("export", "pixels", str(tmp_path / "x.csv"), *flags)
        assert f"5,{name},bing,{tag},\n" in (tmp_path / "x.csv").read_text()
        assert told in ran.told
        assert ("spreadsheet" in ran.told) == bool(told)


def test_one_bad_answer_ends_in_one_line(here: Here, service: Running) -> None:
    html = Fault(content=b"<html>", content_type="text/html")
    service.service.faults.next("GET", "/api/pixels*", html)
    ran = here("list", "pixels")
    assert (ran.status, ran.out, ran.told.count("\n")) == (1, "", 1)


def test_a_plain_key_is_refused_where_admins_are_needed(here: Here, service: Running) -> None:
    ran = here("list", "users", set={"LINKDASH_API_KEY": service.plain_key})
    assert (ran.status, ran.out) == (3, "")
    assert os.environ.get("LINKDASH_API_KEY") is None


@pytest.mark.skipif(shutil.which("bash") is None, reason="pipefail is not in every shell")
def test_a_reader_that_has_seen_enough_is_no_failure_of_the_pipe(service: Running) -> None:
    line = f"set -o pipefail; {prestarted.program()} list users --format jsonl | head -n 1"
    ran = subprocess.run(
        ["bash", "-c", line],
        env=environment(service),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert json.loads(ran.stdout)["id"]


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Kolkata"])
def test_a_record_made_here_tells_how_far_the_service_is_from_utc(
    service: Running, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, zone: str
) -> None:
    with monkeypatch.context() as changed:
        changed.setenv("TZ", zone)
        time.tzset()
        try:
            here = Here(service, capsys)
            here("list", "pixels")
            told = here("doctor", "--offline").out
            assert "not learned yet" in told
            assert "left<0d and the like are hours off" in " ".join(told.split())
            made = here("create", "pixels", "type=bing", f"name={zone}", "tag=12345678", "--format", "jsonl")
            for asked in ("date>-1h", "age<1h", "!date>0h"):
                found = here("list", "pixels", "--filter", asked, "--format", "jsonl").lines
                assert made.lines[0]["id"] in [line["id"] for line in found], asked
            assert "the service's own time: UTC+00:00" in here("doctor", "--offline").out
        finally:
            changed.undo()
            time.tzset()


@pytest.mark.parametrize("id", [" 3", "3 ", "3\u00a0", "\u200b3"])
def test_what_shows_nothing_around_an_id_is_left_out(here: Here, id: str) -> None:
    ran = here("get", "pixels", id, "--format", "jsonl")
    assert (ran.status, ran.lines[0]["id"]) == (0, 3), ran.told
