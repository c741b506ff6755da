"""Changes last in a data file, and a file that is not ours is left alone."""

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from linkdash.demo import DemoError, DemoSettings
from linkdash.demo.server import serve_in_thread
from linkdash.demo.service import DemoService
from tests.service.visitor import Clock, Visitor


@pytest.fixture
def data_file(tmp_path: Path) -> Path:
    return tmp_path / "demo.db"


def test_changes_and_keys_are_there_again(data_file: Path) -> None:
    first = DemoSettings(data_file=data_file, clock=Clock())
    with serve_in_thread(first) as running, Visitor(running, running.api_key) as admin:
        key = running.api_key
        made = admin.write("POST", "/api/pixel/add", {"type": "bing", "name": "Kept", "tag": "K-1"})["id"]
        admin.write("DELETE", "/api/domain/1/delete")
        code = admin.read("/api/qr/10")
    later = DemoSettings(data_file=data_file, clock=Clock(), seed=99)
    with serve_in_thread(later) as running, Visitor(running, key) as admin:
        assert running.api_key == key
        pixels = admin.read("/api/pixels")["data"]
        assert (pixels["result"], pixels["pixels"][0]["id"]) == (131, made)
        assert admin.read("/api/domains")["data"]["result"] == 11
        assert admin.read("/api/qr/10") == code


def test_nothing_is_left_of_the_items_of_a_deleted_channel_or_of_a_deleted_code(data_file: Path) -> None:
    settings = DemoSettings(data_file=data_file)
    with serve_in_thread(settings) as running, Visitor(running, running.api_key) as admin:
        admin.write("POST", "/api/channel/1/assign/links/1")
        admin.write("POST", "/api/channel/2/assign/qr/1")
        admin.write("DELETE", "/api/channel/1/delete")
        admin.write("DELETE", "/api/qr/1/delete")
    with closing(sqlite3.connect(data_file)) as db:
        query = "SELECT COUNT(*) FROM channel_items WHERE channel_id = 1 OR (type = 'qr' AND item_id = 1)"
        assert db.execute(query).fetchone() == (0,)


def test_the_file_is_for_its_owner_only(data_file: Path) -> None:
    DemoService(DemoSettings(data_file=data_file)).close()
    assert stat.S_IMODE(data_file.stat().st_mode) == 0o600


@pytest.mark.skipif(os.name != "posix", reason="permissions and links as POSIX has them")
def test_a_file_that_others_can_read_or_that_is_a_link_is_not_trusted(
    data_file: Path, tmp_path: Path
) -> None:
    data_file.touch(mode=0o666)
    data_file.chmod(0o666)
    DemoService(DemoSettings(data_file=data_file)).close()
    assert stat.S_IMODE(data_file.stat().st_mode) == 0o600
    link, twin, elsewhere = tmp_path / "link.db", tmp_path / "twin.db", tmp_path / "elsewhere.db"
    link.symlink_to(elsewhere)
    os.link(data_file, twin)
    for path in (link, twin):
        with pytest.raises(DemoError, match="cannot be opened"):
            DemoService(DemoSettings(data_file=path))
    assert not elsewhere.exists()


def test_a_file_in_use_by_another_service_is_refused(data_file: Path) -> None:
    first = DemoService(DemoSettings(data_file=data_file))
    with pytest.raises(DemoError, match="locked"):
        DemoService(DemoSettings(data_file=data_file))
    first.close()
    DemoService(DemoSettings(data_file=data_file)).close()


def test_another_programs_database_is_left_alone(data_file: Path) -> None:
    with sqlite3.connect(data_file) as other:
        other.execute("CREATE TABLE diary (page TEXT)")
    other.close()
    before = data_file.read_bytes()
    with pytest.raises(DemoError, match="another program's"):
        DemoService(DemoSettings(data_file=data_file))
    assert data_file.read_bytes() == before


def test_a_file_that_is_no_database_is_left_alone(data_file: Path) -> None:
    data_file.write_text("Dear diary, " * 100)
    with pytest.raises(DemoError, match="not a database"):
        DemoService(DemoSettings(data_file=data_file))
    assert data_file.read_text().startswith("Dear diary")


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(DemoError, match="cannot be opened") as told:
        DemoService(DemoSettings(data_file=tmp_path / "nowhere" / "demo.db"))
    assert os.linesep not in str(told.value)
