"""The commands that the README shows for scripts are run as they stand there."""

import os
import subprocess
from pathlib import Path

import pytest

from linkdash.demo.server import Running
from tests.commands.prestarted import prestarted
from tests.commands.shell import environment

README = Path(__file__).parents[2] / "README.md"
BEGIN, END = "<!-- scripts:", "<!-- end of scripts -->"


def shown() -> list[str]:
    text = README.read_text().partition(BEGIN)[2].partition(END)[0]
    return [line.strip() for line in text.splitlines()[1:] if line.strip()]


@pytest.mark.skipif(os.name != "posix", reason="they are lines of a shell of POSIX")
def test_every_line_for_scripts_runs(service: Running, tmp_path: Path) -> None:
    lines = shown()
    assert len(lines) >= 10
    script = "set -e\n" + "".join(f"{{ {line}; }} > {number}.out\n" for number, line in enumerate(lines))
    with prestarted(tmp_path) as folder:
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
