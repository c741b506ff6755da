"""`stats` and `report`: what they write, what they spend, and what they say where something is missing."""

import csv
import io
import json

import pytest

from linkdash.commands.parser import days
from linkdash.demo.gate import Fault
from linkdash.demo.server import Running
from tests.commands.past import daily, keep
from tests.commands.shell import Here, run

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
    assert (ran.status, ran.told) == (3, "linkdash: Nothing is stored of QR code 2.\n")
    assert [line["id"] for line in ran.lines] == [1]


def test_a_code_that_is_not_there_does_not_keep_the_others_back(here: Here) -> None:
    ran = here("stats", "99999", "10", "--format", "jsonl")
    assert ran.status == 3
    assert ran.told.startswith("linkdash: QR code 99999: ")
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
    rose, fell = ran.out.partition("## Rose most")[2].split("## Fell most")
    assert "| 2 |" in rose
    assert "| 1 |" not in rose
    assert "| 1 |" in fell
    assert len(service.service.log) == before


def test_a_report_of_one_code_over_a_time_of_ones_own(here: Here, service: Running) -> None:
    keep(service, {1: daily(HALVED), 2: daily(HALVED)})
    ran = here("report", "1", "--since", "5d", "--format", "json")
    made = json.loads(ran.out)
    assert [code["id"] for code in made["codes"]] == [1]
    assert len(made["codes"][0]["steps"]) == 10
    assert "newest reading" in ran.told
    rows = list(csv.DictReader(io.StringIO(here("report", "--format", "csv").out)))
    assert {row["code"] for row in rows} == {"1", "2"}


def test_names_come_from_the_list_as_it_was_last_read(here: Here, service: Running) -> None:
    keep(service, {400: daily(HALVED)})
    assert "no name" in here("report").out
    name = here("list", "qr", "--limit", "1", "--format", "jsonl").lines[0]["name"]
    assert str(name) in here("report").out


def test_a_report_of_nothing_says_what_to_do(here: Here, service: Running) -> None:
    assert here("report").told == ("linkdash: No statistics are kept yet. linkdash collect reads them.\n")
    keep(service, {1: daily(HALVED)})
    ran = here("report", "1", "7", "8")
    assert (ran.status, ran.out) == (3, "")
    assert "Nothing is kept of QR codes 7, 8." in ran.told


@pytest.mark.parametrize("wrong", ["", "d", "7", "0d", "-1d", "7h", "³d", "99999999999d", "9999w"])
def test_a_time_without_meaning_is_wrong_usage(wrong: str, here: Here) -> None:
    ran = here("report", f"--since={wrong}")
    assert (ran.status, ran.out) == (2, "")
    assert "such as 7d or 2w" in ran.told


def test_times_are_days_or_weeks() -> None:
    assert (days("7d"), days("2w"), days("3660d")) == (7, 14, 3660)


@pytest.mark.long
def test_the_demo_has_a_past_at_once(here: Here) -> None:
    ran = here("--demo", "report", "1", "--format", "json")
    assert ran.status == 0
    (code,) = json.loads(ran.out)["codes"]
    assert code["totals"]["scans"]["before"] is not None
