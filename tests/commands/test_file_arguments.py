"""Standard streams that are closed, full or pipes: the work goes on, and what was lost is said."""

import csv
import io
import json
import os
import subprocess
from pathlib import Path

import pytest

from linkdash.commands import output
from linkdash.demo.server import Running
from tests import prestarted
from tests.commands.shell import PROGRAM, Here, Ran, environment, run
from tests.service.writes import writes

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="closes streams by a shell"),
]


@pytest.fixture
def here(service: Running, capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(service, capsys)


def shell(service: Running, line: str, program: str = "") -> Ran:
    """A line of a shell in which `linkdash` is a program that is there at once, or the one that is given."""
    ran = subprocess.run(
        ["sh", "-c", line.replace("linkdash", program or prestarted.program())],
        env=environment(service),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return Ran(ran.returncode, ran.stdout, ran.stderr)


def reports(tmp_path: Path) -> list[Path]:
    return [path for path in tmp_path.rglob("*") if "report" in path.name or "fault" in path.name]


# ---- closed and full ----


def test_a_closed_output_is_the_end_of_a_reader(service: Running, tmp_path: Path) -> None:
    ran = shell(service, "linkdash list pixels >&-", PROGRAM)
    assert (ran.status, ran.out) == (0, "")
    assert "Traceback" not in ran.told
    before = len(writes(service))
    ran = shell(service, "linkdash create pixels type=bing name=Unseen tag=12345678 >&-", PROGRAM)
    assert (ran.status, ran.told) == (0, "")
    assert writes(service)[before:] == ["POST /api/pixel/add"]
    assert reports(tmp_path) == []


def test_a_full_disk_stops_no_deletion(service: Running, tmp_path: Path) -> None:
    before = len(writes(service))
    ran = shell(service, "linkdash delete pixels 61 62 63 --yes >/dev/full")
    assert len(writes(service)) == before + 3
    assert ran.status == 1
    assert ran.told.splitlines() == [
        "linkdash: The output cannot be written: No space left on device.",
        "linkdash: Finished: 3 done.",
    ]
    assert shell(service, "linkdash list pixels >/dev/full").status == 1
    assert shell(service, "linkdash list pixels 2>/dev/full").status == 0
    assert reports(tmp_path) == []


def test_nothing_that_is_said_goes_to_the_output(service: Running) -> None:
    assert shell(service, "linkdash lst 2>&-", PROGRAM) == Ran(2, "", "")
    ran = shell(service, "linkdash list pixels --limit 2 --format jsonl 2>&-", PROGRAM)
    assert (ran.status, len(ran.lines)) == (0, 2)


def test_a_closed_input_answers_nothing(service: Running) -> None:
    before = len(writes(service))
    ran = shell(service, "linkdash delete pixels 70 <&-", PROGRAM)
    assert ran.status == 2
    assert "Add --yes" in ran.told
    assert len(writes(service)) == before


# ---- pipes ----


def test_csv_in_a_pipe_has_lines_of_a_shell(service: Running, here: Here) -> None:
    before = len(writes(service))
    line = "linkdash list pixels --all --filter 'id<4' --columns id --format csv | tail -n +2"
    ran = shell(service, f"{line} | xargs linkdash delete pixels --yes")
    assert (ran.status, ran.told.endswith("linkdash: Finished: 3 done.\n")) == (0, True), ran.told
    assert len(writes(service)) == before + 3
    for verb in ("list domains", "get domains 1", "journal", "review", "report"):
        assert "\r" not in here(*verb.split(), "--format", "csv").out, verb
    assert "\r" not in here("export", "domains", "-").out


def test_line_ends_within_a_cell_stay(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [["a", 'say "x"\r\ny'], ["b\r\n", ""]]
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    output.put_csv(text.getvalue())
    out = capsys.readouterr().out
    assert [*csv.reader(io.StringIO(out, newline=""))] == rows
    assert out.replace('"', "").count("\r\n") == 2


@pytest.mark.parametrize("form", ["csv", "json", "jsonl"])
def test_an_export_goes_through_a_pipe_and_back(service: Running, form: str) -> None:
    exported = run(service, "export", "campaigns", "-", "--format", form)
    assert (exported.status, exported.told) == (0, "")
    before = len(writes(service))
    same = run(service, "import", "campaigns", "-", "--format", form, "--yes", typed=exported.out)
    assert same.status == 0, same.told
    assert len(writes(service)) == before, "nothing was changed"


def test_what_was_imported_from_a_pipe_is_not_made_again(service: Running) -> None:
    before = len(writes(service))
    rows = json.dumps([{"name": f"Piped {number}"} for number in range(3)])
    made = run(service, "import", "campaigns", "-", "--format", "json", "--yes", typed=rows)
    assert (made.status, len(made.lines)) == (0, 3)
    assert len(writes(service)) == before + 3
    again = run(service, "import", "campaigns", "-", "--format", "json", "--yes", typed=rows)
    assert (again.status, again.out) == (0, "")
    assert "All of this file was imported before" in again.told
    assert len(writes(service)) == before + 3


def test_an_import_of_a_pipe_is_agreed_to_beforehand(service: Running) -> None:
    ran = run(service, "import", "campaigns", "-", typed="name\nOne\nTwo\n")
    assert ran.status == 2
    assert "Add --yes" in ran.told


def test_what_cannot_be_written_is_not_asked_for(here: Here, service: Running, tmp_path: Path) -> None:
    before = len(service.service.log)
    (tmp_path / "folder.csv").mkdir()
    for target, reason in (("nowhere/p.csv", "No such file"), ("folder.csv", "Is a directory")):
        ran = here("export", "pixels", str(tmp_path / target))
        assert ran.status == 1
        assert f"{target} could not be written: {reason}" in ran.told
    assert here("export", "pixels", "pixels.txt").status == 2
    assert len(service.service.log) == before


# ---- what is asked for without meaning ----


def test_what_is_not_kept_is_said_and_a_failure(here: Here, service: Running, tmp_path: Path) -> None:
    before = len(service.service.log)
    ran = here("list", "splash", "--cached", "--format", "json")
    assert (ran.status, ran.told) == (1, "linkdash: Nothing of this list is stored.\n")
    target = tmp_path / "kept.csv"
    assert here("export", "splash", str(target), "--cached").status == 1
    assert not target.exists()
    assert here("get", "account", "7").status == 2
    assert len(service.service.log) == before


def test_a_code_that_is_not_there_has_one_status(here: Here) -> None:
    assert here("stats", "99999").status == 3
    assert here("collect", "--qr", "99999").status == 3


def test_a_pipe_and_a_device_are_not_replaced_by_an_export(
    here: Here, service: Running, tmp_path: Path
) -> None:
    pipe, asked = tmp_path / "pipe.csv", len(service.service.log)
    os.mkfifo(pipe)
    for file in (str(pipe), os.devnull):
        ran = here("export", "pixels", file, "--format", "csv")
        assert (ran.status, ran.out) == (1, "")
        assert "it is not a regular file; - is standard output" in ran.told
    assert pipe.is_fifo()
    assert len(service.service.log) == asked
