"""Reports of faults: what failed and what was done before, and nothing that should not leave the machine."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from linkdash.model.fault_reports import REMEMBERED, FaultReports

KEY = SecretStr("sk-live-0123456789abcdef")


def failing(secret: str) -> None:
    local_variable = f"{secret} in a local"
    raise ValueError(f"cannot read \x1b[2J{secret}") from KeyError(local_variable)


@pytest.fixture
def error() -> BaseException:
    with pytest.raises(ValueError, match="cannot read") as caught:
        failing(KEY.get_secret_value())
    return caught.value


def test_a_report_names_what_failed_where_and_what_was_done_before(
    tmp_path: Path, error: BaseException
) -> None:
    reports = FaultReports(tmp_path, [KEY])
    for number in range(REMEMBERED + 5):
        reports.did(f"action {number}")
    path = reports.write(error)
    assert path is not None
    assert path.stat().st_mode & 0o777 == 0o600
    text = path.read_text()
    assert "ValueError: cannot read" in text
    assert "test_fault_reports.py" in text
    assert "in failing" in text
    assert "action 4" not in text.split("newest last:")[1].splitlines()[1]
    assert text.rstrip().endswith(f"action {REMEMBERED + 4}")


def test_no_secret_no_local_and_no_control_character_is_in_it(tmp_path: Path, error: BaseException) -> None:
    reports = FaultReports(tmp_path, [KEY])
    path = reports.write(error)
    assert path is not None
    text = path.read_text()
    assert KEY.get_secret_value() not in text
    assert "local_variable" not in text
    assert not any(letter < " " for letter in text if letter != "\n")


def test_reports_do_not_pile_up_and_a_folder_that_takes_none_is_no_second_fault(
    tmp_path: Path, error: BaseException
) -> None:
    reports = FaultReports(tmp_path, ())
    for _ in range(14):
        reports.write(error)
    assert len(list(tmp_path.iterdir())) == 10
    (tmp_path / "file").touch()
    assert FaultReports(tmp_path / "file", ()).write(error) is None


def test_the_folder_is_made_where_it_is_missing(tmp_path: Path, error: BaseException) -> None:
    path = FaultReports(tmp_path / "state" / "linkdash", ()).write(error)
    assert path is not None
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_a_report_of_a_standstill_says_where_everything_was_and_hides_the_key(tmp_path: Path) -> None:
    reports = FaultReports(tmp_path, [KEY])
    reports.did("go to pixels")
    path = reports.write_stacks("stood still", [f"  a.py:3 in {KEY.get_secret_value()}", "  b.py:4 in wait"])
    assert path is not None
    text = path.read_text()
    assert " stood still at " in text
    assert "b.py:4 in wait" in text
    assert text.rstrip().endswith("go to pixels")
    assert KEY.get_secret_value() not in text
