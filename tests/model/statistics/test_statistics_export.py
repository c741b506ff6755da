"""Exports of statistics: they come back as they were, and no spreadsheet executes any of it."""

import csv
import io
import json
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from linkdash.api.resources.qr import QrCode
from linkdash.model.csv_text import csv_text, safe_cell
from linkdash.model.statistics.readings import BREAKDOWN_TITLES
from linkdash.model.statistics.statistics_export import (
    comparison_csv,
    comparison_json,
    history_csv,
    history_json,
)
from linkdash.store.reading import Reading

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
FORMULAS = ("=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "=cmd|'/c calc'!A0")


counts = st.none() | st.integers(0, 10**12)
labels = st.text(max_size=8) | st.sampled_from(FORMULAS)
breakdowns = st.dictionaries(
    st.sampled_from([*BREAKDOWN_TITLES]), st.dictionaries(labels, st.integers(0, 10**9), max_size=4)
)
readings = st.lists(st.builds(Reading, st.just(NOON), counts, counts, counts, breakdowns), max_size=4)
code = QrCode(id=3, name="=Table", link="https://go.example/3")


def table(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


@given(st.lists(st.lists(st.none() | st.integers() | labels, min_size=2, max_size=2), max_size=6))
def test_a_table_comes_back_and_holds_no_formula(rows: list[list[str | int | None]]) -> None:
    header, *found = table(csv_text(("=a", "b"), rows))
    assert header == ["'=a", "b"]
    for row, cells in zip(rows, found, strict=True):
        for cell, text in zip(row, cells, strict=True):
            if isinstance(cell, str):
                assert not text.startswith(("=", "+", "-", "@", "\t", "\r"))
                assert text.removeprefix("'") == cell.removeprefix("'")
            else:
                assert text == ("" if cell is None else str(cell))


def test_numbers_stay_numbers_and_lone_surrogates_break_nothing() -> None:
    assert [safe_cell(-5), safe_cell(2.5), safe_cell(None)] == [-5, 2.5, None]
    csv_text(("a",), [("\ud800=",)]).encode()


@given(st.builds(Reading, st.just(NOON), counts, counts, counts, breakdowns))
def test_statistics_come_back_from_both_files(snapshot: Reading) -> None:
    several = [(code, snapshot), (code, None)]
    rows = table(comparison_csv(several))[1:]
    totals = {name: int(count) for *_, group, name, count in rows if group == "total"}
    assert totals == {
        name: value for name in ("clicks", "unique", "scans") if (value := snapshot.total(name)) is not None
    }
    told = sum(len(counts) for counts in snapshot.breakdowns.values())
    assert len(rows) == len(totals) + told
    assert all(row[:4] == ["3", "'=Table", "https://go.example/3", NOON.isoformat()] for row in rows)
    first, unread = json.loads(comparison_json(several))["codes"]
    assert (reading_of(first), unread["read_at"]) == (snapshot, None)


@given(readings)
def test_history_comes_back_from_both_files(history: list[Reading]) -> None:
    history = [
        Reading(NOON + timedelta(hours=number), one.clicks, one.unique, one.scans, one.breakdowns)
        for number, one in enumerate(history)
    ]
    data = json.loads(history_json(code, history))
    assert data["code"] == {"id": 3, "name": "=Table", "link": "https://go.example/3"}
    assert [reading_of(reading) for reading in data["readings"]] == history
    header, *rows = table(history_csv(code, history))
    assert header[:5] == ["code", "read at", "clicks", "unique", "scans"]
    for snapshot, row in zip(history, rows, strict=True):
        assert row[1:3] == [snapshot.at.isoformat(), "" if snapshot.clicks is None else str(snapshot.clicks)]
        found = sorted(cell for cell in row[5:] if cell)
        assert found == sorted(str(n) for counts in snapshot.breakdowns.values() for n in counts.values())


def reading_of(data: dict[str, Any]) -> Reading:
    told = {name: data[name] for name in BREAKDOWN_TITLES if data[name] is not None}
    moment = datetime.fromisoformat(data["read_at"])
    return Reading(moment, data["clicks"], data["unique"], data["scans"], told)
