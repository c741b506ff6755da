"""The report and the files it goes to: nothing in it is markup, and no file is ever written over."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkdash.api.qr import QrCode
from linkdash.model.files import NotSaved, save, save_text
from linkdash.model.statistics.code_statistics import CodeStatistics
from linkdash.model.statistics.readings import BREAKDOWN_TITLES
from linkdash.screens.statistics.compare_report import comparison
from linkdash.screens.statistics.report import fenced, quoted, report
from linkdash.store.changes import Snapshot

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
few = settings(max_examples=50, deadline=None)


def code_with(name: str, label: str) -> CodeStatistics:
    code = CodeStatistics(QrCode(id=3, name=name, link="https://go.example/3"))
    before = Snapshot(NOW - timedelta(days=8), 10, 5, 9, {"countries": {"Brazil": 10}})
    code.recalled([before], None)
    code.told(code.code, Snapshot(NOW, 30, 15, 24, {"countries": {"Brazil": 20, label: 10}, "social": {}}))
    return code


def test_a_report_says_totals_what_is_new_and_draws_every_chart() -> None:
    text = report(code_with("Table 4", "Japan"), NOW, UTC)
    assert "# QR code 3: `Table 4`" in text
    assert "- Landing address: `https://go.example/3`" in text
    assert "| Clicks | 30 | +20 |" in text
    assert "| Unique of clicks | 0.50 | scans of clicks 0.80 |" in text
    assert "countries: Japan +10, first seen" in text
    assert all(f"## {title}\n" in text for title in BREAKDOWN_TITLES.values())
    (row,) = [line for line in text.splitlines() if line.startswith("Brazil") and "█" in line]
    assert row.split()[-2:] == ["20", "67%"]
    assert "Over time, by day" in text
    assert max(map(len, text.splitlines())) <= 110


def test_a_report_without_statistics_says_so() -> None:
    code = CodeStatistics(QrCode(id=3))
    code.told(code.code, None)
    assert "No statistics." in report(code, NOW, UTC)


def test_a_comparison_says_the_totals_and_shares_of_each_code_and_draws_them_together() -> None:
    unread = CodeStatistics(QrCode(id=4))
    codes = [code_with("Table 4", "Japan"), unread, code_with("a | b", "Japan")]
    text = comparison(codes, "day", NOW, UTC)
    lines = text.splitlines()
    assert "1. `Table 4`: QR code 3, `https://go.example/3`, read 2026-03-10 12:00:00 +0000" in lines
    assert "2. `QR code 4`: QR code 4, `–`, not read" in lines
    assert "| 1 | 30 | 15 | 24 | 50% | 50% | +15 |" in lines
    assert "| 2 | – | – | – | – | – |  |" in lines
    assert all(f"## {title}\n" in text for title in BREAKDOWN_TITLES.values())
    (row,) = [line for line in lines if line.startswith("Brazil") and "█" in line]
    assert row.split()[-2:] == ["20", "67%"]
    assert max(map(len, lines)) <= 110


@few
@given(st.text(alphabet="`a~ ", min_size=1, max_size=12))
def test_no_text_ends_the_code_it_stands_in(text: str) -> None:
    span = quoted(text)
    ticks = span[: len(span) - len(span.lstrip("`"))] if span.strip("`") else span
    inner = span[len(ticks) : -len(ticks)]
    assert ticks not in inner or not inner
    block = fenced(iter([text, "```"]))
    fence = block.partition("text\n")[0]
    assert [line for line in block.splitlines() if line.strip().startswith(fence)] == [f"{fence}text", fence]


def test_hostile_names_and_labels_stay_in_code() -> None:
    hostile = "`` </code> @everyone ![x](http://evil.example) ```"
    outside, fence = [], ""
    for line in report(code_with(hostile, hostile), NOW, UTC).splitlines():
        if fence:
            fence = "" if line == fence else fence
        elif line.startswith("```"):
            fence = line.removesuffix("text")
        else:
            outside.append(line)
    assert not fence
    (heading,) = [line for line in outside if "@everyone" in line]
    assert heading == f"# QR code 3: ```` {hostile} ````"


def test_a_file_never_takes_the_place_of_another(tmp_path: Path) -> None:
    paths = [save_text(tmp_path, "qr-3", "csv", f"{number}") for number in range(3)]
    assert [path.name for path in paths] == ["qr-3.csv", "qr-3-2.csv", "qr-3-3.csv"]
    assert [path.read_text() for path in paths] == ["0", "1", "2"]
    assert all(path.is_absolute() for path in paths)


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    def fail(path: Path) -> None:
        path.write_text("half")
        raise OSError(28, "No space left on device")

    with pytest.raises(NotSaved, match="No space left"):
        save(tmp_path, "qr-3", "svg", fail)
    assert not list(tmp_path.iterdir())
    with pytest.raises(NotSaved, match="takes no file"):
        save_text(tmp_path / "missing", "qr-3", "svg", "x")
