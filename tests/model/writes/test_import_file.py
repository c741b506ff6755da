"""The file of an import: a regular one of a bounded size."""

import os
import sys
from pathlib import Path

import pytest

from linkdash.model.file_text import Unimportable
from linkdash.model.writes import import_file
from linkdash.model.writes.import_file import read_file

posix = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes are POSIX")


@posix
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/full", "pipe"])
def test_what_may_never_end_is_not_read(tmp_path: Path, device: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(Unimportable, match="not a regular file"):
        read_file(tmp_path / device, "csv")


def test_no_more_is_read_than_can_be_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_file, "LARGEST_FILE", 1_000_000)
    file = tmp_path / "pixels.csv"
    file.write_bytes(b"name\n" + b"a" * 999_995)
    assert len(read_file(file).rows) == 1
    file.write_bytes(b"name\n" + b"a" * 999_996)
    with pytest.raises(Unimportable, match=r"pixels.csv has more than 1 MB."):
        read_file(file)
