"""The commands that the README shows for scripts are run as they stand there; those for tests exist."""

import os
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from linkdash.demo.server import Running
from tests import prestarted
from tests.commands.shell import environment

README = Path(__file__).parents[2] / "README.md"
BEGIN, END = "<!-- scripts:", "<!-- end of scripts -->"


def shown() -> list[str]:
    text = README.read_text().partition(BEGIN)[2].partition(END)[0]
    return [line.strip() for line in text.splitlines()[1:] if line.strip()]


@pytest.mark.skipif(os.name != "posix", reason="they are lines of a shell of POSIX")
@pytest.mark.long
def test_every_line_for_scripts_runs(service: Running, tmp_path: Path) -> None:
    lines = shown()
    assert len(lines) >= 10
    script = "set -e\n" + "".join(f"{{ {line}; }} > {number}.out\n" for number, line in enumerate(lines))
    folder = Path(prestarted.program()).parent
    ran = subprocess.run(
        ["sh", "-c", script],
        env=environment(service, PATH=f"{folder}:{os.environ['PATH']}"),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    empty = {line for number, line in enumerate(lines) if not (tmp_path / f"{number}.out").read_text()}
    assert empty <= {line for line in lines if " export " in line or " import " in line or " > " in line}
    assert (tmp_path / "report.md").read_text().startswith("# 2 QR codes")


def test_every_promise_has_a_command_that_exists() -> None:
    table = README.read_text().partition("## Promises")[2].partition("These only measure")[0]
    rows = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("| ")][2:]
    assert len(rows) >= 15
    root = README.parent
    for promise, how, cell in rows:
        command = cell.strip(" `").removeprefix("LINKDASH_LONG=1 ").split()
        assert promise.strip()
        assert how.strip()
        match command:
            case [".venv/bin/pytest", *paths]:
                assert paths
                assert [path for path in paths if not (root / path).exists()] == []
            case [".venv/bin/python", "-m", module]:
                assert find_spec(module) is not None, module
            case [program]:
                assert os.access(root / program, os.X_OK), program
            case _:
                raise AssertionError(cell)
