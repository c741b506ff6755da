"""`linkdash import` on the service: checked first, sent once, told in a file, resumed after a kill."""

import json
import time
from itertools import count
from pathlib import Path

import pytest

from linkdash.demo import Settings
from linkdash.demo.gate import Fault
from linkdash.demo.server import Running, serve_in_thread
from tests.commands.shell import PROGRAM, Here, run, start
from tests.service.visitor import Visitor

_TAGS = count(50_000_000)


@pytest.fixture
def here(service: Running, capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(service, capsys)


def pixels(path: Path, rows: int) -> Path:
    lines = [f"bing,Import {number},{next(_TAGS)}" for number in range(rows)]
    path.write_text("\n".join(["type,name,tag", *lines]) + "\n")
    return path


def writes(service: Running) -> list[str]:
    return [f"{entry.method} {entry.path}" for entry in service.service.log if entry.method != "GET"]


def test_an_export_that_is_imported_changes_nothing_and_an_edit_changes_one(
    here: Here, service: Running, tmp_path: Path
) -> None:
    for ending in ("csv", "json", "jsonl"):
        path = tmp_path / f"pixels.{ending}"
        assert here("export", "pixels", str(path)).status == 0
        ran = here("import", "pixels", str(path), "--yes")
        assert (ran.status, ran.out) == (0, ""), ran.told
        assert "0 to send, 130 unchanged" in ran.told
    assert writes(service) == []
    text = (tmp_path / "pixels.csv").read_text().replace(" · Shop", " · Store", 1)
    edited = tmp_path / "edited.csv"
    edited.write_text(text)
    ran = here("import", "pixels", str(edited), "--dry-run")
    assert ran.out.count("PUT /api/pixel/") == len(ran.out.splitlines())
    assert writes(service) == []
    with Visitor(service, service.api_key) as visitor:
        visitor.write("PUT", "/api/pixel/1/update", {"name": "By somebody else", "tag": "GTM-111111"})
    ran = here("import", "pixels", str(tmp_path / "pixels.csv"), "--dry-run", "--resume")
    assert [line.partition(" {")[0] for line in ran.out.splitlines()] == ["PUT /api/pixel/1/update"]


def test_rows_are_checked_before_any_is_sent(here: Here, service: Running, tmp_path: Path) -> None:
    path = tmp_path / "new.csv"
    path.write_text("type,name,tag\nbing,Good,12345678\nmyspace,Bad,1\nbing,,1\n")
    before = len(service.service.log)
    ran = here("import", "pixels", str(path), "--yes")
    assert ran.status == 3
    assert [line.split()[:2] for line in ran.out.splitlines()[1:]] == [["3", "type"], ["4", "name"]]
    assert ran.told.endswith("2 rows cannot be sent. Nothing was sent.\n")
    assert len(service.service.log) == before
    assert here("import", "plans", str(path)).status == 2
    assert here("import", "pixels", str(tmp_path / "none.csv")).status == 1
    other = tmp_path / "other.csv"
    other.write_text("foo,bar\n1,2\n")
    ran = here("import", "campaigns", str(other), "--yes")
    assert (ran.status, "No column with values is a field of a campaign." in ran.told) == (3, True)


def test_a_result_file_tells_the_new_ids(here: Here, tmp_path: Path) -> None:
    path = pixels(tmp_path / "new.csv", 3)
    ran = here("import", "pixels", str(path), "--yes")
    results = path.with_name("new.csv.results.jsonl")
    lines = [json.loads(line) for line in results.read_text().splitlines()[1:]]
    assert ran.status == 0
    assert [line["state"] for line in lines] == ["sending", "done"] * 3
    assert ran.lines == lines[1::2]
    assert len({line["id"] for line in lines[1::2]} - set(range(131))) == 3
    assert results.stat().st_mode & 0o777 == 0o600
    again = here("import", "pixels", str(path), "--yes")
    assert (again.status, again.out) == (2, "")
    assert here("import", "pixels", str(path), "--yes", "--resume").status == 0
    path.write_text(path.read_text() + "bing,More,1\n")
    changed = here("import", "pixels", str(path), "--yes", "--resume")
    assert "The file has changed since its import was begun." in changed.told


def test_a_killed_import_leaves_one_unknown_and_repeats_nothing(tmp_path: Path) -> None:
    path = pixels(tmp_path / "new.csv", 6)
    with serve_in_thread(Settings(rate=100_000)) as service:
        service.service.faults.next("POST", "/api/pixel/add", Fault(), times=2)
        service.service.faults.next("POST", "/api/pixel/add", Fault(delay=60))
        process = start(service, "import", "pixels", str(path), "--yes", program=PROGRAM)
        while len(writes(service)) < 3:
            time.sleep(0.01)
        process.kill()
        process.communicate(timeout=60)
        ran = run(service, "import", "pixels", str(path), "--yes", "--resume")
        states = [
            json.loads(line) for line in (tmp_path / "new.csv.results.jsonl").read_text().splitlines()[1:]
        ]
        sent = [line["row"] for line in states if line["state"] == "sending"]
        assert sorted(sent) == sorted({*sent}) == [2, 3, 4, 5, 6, 7]
        assert ran.status == 4
        assert len(writes(service)) == 6
