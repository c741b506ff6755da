"""Changes of others between a look and a write: they stay, or nothing is sent without `--overwrite`."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from tests.commands.machines import Machines
from tests.commands.shell import Here, Person
from tests.postgres import PostgresServer
from tests.service.visitor import Visitor

_IDS = count(40)


@pytest.fixture
def here(service: Running, capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(service, capsys)


class Other:
    """Somebody else with a key of the same account, and a pixel that no other test changes."""

    def __init__(self, visitor: Visitor, service: Running) -> None:
        self._visitor, self._service = visitor, service
        self.id = str(next(_IDS))
        self.set(name="Was", tag="11111111")

    def set(self, **members: str) -> None:
        self._visitor.write("PUT", f"/api/pixel/{self.id}/update", members)

    @property
    def pixel(self) -> tuple[str, str]:
        rows = [
            row
            for page in (1, 2)
            for row in self._visitor.read(f"/api/pixels?limit=100&page={page}")["data"]["pixels"]
        ]
        found = next(row for row in rows if str(row["id"]) == self.id)
        return found["name"], found["tag"]

    @property
    def log(self) -> list[str]:
        return [f"{entry.method} {entry.path}" for entry in self._service.service.log]


@pytest.fixture
def other(service: Running) -> Iterator[Other]:
    with Visitor(service, service.api_key) as visitor:
        yield Other(visitor, service)


# ---- update ----


def test_what_is_not_named_is_read_for_the_write_and_not_taken_from_what_is_kept(
    here: Here, other: Other
) -> None:
    here("list", "pixels", "--all")
    other.set(tag="22222222")
    begun = len(other.log)
    assert here("update", "pixels", other.id, "name=Mine").status == 0
    assert other.log[begun:] == ["GET /api/pixels", f"PUT /api/pixel/{other.id}/update"]
    assert other.pixel == ("Mine", "22222222")


def test_what_was_changed_before_the_look_is_no_conflict(here: Here, other: Other) -> None:
    other.set(name="Theirs", tag="22222222")
    here("list", "pixels", "--all")
    assert here("update", "pixels", other.id, "name=Mine").status == 0
    assert other.pixel == ("Mine", "22222222")


def test_a_named_member_that_others_have_changed_is_not_sent_without_overwrite(
    here: Here, other: Other
) -> None:
    here("list", "pixels", "--all")
    other.set(name="Theirs", tag="22222222")
    for flags in ([], ["--yes"]):
        ran = here("update", "pixels", other.id, "name=Mine", *flags)
        assert (ran.status, ran.out, ran.told.count("\n")) == (3, "", 1), ran.told
        assert f"edit pixel {other.id} (Theirs): changed on the service since " in ran.told
        assert "Name Was → Theirs" in ran.told
        assert "--overwrite sends Name Mine. Nothing was sent." in ran.told
    assert here("update", "pixels", other.id, "name=Mine", "--overwrite").status == 0
    assert other.pixel == ("Mine", "22222222")


def test_a_value_that_others_have_set_already_is_no_conflict(here: Here, other: Other) -> None:
    here("list", "pixels", "--all")
    other.set(name="Same", tag="22222222")
    assert here("update", "pixels", other.id, "name=Same").status == 0


def test_one_s_own_changes_are_no_conflict(here: Here, other: Other) -> None:
    here("list", "pixels", "--all")
    for name in ("First", "Second", "Was", "Third"):
        assert here("update", "pixels", other.id, f"name={name}").status == 0
    assert other.pixel == ("Third", "11111111")


def test_a_dry_run_shows_what_is_sent_along_as_it_is_now(here: Here, other: Other) -> None:
    here("list", "pixels", "--all")
    other.set(tag="22222222")
    ran = here("update", "pixels", other.id, "name=Mine", "--dry-run")
    assert (ran.status, '"tag": "22222222"' in ran.out) == (0, True)
    assert "Read for this change, 1 request: tag." in ran.told


# ---- import ----


def export(here: Here, folder: Path, ending: str = "csv") -> Path:
    path = folder / f"pixels.{ending}"
    assert here("export", "pixels", str(path)).status == 0
    return path


def edit(path: Path, id: str, before: str, after: str) -> None:
    """Edit one member of one record in an export in CSV."""
    lines = path.read_text().split("\n")
    (at,) = [number for number, line in enumerate(lines) if id in line.strip().split(",")]
    assert before in lines[at]
    lines[at] = lines[at].replace(before, after)
    path.write_text("\n".join(lines))


@pytest.mark.parametrize("looks", [False, True])
def test_a_row_that_would_undo_what_others_changed_since_the_export_is_left_out(
    here: Here, other: Other, service: Running, tmp_path: Path, looks: bool
) -> None:
    with Visitor(service, service.api_key) as visitor:
        another = Other(visitor, service)
        path = export(here, tmp_path)
        edit(path, other.id, "Was", "Mine")
        edit(path, another.id, "Was", "Mine")
        other.set(name="Theirs", tag="22222222")
        if looks:
            here("list", "pixels", "--all")
        ran = here("import", "pixels", str(path), "--yes")
        assert ran.status == 3
        assert f"edit pixel {other.id} (Theirs): changed on the service since " in ran.told
        assert "Name Was → Theirs" in ran.told
        assert "1 pixel changed elsewhere, not sent. --overwrite sends your values." in ran.told
        assert sorted(str(line["outcome"]) for line in ran.lines) == ["done", "not sent"]
        assert (other.pixel, another.pixel) == (("Theirs", "22222222"), ("Mine", "11111111"))
        again = here("import", "pixels", str(path), "--yes")
        assert again.status == 3, "nor a second time"
        ran = here("import", "pixels", str(path), "--yes", "--overwrite")
        assert ran.status == 0, ran.told
        assert other.pixel == ("Mine", "11111111")


def test_an_import_of_a_file_from_elsewhere_is_compared_with_what_was_kept(
    here: Here, other: Other, tmp_path: Path
) -> None:
    path = tmp_path / "own.csv"
    path.write_text(f"id,name\n{other.id},Mine\n")
    here("list", "pixels", "--all")
    other.set(name="Theirs", tag="22222222")
    for _ in range(2):
        ran = here("import", "pixels", str(path), "--yes")
        assert (ran.status, "Name Was → Theirs" in ran.told) == (3, True)
    other.set(name="Was", tag="22222222")
    assert here("import", "pixels", str(path), "--yes").status == 0
    assert other.pixel == ("Mine", "22222222"), "a member that the file does not have stays"


# ---- a team ----


def test_whose_change_it_was_is_told_where_a_team_has_one_journal(
    machines: Machines, other: Other, postgresql: PostgresServer
) -> None:
    url = postgresql.url(postgresql.new_database())
    desk, laptop = machines.open("desk", url), machines.open("laptop", url)
    ada = {"LOGNAME": "ada"}
    laptop("list", "pixels", "--all")
    assert desk("update", "pixels", other.id, "tag=22222222", **ada).status == 0
    assert laptop("update", "pixels", other.id, "name=Mine").status == 0, "it is no conflict, and it stays"
    assert other.pixel == ("Mine", "22222222")
    assert desk("update", "pixels", other.id, "name=Hers", **ada).status == 0
    ran = laptop("update", "pixels", other.id, "name=His", "tag=33333333")
    assert ran.status == 3, "nothing had to be read: the journal knows it"
    assert "changed by ada@" in ran.told
    assert "Name Mine → Hers, Tag 11111111 → 22222222" in ran.told
    assert laptop("update", "pixels", other.id, "name=His", "--overwrite").status == 0
    assert other.pixel == ("His", "22222222")


# ---- every record that matches ----


def test_of_those_that_match_what_others_changed_since_the_look_is_left_out(
    here: Here, other: Other, service: Running
) -> None:
    with Visitor(service, service.api_key) as visitor:
        another = Other(visitor, service)
        here("list", "pixels", "--all")
        other.set(name="Was not", tag="22222222")
        another.set(tag="33333333")
        both = ["update", "pixels", "--filter", "name:Was", "name=Mine", "--yes"]
        ran = here(*both)
        assert ran.status == 3
        assert "Name Was → Was not" in ran.told
        assert "1 pixel changed elsewhere, not sent. --overwrite sends your values." in ran.told
        assert (other.pixel, another.pixel) == (("Was not", "22222222"), ("Mine", "33333333"))
        assert here(*both, "--overwrite").status == 0
        assert other.pixel == ("Mine", "22222222")


def test_a_bulk_edit_that_was_cut_short_goes_on_with_what_is_there_now(
    here: Here, other: Other, service: Running
) -> None:
    with Visitor(service, service.api_key) as visitor:
        another = Other(visitor, service)
        both = ["update", "pixels", "--filter", "name:Was", "name=Mine", "--yes"]
        refused = Fault(handled=False, status=401)
        service.service.faults.next("PUT", "/api/pixel/*", refused)
        assert here(*both).status == 1
        another.set(tag="33333333")
        other.set(name="Was theirs", tag="22222222")
        ran = here(*both)
        assert (ran.status, "Name Was → Was theirs" in ran.told) == (3, True), ran.told
        assert (other.pixel, another.pixel) == (("Was theirs", "22222222"), ("Mine", "33333333"))


def test_of_those_that_match_only_what_was_asked_about_is_replaced(
    here: Here, other: Other, service: Running
) -> None:
    """A change that comes while the question is open is asked about in turn."""
    person = Person(
        (lambda: other.set(name="Theirs", tag="22222222"), "yes"),
        (lambda: other.set(name="Theirs, later", tag="22222222"), "yes"),
        (lambda: None, "no"),
    )
    with Visitor(service, service.api_key) as visitor:
        another = Other(visitor, service)
        ran = here("update", "pixels", "--filter", "name:Was", "name=Mine", person=person)
        assert (ran.status, person.asked) == (3, 3)
        assert "Name Was → Theirs, later" in ran.told
        assert (other.pixel[0], another.pixel[0]) == ("Theirs, later", "Mine")


def test_nothing_is_asked_about_what_was_cut_short(here: Here, other: Other, service: Running) -> None:
    with Visitor(service, service.api_key) as visitor:
        newer = Other(visitor, service)
        service.service.faults.next("PUT", f"/api/pixel/{other.id}/update", Fault(handled=False, status=401))
        person = Person((lambda: newer.set(name="Theirs", tag="22222222"), "yes"))
        ran = here("update", "pixels", "--filter", "name:Was", "name=Mine", person=person)
        assert (ran.status, person.asked) == (1, 1)
        assert "1 pixel changed elsewhere, not sent." in ran.told
        assert (other.pixel[0], newer.pixel[0]) == ("Was", "Theirs")
