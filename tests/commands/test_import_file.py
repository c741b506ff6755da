"""`linkdash import` on the service: checked first, sent once, gone on with after a kill."""

import json
import signal
from collections import Counter
from itertools import count
from pathlib import Path

import pytest

from linkdash.demo import DemoSettings
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running, serve_in_thread
from tests.commands.shell import PROGRAM, Here, Person, run, start
from tests.service.visitor import Visitor
from tests.service.writes import writes
from tests.waiting import wait_here_until

_TAGS = count(50_000_000)


@pytest.fixture
def here(service: Running, capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(service, capsys)


def pixels(path: Path, rows: int) -> Path:
    lines = [f"bing,Import {number},{next(_TAGS)}" for number in range(rows)]
    path.write_text("\n".join(["type,name,tag", *lines]) + "\n")
    return path


def test_an_export_that_is_imported_changes_nothing_and_an_edit_changes_one(
    here: Here, service: Running, tmp_path: Path
) -> None:
    before, rows = writes(service), len(here("list", "pixels", "--all", "--format", "jsonl").lines)
    for ending in ("csv", "json", "jsonl"):
        path = tmp_path / f"pixels.{ending}"
        assert here("export", "pixels", str(path)).status == 0
        ran = here("import", "pixels", str(path), "--yes")
        assert (ran.status, ran.out) == (0, ""), ran.told
        assert f"0 to send, {rows} unchanged" in ran.told
    assert writes(service) == before
    text = (tmp_path / "pixels.csv").read_text().replace(" · Shop", " · Store", 1)
    edited = tmp_path / "edited.csv"
    edited.write_text(text)
    ran = here("import", "pixels", str(edited), "--dry-run")
    assert ran.out.count("PUT /api/pixel/") == len(ran.out.splitlines())
    assert writes(service) == before
    with Visitor(service, service.api_key) as visitor:
        visitor.write("PUT", "/api/pixel/1/update", {"name": "By somebody else", "tag": "GTM-111111"})
    untouched = ["import", "pixels", str(tmp_path / "pixels.csv"), "--dry-run"]
    ran = here(*untouched)
    assert (ran.status, ran.out.strip()) == (0, ""), "what was not edited undoes nothing"
    assert "1 row not edited here, changed elsewhere since, left so: " in ran.told
    assert "--overwrite sends what the file has." in ran.told
    ran = here(*untouched, "--overwrite")
    assert [line.partition(" {")[0] for line in ran.out.splitlines()] == ["PUT /api/pixel/1/update"]


def put(service: Running, id: int, name: str) -> None:
    with Visitor(service, service.api_key) as visitor:
        visitor.write("PUT", f"/api/channel/{id}/update", {"name": name})


def names(service: Running) -> dict[int, str]:
    with Visitor(service, service.api_key) as visitor:
        rows = visitor.read("/api/channels?limit=100")["data"]["channels"]
    return {row["id"]: row["name"] for row in rows}


@pytest.mark.parametrize("ending", ["csv", "json", "jsonl"])
def test_a_copy_of_an_export_sends_what_was_edited_in_it_whatever_it_is_called(
    here: Here, service: Running, tmp_path: Path, ending: str
) -> None:
    path, copy = tmp_path / f"channels.{ending}", tmp_path / "mailed" / f"to me.{ending}"
    copy.parent.mkdir()
    assert here("export", "channels", str(path)).status == 0
    assert here("update", "channels", "3", f"name=Here {ending}").status == 0
    put(service, 4, f"There {ending}")
    old = names(service)[2]
    copy.write_text(path.read_text(encoding="utf-8").replace(old, f"Edited in {ending}"), encoding="utf-8")
    path.unlink()
    ran = here("import", "channels", str(copy), "--dry-run")
    assert ran.out.splitlines() == [f'PUT /api/channel/2/update {{"name": "Edited in {ending}"}}']
    assert "2 rows not edited here, changed elsewhere since, left so: " in ran.told
    before = writes(service)
    ran = here("import", "channels", str(copy))
    assert (ran.status, writes(service)) == (2, before), "one row is asked about, too"
    assert here("import", "channels", str(copy), "--yes").status == 0
    now = names(service)
    assert [now[2], now[3], now[4]] == [f"Edited in {ending}", f"Here {ending}", f"There {ending}"]


def test_what_the_editor_of_a_file_did_not_see_is_not_replaced(
    here: Here, service: Running, tmp_path: Path
) -> None:
    """Whoever changed it: an edited copy may come from somebody else."""
    path, copy = tmp_path / "channels.jsonl", tmp_path / "copy.jsonl"
    assert here("export", "channels", str(path)).status == 0
    old = names(service)
    copy.write_text(
        path.read_text().replace(old[3], "Edited 3").replace(old[4], "Edited 4").replace(old[5], "Edited 5")
    )
    assert here("update", "channels", "3", "name=Renamed here").status == 0
    put(service, 4, "Renamed there")
    ran = here("import", "channels", str(copy), "--yes")
    assert ran.status == 3, ran.told
    assert "2 channels changed elsewhere, not sent. --overwrite sends your values." in ran.told
    now = names(service)
    assert [now[3], now[4], now[5]] == ["Renamed here", "Renamed there", "Edited 5"]


def test_of_several_exports_a_file_is_of_the_one_that_it_is_most_like(
    here: Here, service: Running, tmp_path: Path
) -> None:
    older, newer = tmp_path / "older.jsonl", tmp_path / "newer.jsonl"
    assert here("export", "channels", str(older)).status == 0
    before = names(service)
    put(service, 3, "Renamed 3")
    put(service, 4, "Renamed 4")
    assert here("export", "channels", str(newer)).status == 0
    copy = tmp_path / "copy.jsonl"
    for path in (older, newer):
        copy.write_text(path.read_text().replace(before[5], "Edited"))
        ran = here("import", "channels", str(copy), "--dry-run")
        assert ran.out.splitlines() == ['PUT /api/channel/5/update {"name": "Edited"}'], path


def test_a_file_of_no_export_that_is_known_here_is_sent_as_it_stands_and_that_is_said(
    here: Here, service: Running, tmp_path: Path
) -> None:
    path, words = tmp_path / "channels.jsonl", "of no export known here: every value that differs"
    assert here("export", "channels", str(path)).status == 0
    old = names(service)[6]
    put(service, 6, "Made since")
    loaded = {"XDG_CACHE_HOME": str(tmp_path / "new cache")}
    ran = here("import", "channels", str(path), "--dry-run", set=loaded)
    assert (ran.status, ran.out, words in ran.told) == (0, "", False), ran.told
    mailed = {"XDG_STATE_HOME": str(tmp_path / "other machine"), **loaded}
    for flag in ("--dry-run", "--yes"):
        ran = here("import", "channels", str(path), flag, set=mailed)
        assert f"1 row {words} from the service is sent." in ran.told
    assert names(service)[6] == old
    made = pixels(tmp_path / "new.csv", 1)
    assert words not in here("import", "pixels", str(made), "--dry-run", set=mailed).told


def test_a_cell_that_a_spreadsheet_has_rewritten_is_no_edit(
    here: Here, service: Running, tmp_path: Path
) -> None:
    made = here("create", "pixels", "type=bing", "name=Long", "tag=123456789012345678").lines[0]["id"]
    path = tmp_path / "pixels.csv"
    assert here("export", "pixels", str(path)).status == 0
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace("123456789012345678", "1.23457E+17").replace("Long", "Longer"), encoding="utf-8"
    )
    ran = here("import", "pixels", str(path), "--yes")
    assert ran.status == 0
    assert "Rewritten by a spreadsheet, left as it is: tag in row " in ran.told
    with Visitor(service, service.api_key) as visitor:
        rows = visitor.read("/api/pixels?limit=100")["data"]["pixels"]
    (row,) = (row for row in rows if row["id"] == made)
    assert (row["name"], row["tag"]) == ("Longer", "123456789012345678")
    path = tmp_path / "new.csv"
    path.write_text("type,name,tag\nbing,New,1.23457E+17\n")
    ran = here("import", "pixels", str(path), "--yes")
    assert (ran.status, "a spreadsheet has rewritten this" in ran.out) == (3, True)


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
    assert (ran.status, "No column is a field of a campaign." in ran.told) == (3, True)


def test_an_emptied_cell_empties_the_member_and_is_told(here: Here, tmp_path: Path) -> None:
    path = tmp_path / "domains.csv"
    assert here("export", "domains", str(path)).status == 0
    header, first, *others = path.read_text().splitlines()
    emptied = ",".join([*first.split(",")[:-1], ""])
    path.write_text("\n".join([header, emptied, *others]) + "\n")
    ran = here("import", "domains", str(path), "--dry-run")
    assert ran.out.rstrip().endswith('{"redirect404": ""}'), ran.out
    assert "Emptied: 404 redirect in 1 row." in ran.told


def test_each_row_has_a_line_with_the_new_id_and_a_file_that_is_done_is_not_repeated_unasked(
    here: Here, service: Running, tmp_path: Path
) -> None:
    path = pixels(tmp_path / "new.csv", 3)
    ran = here("import", "pixels", str(path), "--yes")
    assert ran.status == 0
    assert [(line["row"], line["outcome"]) for line in ran.lines] == [(row, "done") for row in (2, 3, 4)]
    assert len({line["id"] for line in ran.lines}) == 3
    before = begun(service)
    again = here("import", "pixels", str(path), "--yes")
    assert (again.status, again.out, begun(service)) == (0, "", before)
    assert "All of this file was imported before" in again.told
    assert here("import", "pixels", str(path), "--yes", person=Person((lambda: None, "no"))).status == 0
    assert begun(service) == before
    repeated = here("import", "pixels", str(path), "--yes", person=Person((lambda: None, "yes")))
    assert (repeated.status, begun(service)) == (0, before + 3)


def test_what_an_earlier_version_has_noted_of_a_file_is_not_passed_over(here: Here, tmp_path: Path) -> None:
    path = pixels(tmp_path / "new.csv", 3)
    path.with_name("new.csv.results.jsonl").write_text("{}\n")
    ran = here("import", "pixels", str(path), "--yes")
    assert (ran.status, "new.csv.results.jsonl lists what an earlier version has sent" in ran.told) == (
        3,
        True,
    )


def made(service: Running, path: Path) -> Counter[str]:
    """Return how often each row's tag is at the service."""
    tags = {line.rsplit(",", 1)[1] for line in path.read_text().splitlines()[1:]}
    with Visitor(service, service.api_key) as visitor:
        pages = [visitor.read(f"/api/pixels?limit=100&page={page}")["data"]["pixels"] for page in range(1, 5)]
    return Counter(row["tag"] for page in pages for row in page if row["tag"] in tags)


def begun(service: Running) -> int:
    return sum(line == "POST /api/pixel/add" for line in writes(service))


@pytest.mark.parametrize("handled", [True, False])
def test_what_became_of_an_unknown_row_is_found_out_and_what_did_not_happen_is_sent(
    here: Here, service: Running, tmp_path: Path, handled: bool
) -> None:
    path = pixels(tmp_path / "new.csv", 4)
    service.service.faults.next("POST", "/api/pixel/add", Fault())
    service.service.faults.next("POST", "/api/pixel/add", Fault(drop=True, handled=handled))
    before = begun(service)
    ran = here("import", "pixels", str(path), "--yes")
    assert (ran.status, "journal --check" in ran.told) == (4, True)
    early = here("import", "pixels", str(path), "--yes")
    assert (early.status, begun(service) - before) == (4, 4), "what is unknown is not sent"
    (line,) = here("journal", "--check", "--format", "jsonl").lines
    assert line["outcome"] == ("confirmed" if handled else "not done")
    again = here("import", "pixels", str(path), "--yes")
    assert again.status == 0, again.told
    assert begun(service) - before == (4 if handled else 5)
    assert {*made(service, path).values()} == {1}
    assert len(made(service, path)) == 4


def test_an_edited_file_is_gone_on_with_row_by_row(here: Here, service: Running, tmp_path: Path) -> None:
    path = pixels(tmp_path / "new.csv", 4)
    header, *rows = path.read_text().splitlines()
    refused = Fault(handled=False, status=422, content=b'{"error": 1, "message": "Not now."}')
    for fault in (Fault(), refused, refused):
        service.service.faults.next("POST", "/api/pixel/add", fault)
    before = begun(service)
    assert here("import", "pixels", str(path), "--yes").status == 3
    assert begun(service) - before == 4
    corrected = rows[1].replace("Import", "Corrected")
    more = f"bing,More,{next(_TAGS)}"
    path.write_text("\n".join([header, more, rows[3], rows[2], corrected, rows[0]]) + "\n")
    ran = here("import", "pixels", str(path), "--yes")
    assert (ran.status, begun(service) - before) == (0, 7), ran.told
    assert [line["row"] for line in ran.lines] == [2, 4, 5], "a new one, one again, one corrected"
    assert {*made(service, path).values()} == {1}
    assert len(made(service, path)) == 5


def test_of_two_that_import_a_file_one_sends_it(here: Here, service: Running, tmp_path: Path) -> None:
    path = pixels(tmp_path / "new.csv", 4)
    service.service.faults.next("POST", "/api/pixel/add", Fault(delay=1))
    before = begun(service)
    first = start(service, "import", "pixels", str(path), "--yes", program=PROGRAM)
    wait_here_until(lambda: begun(service) != before)
    first.send_signal(signal.SIGSTOP)
    second = here("import", "pixels", str(path), "--yes")
    first.send_signal(signal.SIGCONT)
    _, told = first.communicate(timeout=60)
    assert (second.status, "runs this job" in second.told) == (1, True)
    assert (first.returncode, begun(service) - before) == (0, 4), told
    assert made(service, path) == Counter(dict.fromkeys(made(service, path), 1))


def test_another_file_of_the_same_name_is_begun(here: Here, service: Running, tmp_path: Path) -> None:
    path = tmp_path / "weekly.csv"
    for _ in range(2):
        assert here("import", "pixels", str(pixels(path, 2)), "--yes").status == 0
        assert len(made(service, path)) == 2


def test_a_row_of_unknown_outcome_that_was_edited_has_to_be_known_first(
    here: Here, service: Running, tmp_path: Path
) -> None:
    path = pixels(tmp_path / "new.csv", 1)
    service.service.faults.next("POST", "/api/pixel/add", Fault(drop=True, handled=False))
    assert here("import", "pixels", str(path), "--yes").status == 4
    path.write_text(path.read_text().replace("Import", "Edited"))
    before = begun(service)
    ran = here("import", "pixels", str(path), "--yes")
    assert (ran.status, begun(service)) == (4, before)
    assert "Sent before of this file, of unknown outcome: create pixel 'Import 0'." in ran.told
    here("journal", "--check")
    assert here("import", "pixels", str(path), "--yes").status == 0
    assert {*made(service, path).values()} == {1}


def test_a_row_whose_lost_write_was_done_is_told_as_unknown_and_no_more(
    here: Here, service: Running, tmp_path: Path
) -> None:
    path = tmp_path / "channels.jsonl"
    path.write_text(json.dumps({"id": 7, "name": "Lost and done"}))
    service.service.faults.next("PUT", "/api/channel/7/update", Fault(drop=True))
    assert here("import", "channels", str(path), "--yes").status == 4
    assert names(service)[7] == "Lost and done"
    ran = here("import", "channels", str(path), "--yes")
    assert ran.status == 4
    assert "Sent before of this file, of unknown outcome: edit channel 7 (" in ran.told
    assert "changed in the file" not in ran.told, "nothing has"
    assert "linkdash journal --check" in ran.told
    assert here("journal", "--check").status == 0
    assert here("import", "channels", str(path), "--yes").status == 0


def test_a_killed_import_leaves_one_unknown_and_repeats_nothing(tmp_path: Path) -> None:
    path = pixels(tmp_path / "new.csv", 6)
    with serve_in_thread(DemoSettings(rate=100_000)) as service:
        service.service.faults.next("POST", "/api/pixel/add", Fault(), times=2)
        service.service.faults.next("POST", "/api/pixel/add", Fault(delay=60))
        process = start(service, "import", "pixels", str(path), "--yes")
        wait_here_until(lambda: len(writes(service)) >= 3)
        process.kill()
        process.communicate(timeout=60)
        ran = run(service, "import", "pixels", str(path), "--yes")
        assert (ran.status, len(writes(service))) == (4, 6)
        assert [json.loads(line)["row"] for line in ran.out.splitlines()] == [5, 6, 7]
