"""The report: tables for a ticket, the same numbers for a program; nothing in it is markup."""

import csv as csv_file
import io
import json as json_file
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from linkdash.api.resources.qr import QrCode
from linkdash.model.document.blocks import Outside, Sentence, Table
from linkdash.model.document.markdown import in_markdown, quoted
from linkdash.model.document.plain_text import in_text
from linkdash.model.statistics.period import period
from linkdash.model.statistics.readings import BREAKDOWN_TITLES
from linkdash.model.statistics.report import Report, csv, json, markdown, report
from linkdash.model.statistics.report import text as plain_text
from linkdash.model.statistics.report.figures import answer_words, place_words
from linkdash.store.reading import Reading
from tests.model.statistics.test_period_comparison import NOW, growing
from tests.model.statistics.test_sentences import dropped

WEEK = period("week", NOW)


def code(id: int = 3, name: str = "Table 4") -> QrCode:
    return QrCode(id=id, name=name, link=f"https://go.example/{id}")


def one(readings: list[Reading], name: str = "Table 4") -> Report:
    return report([(code(name=name), readings)], WEEK, NOW)


def rows_of(text: str) -> list[list[str]]:
    """The cells of every row of a table."""
    return [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]


def test_a_report_says_its_answer_once_and_everything_else_in_tables() -> None:
    readings = dropped()
    text = markdown(one(readings))
    assert text.startswith("# QR code 3: `Table 4`\n\n**300 scans in the last 7 days, 1,600 in the 7 before")
    assert "\n- Link: `https://go.example/3`\n" in text
    assert "Sat 14 Nov to Fri 20 Nov 2026, against Sat 7 Nov to Fri 13 Nov 2026." in text
    assert "Times in Europe/Berlin (UTC+01:00)." in text
    assert text.count("▼ 81 %, falling since Sat 14 Nov; `Germany` ▼ 95 % from 1,008 clicks") == 1
    assert f"| Scans | {readings[-1].scans:,} | 300 | 1,600 | ▼ 81 % |" in text
    assert "| Sat 14 Nov | 43 | Sat 7 Nov |" in text
    assert "| `Germany` | 50 | 17 % | 1,008 | ▼ 95 % |" in text
    assert all(f"## {title}, by clicks\n" in text for title in BREAKDOWN_TITLES.values())
    assert not {"█", "▆", "⠒"} & set(text)


def test_a_file_is_named_after_its_code_or_how_many_there_are() -> None:
    assert one([], "Atlas Books · Flyer 16").file_stem == "atlas-books-flyer-16"
    assert one([], "· / ..").file_stem == "qr-3"
    assert report([(code(id), []) for id in (1, 2)], WEEK, NOW).file_stem == "2-codes"


@given(st.text(max_size=200))
def test_a_name_in_any_script_makes_a_safe_file_name(name: str) -> None:
    stem = one([], name).file_stem
    assert len(f"{stem}-statistics-2026-11-23.json".encode()) <= 255
    assert all(letter.isalnum() or letter == "-" for letter in stem)
    assert stem == stem.strip("-") != ""


def test_on_a_screen_there_is_no_markup_and_columns_stand_under_each_other() -> None:
    blocks = plain_text(one(dropped(), "Table | 4 │ 茶")).split("\n\n")
    assert blocks[0].splitlines() == [
        "QR code 3: Table | 4 │ 茶",
        "─" * cell_len("QR code 3: Table | 4 │ 茶"),
    ]
    totals = next(block for block in blocks if "Unique clicks" in block).splitlines()
    assert {cell_len(line) for line in totals} == {cell_len(totals[0])}
    scans = next(line for line in totals if line.startswith("Scans"))
    assert re.split(" {2,}", scans)[2:] == ["300", "1,600", "▼ 81 %"]
    assert not re.search(r"`|\*\*|##|\| ---", "".join(blocks))
    table = in_text(Table(("", "n"), [[Outside("茶茶茶"), "1"], ["tea", "2,222"]], "lr"), None).splitlines()
    assert [cell_len(line) for line in table] == [6 + 2 + 5] * 3, "numbers end under each other"
    assert "\x1b" not in in_text(Sentence(("a", Outside("\x1b[2J"))), None)


PRICES = Table(
    ("Code", "Id", "Scans", "What happened", ""),
    [("Table 4", "3", "544", "falling since Sun 15 Nov", "new"), ("茶", "12", "8", "", "")],
    "lrrll",
)


def test_a_table_that_is_too_wide_is_not_broken_in_its_columns() -> None:
    wide = in_text(PRICES, None)
    assert in_text(PRICES, 49) == wide
    assert in_text(PRICES, 48).splitlines() == [
        "Code",
        "  Id  Scans  What happened",
        "Table 4",
        "   3    544  falling since Sun 15 Nov  new",
        "茶",
        "  12      8",
    ]
    assert in_text(PRICES, 40).splitlines() == [
        "Table 4",
        "  Id: 3",
        "  Scans: 544",
        "  What happened: falling since Sun 15 Nov",
        "  new",
        "",
        "茶",
        "  Id: 12",
        "  Scans: 8",
    ]


def test_a_report_fits_a_narrow_screen() -> None:
    several = report(
        [(code(id, f"Table {id} · a long name of a code"), dropped()) for id in (3, 4)], WEEK, NOW
    )
    for width in (40, 67, 90):
        sentences = ("600 scans", "Sat 14 Nov to", "  What happened")  # the screen wraps them
        lines = [line for line in plain_text(several, width).splitlines() if not line.startswith(sentences)]
        assert max(map(cell_len, lines)) <= max(width, 67)
    assert "  7 days before: 1,600\n  Change: ▼ 81 %" in plain_text(several, 67)
    assert plain_text(several, 300) == plain_text(several)


def test_a_report_without_statistics_says_so() -> None:
    assert "No statistics are known." in markdown(one([]))


def test_what_was_not_read_is_not_said_to_be_missing() -> None:
    listed = [replace(reading, breakdowns={}) for reading in growing(20)]
    assert "Not read yet: the list of codes has scans only." in markdown(one(listed))
    *earlier, last = growing(20, Germany=70)
    once = [*(replace(reading, breakdowns={}, clicks=reading.scans) for reading in earlier), last]
    once[-1] = replace(last, clicks=last.scans)
    assert "Too few readings: what was added in this time is not known." in markdown(one(once))


def test_a_short_history_shows_all_there_is() -> None:
    text = markdown(one(growing(2, Brazil=40.0)))
    assert "| `Brazil` | 40 | 100 % |  |" in text
    assert "- ≥ The history covers only a part of this time." in text


def test_what_it_had_come_to_by_the_end_of_a_week_stands_at_the_moment_at_which_it_was_read() -> None:
    cells = rows_of(markdown(one(growing(30))).partition("## Scans in all")[2])
    rows = [(day.strip(), scans.strip()) for day, scans in cells if "2026" in day]
    assert rows[0][0] == "25 Oct 2026 23:14", "not before the history begins, on Thu 22 Oct"
    assert rows[-2:] == [("15 Nov 2026 23:14", "586"), ("21 Nov 2026 13:14", "720")]


def test_of_a_code_that_is_not_scanned_any_more_its_row_says_since_when() -> None:
    readings = dropped()
    quiet = [reading for reading in readings if (NOW - reading.at).days > 2]
    last = quiet[-1]
    quiet += [replace(reading, scans=last.scans) for reading in readings if (NOW - reading.at).days <= 2]
    (code_report,) = one(quiet).codes
    assert "".join(place_words(code_report)) == "No scans since Thu 19 Nov"


def test_gaps_estimates_and_drops_are_told() -> None:
    readings = [reading for reading in growing(20) if not 4 <= (NOW - reading.at).days < 9]
    text = markdown(one(readings))
    assert "- ≈ A reading is missing near the beginning or the end: a part is interpolated." in text
    assert "- No reading of code 3 from 2026-11-12 13:14 +0100 to 2026-11-17 14:14 +0100." in text
    assert "retention" not in text
    fallen = [Reading(reading.at, scans=1000 - (reading.scans or 0)) for reading in growing(20)]
    assert "(retention)" in markdown(one(fallen))


def test_some_codes_in_one_table_with_risers_fallers_and_what_is_new() -> None:
    risen = [Reading(reading.at, scans=1 + (reading.scans or 0) ** 2) for reading in growing(20)]
    made = [(code(3), dropped()), (code(4, "a | b"), risen), (code(5, ""), [])]
    text = markdown(report(made, WEEK, NOW))
    assert "# 3 QR codes, last 7 days" in text
    assert "**128,909 scans" in text[:50], "the answer comes first"
    table = rows_of(text[text.index("## All codes") :])
    assert table[2][0] == " `Table 4` "
    assert table[2][3:6] == [" 300 ", " 1,600 ", " ▼ 81 % "]
    assert "falling since Sat 14 Nov; `Germany` ▼ 95 % from 1,008 clicks" in text
    assert "`a \\| b`" in text
    assert "| `QR code 5` | 5 | – | – | – | – |" in text
    fell, rose, every = (text.index(f"## {title}") for title in ("Fell most", "Rose most", "All codes"))
    assert fell < text.index("`Table 4`", fell) < rose < text.index("`a \\| b`", rose) < every


def test_the_same_numbers_as_csv_and_json() -> None:
    made = report([(code(3), dropped()), (code(4), growing(2))], WEEK, NOW)
    head, *whole = csv_file.reader(io.StringIO(csv(made)))
    rows = [row for row in whole if row[0]]
    assert [row[2] for row in whole if not row[0]] == ["all codes"] * 3, "first, all of them together"
    assert head == [
        "code", "name", "group", "label", "in all", "added", "before", "percent", "flag", "certainty",
    ]  # fmt: skip
    (scans,) = [row for row in rows if row[:4] == ["3", "Table 4", "total", "scans"]]
    assert scans[5:] == ["300", "1600", "-81", "", "read"]
    assert {row[-1] for row in rows if row[0] == "4"} == {"partial", "unknown"}
    data = json_file.loads(json(made))
    found = data["codes"][0]["totals"]["scans"]
    assert (found["added"], found["before"], found["percent"]) == (300, 1600, -81)
    assert sum(step["scans"] for step in data["codes"][0]["steps"]) == 1900
    assert data["codes"][1]["totals"]["scans"]["certainty"] == "partial"
    assert data["codes"][1]["breakdowns"]["browsers"] is None


def test_totals_that_some_codes_do_not_tell_say_of_how_many_they_are() -> None:
    listed = [Reading(one.at, scans=one.scans) for one in growing(20)]
    made = report([(code(3), dropped()), (code(4), listed), (code(5), listed)], WEEK, NOW)
    clicks = dropped()[-1].clicks
    assert f"| ≥{clicks:,} |" in markdown(made), "it is at least that"
    assert "- Clicks in all are of 1 of 3 codes: the others do not tell them." in markdown(made)
    assert "Scans in all are of" not in markdown(made)
    totals = json_file.loads(json(made))["totals"]
    assert (totals["clicks"]["in_all"], totals["clicks"]["in_all_codes"]) == (clicks, 1)
    assert totals["scans"]["in_all_codes"] == 3
    flags = {row[3]: row[8] for row in csv_file.reader(io.StringIO(csv(made))) if row[2] == "all codes"}
    assert flags == {"scans": "", "clicks": "in all of 1 of 3 codes", "unique": "in all of 1 of 3 codes"}


@given(st.text(alphabet="`a~ |", min_size=1, max_size=12))
def test_no_text_ends_the_code_or_the_cell_it_stands_in(text: str) -> None:
    span = quoted(text)
    ticks = span[: len(span) - len(span.lstrip("`"))] if span.strip("`") else span
    inner = span[len(ticks) : -len(ticks)]
    assert ticks not in inner or not inner
    row = in_markdown(Table(("",), [[Outside(text)]], "l")).splitlines()[-1]
    assert "|" not in row[1:-1].replace("\\|", "")


def test_hostile_names_and_labels_stay_in_code() -> None:
    hostile = "`` </code> @everyone ![x](http://evil.example) ```"
    readings = [
        Reading(one.at, one.clicks, one.unique, one.scans, {"countries": {hostile: (one.scans or 0)}})
        for one in dropped()
    ]
    text = markdown(one(readings, hostile))
    whole = f"```` {hostile} ````"
    assert "@everyone" in text
    assert "@everyone" not in text.replace(whole, "")


@pytest.mark.parametrize("label", ["fr", "from", "clicks", "in the", "▼ 95 %", "Sat 14 Nov", "."])
def test_a_label_that_is_a_part_of_other_words_stands_where_it_belongs(label: str) -> None:
    readings = [
        replace(one, breakdowns={"countries": {label: counts["Germany"], "Brazil": counts["Brazil"]}})
        for one in dropped()
        for counts in (one.breakdowns["countries"],)
    ]
    (code_report,) = one(readings).codes
    words = answer_words(code_report)
    assert [part for part in words if isinstance(part, Outside)] == [label]
    assert "".join(words).endswith(f", falling since Sat 14 Nov; {label} ▼ 95 % from 1,008 clicks.")
    place = place_words(code_report)
    assert "".join(place) == f"falling since Sat 14 Nov; {label} ▼ 95 % from 1,008 clicks"
    assert [part for part in place if isinstance(part, Outside)] == [label]
