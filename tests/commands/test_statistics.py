"""`stats` and `report`: what they write, what they spend, and what they say where something is missing."""

import csv
import io
import json
import re
import time
import webbrowser
from datetime import timedelta
from pathlib import Path

import pytest

from linkdash.commands.argument_types import days
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.model.local_time import local_moment
from tests.commands.past import daily, keep
from tests.commands.shell import Here, Ran, run

HALVED = [100] * 10 + [50] * 8
"""Scans a day; the last whole week has half of the one before."""


@pytest.fixture
def here(service: Running, capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(service, capsys)


# ---- stats ----


def test_statistics_cost_a_request_a_code_and_none_a_moment_later(here: Here, service: Running) -> None:
    before = len(service.service.log)
    ran = here("stats", "10", "20", "10", "--format", "jsonl")
    assert (ran.status, ran.told) == (0, "")
    assert [line["id"] for line in ran.lines] == [10, 20]
    assert [entry.path for entry in list(service.service.log)[before:]] == ["/api/qr/10", "/api/qr/20"]
    assert here("stats", "20", "10", "--format", "jsonl").lines[0]["totals"] == ran.lines[1]["totals"]
    assert len(service.service.log) == before + 2


def test_what_is_kept_costs_nothing(here: Here, service: Running) -> None:
    keep(service, {1: daily(HALVED)})
    before = len(service.service.log)
    ran = here("stats", "1", "2", "--cached", "--format", "jsonl")
    assert len(service.service.log) == before
    assert (ran.status, json.loads(ran.told)["error"]["message"]) == (1, "Nothing is stored of QR code 2.")
    assert [line["id"] for line in ran.lines] == [1]


def test_a_list_is_filtered_and_sorted_by_the_week_that_is_kept(here: Here, service: Running) -> None:
    rising = [100] * 10 + [130] * 8
    keep(service, {10: daily(HALVED), 20: daily(rising), 30: daily([100] * 18)})
    fell = here("list", "qr", "--all", "--filter", "week<-30", "--format", "jsonl")
    assert [line["id"] for line in fell.lines] == [10]
    assert "what the filter asks for is not known of them" in fell.told
    known = here("list", "qr", "--all", "--filter", '!week:"" age>0d', "--sort=-change", "--format", "jsonl")
    assert [line["id"] for line in known.lines] == [20, 30, 10]
    assert "not known" not in known.told


def test_a_code_that_is_not_there_does_not_keep_the_others_back(here: Here) -> None:
    ran = here("stats", "99999", "10", "--format", "jsonl")
    assert ran.status == 3
    assert "QR code 99999 was not found." in ran.told
    assert [line["id"] for line in ran.lines] == [10]


def test_what_concerns_every_code_ends_it_with_what_was_read(here: Here, service: Running) -> None:
    before = len(service.service.log)
    ran = here("stats", "10", "11", set={"LINKDASH_API_KEY": "wrong"})
    assert (ran.status, ran.out) == (3, "")
    assert len(service.service.log) == before + 1


def test_an_answer_that_makes_no_sense_is_told(here: Here, service: Running) -> None:
    service.service.faults.next("GET", "/api/qr/30", Fault(content=b"<html>", content_type="text/html"))
    ran = here("stats", "30")
    assert (ran.status, ran.out) == (1, "")
    assert ran.told.startswith("linkdash: QR code 30: ")


def test_a_table_tells_what_happened(here: Here, service: Running) -> None:
    keep(service, {1: daily(HALVED)})
    lines = here("stats", "1", "--cached").out.splitlines()
    assert lines[0].split() == ["Id", "Name", "Scans", "Clicks", "Unique", "Read", "What", "happened"]
    assert "1,400" in lines[1]
    assert "in the last 7 days" in lines[1]


def test_every_number_is_in_the_csv(service: Running) -> None:
    rows = list(csv.DictReader(io.StringIO(run(service, "stats", "10", "--format", "csv").out)))
    assert {row["group"] for row in rows} >= {"total", "countries", "browsers"}


# ---- report ----


def test_a_report_tells_who_rose_and_fell_and_asks_nothing(here: Here, service: Running) -> None:
    keep(service, {1: daily(HALVED), 2: daily(HALVED[::-1]), 3: daily([10] * 18)})
    before = len(service.service.log)
    ran = here("report")
    assert ran.status == 0
    assert ran.out.startswith("# 3 QR codes, last 7 days\n")
    fell, rose, every = re.split("## (?:Rose most|All codes)", ran.out.partition("## Fell most")[2])
    assert "| 2 |" in rose
    assert "| 1 |" not in rose
    assert "| 1 |" in fell
    assert re.findall(r"^\| [^|]+ \| (\d) \|", every, re.MULTILINE) == ["1", "2", "3"], "by change"
    assert len(service.service.log) == before


def test_a_report_of_one_code_over_a_time_of_ones_own(here: Here, service: Running) -> None:
    keep(service, {1: daily(HALVED), 2: daily(HALVED)})
    ran = here("report", "1", "--since", "5d", "--format", "json")
    made = json.loads(ran.out)
    assert [code["id"] for code in made["codes"]] == [1]
    assert len(made["codes"][0]["steps"]) == 10
    assert "newest reading" in ran.told
    rows = list(csv.DictReader(io.StringIO(here("report", "--format", "csv").out)))
    assert {row["code"] for row in rows if row["group"] != "all codes"} == {"1", "2"}


def test_names_come_from_the_list_as_it_was_last_read(here: Here, service: Running) -> None:
    keep(service, {400: daily(HALVED)})
    assert "no name" in here("report").out
    name = here("list", "qr", "--limit", "1", "--format", "jsonl").lines[0]["name"]
    assert str(name) in here("report").out


def chosen(ran: Ran) -> list[object]:
    return [code["id"] for code in json.loads(ran.out)["codes"]]


def test_codes_are_chosen_by_id_by_name_and_by_a_filter(here: Here, service: Running) -> None:
    listed = here("list", "qr", "--format", "jsonl").lines[:3]
    ids, names = [line["id"] for line in listed], [str(line["name"]) for line in listed]
    keep(service, {int(str(id)): daily(HALVED) for id in ids})
    before = len(service.service.log)
    by_id = here("report", "--format", "json", "--sort", "id")
    assert chosen(by_id) == sorted(ids, key=str)
    assert chosen(
        here("report", names[0].upper(), str(ids[2]), "--format", "json", "--sort", "id")
    ) == sorted([ids[0], ids[2]], key=str)
    assert chosen(here("report", "--format", "json", "--qr", names[1][1:-1])) == [ids[1]]
    assert chosen(here("report", "--filter", f'name:"{names[2]}"', "--format", "json")) == [ids[2]]
    assert here("report", "Nobody").told.startswith("linkdash: No stored code is named 'Nobody'.")
    assert here("report", "--filter", "name:Nobody").status == 1
    assert here("report", "--filter", "scans>much").status == 2
    assert len(service.service.log) == before


def test_each_list_names_so_many_codes_in_the_order_that_is_wanted(here: Here, service: Running) -> None:
    keep(service, {id: daily([10 * id] * 10 + [10 * id + (4 - id)] * 8) for id in (1, 2, 3)})
    assert chosen(here("report", "--format", "json", "--sort", "scans")) == [3, 2, 1]
    ran = here("report", "--format", "json", "--top", "2")
    assert chosen(ran) == [1, 2], "by change"
    told = json.loads(ran.out)
    assert (told["codes_in_all"], len(told["rose_most"])) == (3, 2)
    assert "\n2 of 3 codes.\n" in here("report", "--top", "2").out


def test_a_time_that_is_over(here: Here, service: Running) -> None:
    keep(service, {1: daily([5] * 10 + [7] * 10)})
    today = local_moment(time.time()).date()
    first, last = today - timedelta(days=14), today - timedelta(days=8)
    ran = here("report", "1", "--from", f"{first}", "--to", f"{last}", "--format", "json")
    told = json.loads(ran.out)
    scans = told["codes"][0]["totals"]["scans"]
    assert scans["added"] == 5 * 4 + 7 * 3
    assert len(told["steps"]) == 14
    assert told["period"]["start"].startswith(str(first))
    assert "7 days to" in here("report", "1", "--from", f"{first}", "--to", f"{last}").out
    long_ago = here("report", "1", "--from", "2020-01-01", "--to", "2020-01-31")
    assert "No scans known of the 31 days to 31 Jan 2020: the history goes from" in long_ago.out
    assert "will be known" not in long_ago.out


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (["--from", "2026-02-30"], "must be a day"),
        (["--to", "2020-01-31"], "--to needs --from"),
        (["--from", "2020-02-01", "--to", "2020-01-31"], "is after"),
        (["--from", "2020-02-01", "--to", "2999-01-31"], "is not over yet"),
        (["--from", "1995-02-01"], "more than 3660 days"),
    ],
)
def test_a_time_that_is_no_time(wrong: list[str], why: str, here: Here, service: Running) -> None:
    keep(service, {1: daily(HALVED)})
    ran = here("report", *wrong)
    assert (ran.status, ran.out) == (2, "")
    assert why in ran.told


def test_a_report_opens_in_the_browser_where_there_is_one(
    here: Here, service: Running, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    keep(service, {1: daily(HALVED)})
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.chdir(tmp_path)
    ran = here("report", "1", "--open", set={"DISPLAY": ":0"})
    path = Path(ran.out.strip())
    assert opened == [path.absolute().as_uri()]
    assert path.read_text().startswith("<!DOCTYPE html>")
    assert path.stat().st_mode & 0o077 == 0
    ran = here("report", "1", "--open", set={"DISPLAY": "", "WAYLAND_DISPLAY": ""})
    assert len(opened) == 1
    assert "No browser can open from here." in ran.told
    assert here("report", "1", "--open", "--format", "csv").status == 2


def test_a_report_of_nothing_says_what_to_do(here: Here, service: Running) -> None:
    nothing = here("report")
    assert nothing.told == "linkdash: No statistics are stored yet. linkdash collect reads them.\n"
    assert nothing.status == 1, "the service has refused nothing"
    keep(service, {1: daily(HALVED)})
    ran = here("report", "1", "7", "8")
    assert (ran.status, ran.out) == (1, "")
    assert "Nothing is stored of QR codes 7, 8." in ran.told


@pytest.mark.parametrize("wrong", ["", "d", "7", "0d", "-1d", "7h", "³d", "99999999999d", "9999w"])
def test_a_time_without_meaning_is_wrong_usage(wrong: str, here: Here) -> None:
    ran = here("report", f"--since={wrong}")
    assert (ran.status, ran.out) == (2, "")
    assert "such as 7d or 2w" in ran.told


def test_times_are_days_or_weeks() -> None:
    assert (days("7d"), days("2w"), days("3660d")) == (7, 14, 3660)


@pytest.mark.nightly
def test_the_demo_has_a_past_at_once(here: Here) -> None:
    ran = here("--demo", "report", "1", "--format", "json")
    assert ran.status == 0
    (code,) = json.loads(ran.out)["codes"]
    assert code["totals"]["scans"]["before"] is not None
