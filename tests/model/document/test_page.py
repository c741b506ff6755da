"""The report as a page: one file, nothing runs in it, nothing is loaded, and its numbers are the JSON's."""

import json as json_file
import re
from dataclasses import replace
from itertools import pairwise

import pytest

from linkdash.api.resources.qr import QrCode
from linkdash.model.document import drawing
from linkdash.model.document.blocks import Fold, Heading, Outside, Table
from linkdash.model.document.html import page, sections
from linkdash.model.statistics.chart_data import Bars, ChartColumn, Columns, CurveChart
from linkdash.model.statistics.report import Report, blocks, json, report
from linkdash.store.reading import Reading
from tests.model.document.pages import HOSTILE, WEEK, found_in, hostile_report, number, page_of, table_with
from tests.model.statistics.test_period_comparison import NOW, growing
from tests.model.statistics.test_sentences import dropped


def several(count: int) -> Report:
    codes = [(QrCode(id=id, name=f"Table {id}", link=f"https://go.example/{id}"), dropped()) for id in (1, 2)]
    codes += [(QrCode(id=id, name=f"Poster {id}"), growing(20)) for id in range(3, count + 1)]
    return report(codes, WEEK, NOW)


def one(readings: list[Reading]) -> str:
    return page_of(report([(QrCode(id=3, name="Table 4", link="https://go.example/3"), readings)], WEEK, NOW))


def test_a_page_is_one_file_that_asks_nobody() -> None:
    found = found_in(page_of(several(3)))
    policy = next(value for name, value in found.attributes if name == "content" and "default-src" in value)
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:")
    assert not {"script", "img", "iframe", "object", "a", "form", "base"} & set(found.tags)
    addresses = [value for name, value in found.attributes if name in ("src", "href", "xlink:href", "style")]
    assert addresses == ["data:,"], "the icon, which a browser would ask for otherwise"
    assert not [name for name, _ in found.attributes if name.startswith("on")]
    assert "@import" not in found.text
    assert not re.search(r"url\(", found.text)


def test_what_comes_from_outside_is_text_and_inert() -> None:
    text = page_of(hostile_report())
    found = found_in(text)
    assert not {"script", "img", "a"} & set(found.tags)
    assert found.tags.count("title") > 1, "those of the columns; the page has one"
    assert HOSTILE[0] in found.text
    assert "{{ 7 * 7 }}" in found.text
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00\x1b]", text)
    assert "x" * 199 + "…" in found.text
    assert "x" * 201 not in found.text, "a label of 10,000 letters is cut, and says so"
    assert f"<bdi>{'x' * 199}…</bdi>" in text, "its direction is its own"


def test_the_sums_of_the_tables_are_those_of_the_json() -> None:
    made = several(4)
    found, told = found_in(page_of(made)), json_file.loads(json(made))
    steps = table_with(found, "Last 7 days", "Scans", "7 days before", "Scans")
    scans = told["totals"]["scans"]
    assert sum(number(row[1]) for row in steps) == scans["added"]
    assert sum(number(row[3]) for row in steps) == scans["before"]
    every = table_with(found, "Code", "Id", "Scans in all")
    assert [int(row[1]) for row in every] == [code["id"] for code in told["codes"]]
    assert sum(number(row[2]) for row in every) == scans["in_all"]
    totals = {row[0].split(",")[0]: row for row in table_with(found, "", "In all")}
    assert number(totals["Scans"][2]) == scans["added"]


def test_the_numbers_of_a_code_in_full_have_the_width_of_the_page() -> None:
    told = blocks(replace(several(3), has_details=True, most=1))
    (fold,) = [block for block in told if isinstance(block, Fold)]
    first, *_ = sections(fold.blocks)
    assert first.is_wide


def test_labels_without_a_row_of_their_own_are_counted_together() -> None:
    many = {f"Country {number}": number for number in range(1, 51)}
    readings = [
        Reading(one.at, one.clicks, one.unique, one.scans, {"countries": {**many, "Germany": one.scans or 0}})
        for one in dropped()
    ]
    rows = table_with(found_in(one(readings)), "Country", "Last 7 days")
    assert rows[-1][0] == "21 others"
    assert sum(number(row[1]) for row in rows) == 300


def test_a_code_stands_beside_its_numbers_as_a_phone_can_read_it() -> None:
    text = one(dropped())
    assert text.count('class="qr"') == 1
    assert 'stroke="#000"' in text
    assert "QR code 3" in text
    no_link = page_of(report([(QrCode(id=3), dropped())], WEEK, NOW))
    assert 'class="qr"' not in no_link
    long = QrCode(id=3, link="https://go.example/" + "x" * 5_000)
    assert 'class="qr"' not in page_of(report([(long, dropped())], WEEK, NOW))


@pytest.mark.nightly
def test_400_codes_take_less_than_half_a_megabyte() -> None:
    assert len(page_of(several(400)).encode()) < 500_000


def test_a_page_says_when_in_which_zone_and_of_which_profile() -> None:
    text = one(dropped())
    assert "As of 2026-11-21 13:14, Europe/Berlin (UTC+01:00) · profile north · linkdash" in text
    assert "Sat 14 Nov to Fri 20 Nov 2026" in text


def test_other_tables_are_pages_too() -> None:
    table = Table(("Plan", "Price"), [(Outside("<b>"), "1")], "lr")
    text = page([Heading(1, "Plans"), table], NOW, "north")
    assert "<title>Plans</title>" in text
    assert "<bdi>&lt;b&gt;</bdi>" in text


# ---- drawings ----


def columns_of(*values: int | None, is_sure: bool = True) -> tuple[ChartColumn, ...]:
    return tuple(ChartColumn(f"Day {at}", str(at), value, is_sure) for at, value in enumerate(values, 1))


def test_columns_are_as_high_as_their_numbers() -> None:
    chart = Columns("", columns_of(100, None), columns_of(50, 0), "before", "now", "bad", 2, ("▼ fell",))
    drawn = drawing.columns(chart)
    heights = {rect.title: rect.height for rect in drawn.rects}
    assert heights["Day 1: 100"] == pytest.approx(2 * heights["Day 1: 50"])
    assert heights["Day 2: 0"] == 0
    assert len(drawn.rects) == 3, "what is not known has no column"
    assert [rect.look for rect in drawn.rects] == ["before", "now bad", "now bad"]
    assert "▼" in [text.text for text in drawn.texts]


def test_labels_are_whole_where_not_every_column_has_one() -> None:
    few = drawing.columns(Columns("", columns_of(1, 2), columns_of(3, 4), "", ""))
    assert [text.text for text in few.texts if text.look == "label"] == ["1", "2", "1", "2"]
    many = drawing.columns(Columns("", columns_of(*range(50)), columns_of(*range(50)), "", ""))
    named = [text for text in many.texts if text.look == "label"]
    assert named[-1].text == "Day 50", "the last has one"
    assert all(text.text.startswith("Day ") for text in named)
    assert all(after.x - before.x >= 60 for before, after in pairwise(named)), "none lies over another"


def test_nothing_to_draw_is_no_failure() -> None:
    assert drawing.columns(Columns("", (), (), "", "")).rects == []
    assert drawing.lines(CurveChart("", ())).legend == []
    assert drawing.bar_widths(Bars("", ())) == []
    assert drawing.trend([None, None]) == []


def test_a_line_is_broken_where_nothing_is_known() -> None:
    series = (
        ("a", ((NOW, 1), (NOW.replace(hour=14), 2), (NOW.replace(hour=15), None), (NOW.replace(hour=16), 3))),
    )
    drawn = drawing.lines(CurveChart("", series))
    assert len([path for path in drawn.paths if path.look.startswith("line")]) == 2


def test_bars_are_in_percent_of_the_longest() -> None:
    assert drawing.bar_widths(Bars("", (("a", 10), ("b", 40), ("c", None)))) == [25.0, 100.0, 0.0]
