"""The page as a real browser has it: it says nothing on its console, asks nobody, and shows the numbers.

Chromium is not of the tests' packages: without it these are left out, and say so.
"""

import csv as csv_file
import json as json_file
import os
import shutil
import subprocess
from collections.abc import Iterator
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from pathlib import Path
from threading import Thread

import pytest
from rich.segment import Segment
from textual.strip import Strip

from linkdash.api.resources.plans import Plan
from linkdash.api.resources.qr import QrCode
from linkdash.api.resources.users import User
from linkdash.model.document.html import page
from linkdash.model.insight.plan_matrix import matrix, matrix_blocks, matrix_csv
from linkdash.model.statistics.report import json, report
from linkdash.model.statistics.report.several_codes import MOST_SIDE_BY_SIDE
from linkdash.widgets.terminal.svg import svg
from tests.model.document.pages import HOSTILE, WEEK, found_in, hostile_report, number, page_of, table_with
from tests.model.statistics.test_period_comparison import NOW, growing
from tests.model.statistics.test_sentences import dropped

LONG_NAME = "Riverside Clinic · Trade fair stand 35"
EXPIRED = datetime(2026, 11, 14, 12, 0)
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), "")

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium: apt-get install chromium"),
]


class Asked(BaseHTTPRequestHandler):
    """The count of who asks."""

    paths: list[str] = []

    def do_GET(self) -> None:
        self.paths.append(self.path)
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""


@pytest.fixture
def asked() -> Iterator[str]:
    """The address of a service that counts who asks."""
    Asked.paths.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Asked)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def opened(text: str, folder: Path, name: str = "page.html") -> tuple[str, list[str]]:
    """The page as the browser has it after it was loaded, and what it said on its console."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    ran = subprocess.run(
        [
            CHROMIUM,
            *("--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0"),
            *("--disable-background-networking", "--no-first-run", f"--user-data-dir={folder / 'profile'}"),
            *("--virtual-time-budget=2000", "--dump-dom", path.as_uri()),
        ],
        env={**os.environ, "HOME": str(folder)},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return ran.stdout, [line for line in ran.stderr.splitlines() if "CONSOLE" in line]


def test_the_browser_shows_the_numbers_of_the_json(tmp_path: Path) -> None:
    codes = [(QrCode(id=1, name="Table 1", link="https://go.example/1"), dropped())]
    codes += [(QrCode(id=id, name=f"Poster {id}"), growing(20)) for id in range(2, 9)]
    made = report(codes, WEEK, NOW)
    text, said = opened(page_of(made), tmp_path)
    assert said == []
    found, told = found_in(text), json_file.loads(json(made))
    steps = table_with(found, "Last 7 days", "Scans", "7 days before", "Scans")
    assert sum(number(row[1]) for row in steps) == told["totals"]["scans"]["added"]
    assert sum(number(row[3]) for row in steps) == told["totals"]["scans"]["before"]
    every = table_with(found, "Code", "Id", "Scans in all")
    assert {row[0]: number(row[2]) for row in every} == {
        code["name"]: code["totals"]["scans"]["in_all"] for code in told["codes"]
    }


def test_plans_and_users_are_pages_with_the_numbers_of_their_files(tmp_path: Path) -> None:
    plans = [Plan(id=1, name="Small", price_monthly=1), Plan(id=2, name="<b>", price_monthly=29.5)]
    users = [User(id=id, username=f"user.{id}", status="pro", expires=EXPIRED) for id in range(1, 60)]
    made = matrix(plans, users)
    text, said = opened(page(matrix_blocks(made), NOW, "north"), tmp_path)
    assert said == []
    found = [row for _, *rows in found_in(text).tables for row in rows]
    assert [[cell.strip() for cell in row] for row in found] == [
        *csv_file.reader(StringIO(matrix_csv(made)))
    ][1:]


@pytest.mark.parametrize("width", [380, 1200])
def test_no_table_is_cut(width: int, tmp_path: Path) -> None:
    codes = [(QrCode(id=400 + id, name=LONG_NAME), dropped()) for id in range(2)]
    codes += [(QrCode(id=id, name=LONG_NAME), growing(20)) for id in range(2, 9)]
    cut = "[...document.querySelectorAll('.scroll')].filter(table => table.scrollWidth > table.clientWidth)"
    assert found_at(width, cut, page_of(report(codes, WEEK, NOW)), tmp_path) == "[]"
    side_by_side = page_of(report(codes[:MOST_SIDE_BY_SIDE], WEEK, NOW))
    assert found_at(width, cut, side_by_side, tmp_path) == "[]"
    assert found_at(width, cut, page_of(hostile_report()), tmp_path) == "[]"


def test_a_name_is_in_one_line_while_the_column_of_what_happened_has_room(tmp_path: Path) -> None:
    codes = [(QrCode(id=400 + id, name=LONG_NAME), dropped()) for id in range(2)]
    codes += [(QrCode(id=id, name=LONG_NAME), growing(20)) for id in range(2, 9)]
    names = "[...document.querySelectorAll('.told td:first-child bdi')]"
    broken = f"{names}.filter(name => name.getBoundingClientRect().height > 30)"
    text = page_of(report(codes, WEEK, NOW))
    assert LONG_NAME in found_at(900, names, text, tmp_path)
    assert found_at(900, broken, text, tmp_path) == "[]"


def found_at(width: int, elements: str, text: str, folder: Path) -> str:
    """The first words of elements of a page that is so many pixels wide, as JSON."""
    measure = (
        "<script>document.querySelectorAll('details').forEach(one => one.open = true);"
        f"const found = {elements}.map(one => one.innerText.slice(0, 60));"
        "parent.postMessage(JSON.stringify(found), '*')</script>"
    )
    (folder / "framed.html").write_text(
        text.replace("default-src 'none'", "default-src * 'unsafe-inline'") + measure
    )
    frame = "<title></title><script>onmessage = told => document.title = told.data</script>"
    frame += f"<iframe src='framed.html' style='width: {width}px; height: 800px'></iframe>"
    dom, _ = opened(frame, folder)
    return dom.partition("<title>")[2].partition("</title>")[0]


def test_a_picture_asks_nobody(tmp_path: Path, asked: str) -> None:
    name = f"<image href='{asked}/picture'/> & @import '{asked}/sheet'"
    picture = svg([Strip([Segment(name)])], name, "#000000")
    text, said = opened(picture, tmp_path, "picture.svg")
    assert said == []
    assert "<image" not in text
    assert Asked.paths == []
    opened(picture.replace("</svg>", f"<image href='{asked}/picture'/></svg>"), tmp_path, "picture.svg")
    assert "/picture" in Asked.paths, "it would have been found"


def test_hostile_labels_come_out_as_text(tmp_path: Path, asked: str) -> None:
    picture = f"<img src='{asked}/picture'><link rel=stylesheet href='{asked}/sheet'>"
    made = hostile_report()
    text, said = opened(page_of(report([(QrCode(id=1, name=picture), dropped())], WEEK, NOW)), tmp_path)
    assert said == []
    assert picture in found_in(text).text
    text, said = opened(page_of(made), tmp_path)
    assert said == []
    found = found_in(text)
    assert not {"script", "img", "a"} & set(found.tags)
    assert "<title>6 QR codes, last 7 days</title>" in text, "no script has run"
    assert HOSTILE[0] in found.text
    assert Asked.paths == []


def test_a_page_that_is_not_escaped_would_have_been_found(tmp_path: Path, asked: str) -> None:
    picture = f"<img src='{asked}/picture'>"
    text = page_of(report([(QrCode(id=1, name="NAME"), dropped())], WEEK, NOW)).replace("NAME", picture)
    _, said = opened(text, tmp_path)
    assert any("Content Security Policy" in line for line in said), "the policy keeps it from asking"
    assert Asked.paths == []
    without = text.replace("default-src 'none'", "default-src *").replace("img-src data:", "img-src *")
    opened(without, tmp_path)
    assert "/picture" in Asked.paths
