"""Statistics and their history as CSV and JSON."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from linkdash.api.records import as_sent
from linkdash.api.resources.qr import QrCode
from linkdash.model.csv_text import Cell, csv_text
from linkdash.model.json_text import json_text
from linkdash.model.statistics.readings import BREAKDOWN_TITLES
from linkdash.store.reading import TOTALS, Reading

ByLabel = TypeVar("ByLabel")


def comparison_csv(read: Sequence[tuple[QrCode, Reading | None]]) -> str:
    """A reading of each of several codes, one below the other, a row a number; none has no row."""
    rows = (row for code, reading in read if reading for row in _statistics_rows(code, reading))
    return csv_text(("code", "name", "link", "read at", "group", "label", "count"), rows)


def _statistics_rows(code: QrCode, reading: Reading) -> list[list[Cell]]:
    totals = [("total", name, reading.total(name)) for name in TOTALS]
    counts = [
        (breakdown, label, count)
        for breakdown, by_label in _ordered(reading.breakdowns)
        for label, count in by_label.items()
    ]
    sent = as_sent(code)
    return [
        [sent.id, sent.name, sent.link, _moment(reading.at), group, label, count]
        for group, label, count in (*totals, *counts)
        if count is not None
    ]


def history_csv(code: QrCode, readings: Sequence[Reading]) -> str:
    """All readings, a row each, a column a total and a label; what was not told is an empty cell."""
    columns = _columns(readings)
    header = ["code", "read at", *TOTALS, *(f"{breakdown}: {label}" for breakdown, label in columns)]
    return csv_text(header, (_history_row(code, reading, columns) for reading in readings))


def comparison_json(read: Iterable[tuple[QrCode, Reading | None]]) -> str:
    """A reading of each of several codes; null where the service told nothing."""
    nothing = {"read_at": None}
    codes = [{"code": _code(code), **(_as_json(reading) if reading else nothing)} for code, reading in read]
    return json_text({"codes": codes})


def history_json(code: QrCode, readings: Iterable[Reading]) -> str:
    """All readings in the order of time; null where the service told nothing."""
    return json_text({"code": _code(code), "readings": [_as_json(reading) for reading in readings]})


def _history_row(code: QrCode, reading: Reading, columns: Sequence[tuple[str, str]]) -> list[Cell]:
    row: list[Cell] = [code.id, _moment(reading.at), *(reading.total(name) for name in TOTALS)]
    row += [reading.breakdowns.get(breakdown, {}).get(label) for breakdown, label in columns]
    return row


def _columns(readings: Iterable[Reading]) -> list[tuple[str, str]]:
    """Every label that any reading has, by breakdown."""
    labels: dict[str, dict[str, None]] = {}
    for reading in readings:
        for breakdown, counts in reading.breakdowns.items():
            labels.setdefault(breakdown, {}).update(dict.fromkeys(counts))
    return [(breakdown, label) for breakdown, found in _ordered(labels) for label in found]


def _ordered(breakdowns: Mapping[str, Mapping[str, ByLabel]]) -> list[tuple[str, Mapping[str, ByLabel]]]:
    """The breakdowns in the order they are shown."""
    return [(name, breakdowns[name]) for name in BREAKDOWN_TITLES if name in breakdowns]


def _code(code: QrCode) -> dict[str, object]:
    sent = as_sent(code)
    return {"id": sent.id, "name": sent.name, "link": sent.link}


def _as_json(reading: Reading) -> dict[str, object]:
    totals: dict[str, object] = {name: reading.total(name) for name in TOTALS}
    breakdowns = {name: _counts(reading.breakdowns.get(name)) for name in BREAKDOWN_TITLES}
    return {"read_at": _moment(reading.at), **totals, **breakdowns}


def _counts(counts: Mapping[str, int] | None) -> dict[str, int] | None:
    return None if counts is None else dict(counts)


def _moment(moment: datetime) -> str:
    """A moment with its distance to UTC."""
    return moment.isoformat(timespec="seconds")
