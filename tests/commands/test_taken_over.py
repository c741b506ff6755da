"""Jobs and imports that another machine has finished: the first is told so, and sends nothing of it."""

import itertools
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from tests.commands.machines import Machine, Machines
from tests.model.writes.lost import acted_on
from tests.postgres import PostgresServer

_TAGS = itertools.count(75_000_000)
KEY_REFUSED = Fault(handled=False, status=401, content=b'{"error": 1, "message": "No."}')


class Two:
    """Two machines of a team, and what the service has done of what they asked for."""

    def __init__(self, service: Running, desk: Machine, laptop: Machine) -> None:
        self.service, self.desk, self.laptop = service, desk, laptop
        self._before = len(service.service.log)

    def created(self, resource: str, *members: str) -> str:
        """Make a record, and return its id."""
        made = str(self.desk("create", resource, *members).lines[0]["id"])
        self._before = len(self.service.service.log)
        return made

    def stops_at(self, method: str, path: str, number: int) -> None:
        """Let so many writes through, and refuse the key at the next."""
        faults = self.service.service.faults
        faults.next(method, path, Fault(), times=number)
        faults.next(method, path, KEY_REFUSED)

    @property
    def done(self) -> Counter[str]:
        """Return how often each write was done."""
        log = [*self.service.service.log][self._before :]
        return Counter(f"{entry.method} {entry.path}" for entry in log if acted_on(entry))


@pytest.fixture
def two(service: Running, machines: Machines, postgresql: PostgresServer) -> Two:
    url = postgresql.url(postgresql.new_database())
    return Two(service, *(machines.open(name, url) for name in ("desk", "laptop")))


def assigning(two: Two) -> Sequence[str]:
    channel = two.created("channels", "name=Taken over")
    two.stops_at("POST", f"/api/channel/{channel}/assign/*", 2)
    return ("assign", "channel", channel, *(f"qr:{id}" for id in range(1, 5)), "--yes")


def deleting(two: Two) -> Sequence[str]:
    ids = [two.created("pixels", "type=bing", "name=Old", f"tag={next(_TAGS)}") for _ in range(4)]
    two.stops_at("DELETE", "/api/pixel/*", 2)
    return ("delete", "pixels", *ids, "--yes")


def deleting_matches(two: Two) -> Sequence[str]:
    name = f"Old {next(_TAGS)}"
    for _ in range(4):
        two.created("pixels", "type=bing", f"name={name}", f"tag={next(_TAGS)}")
    two.stops_at("DELETE", "/api/pixel/*", 2)
    return ("delete", "pixels", "--filter", name, "--yes")


def updating_matches(two: Two) -> Sequence[str]:
    ids = [two.created("pixels", "type=bing", "name=Old", f"tag={next(_TAGS)}") for _ in range(4)]
    two.stops_at("PUT", "/api/pixel/*", 2)
    return ("update", "pixels", "--filter", f"id>={ids[0]} id<={ids[-1]}", "name=New", "--yes")


@pytest.mark.parametrize("command", [assigning, deleting])
def test_what_was_finished_elsewhere_is_told_and_not_sent_again(
    two: Two, command: Callable[[Two], Sequence[str]]
) -> None:
    arguments = command(two)
    begun = two.desk(*arguments, LOGNAME="ada")
    assert (begun.status, sum(two.done.values())) == (1, 2), begun.told
    finished = two.laptop(*arguments, LOGNAME="ben")
    assert (finished.status, [*two.done.values()]) == (0, [1, 1, 1, 1]), finished.told
    told = two.desk(*arguments, LOGNAME="ada")
    assert (told.status, [*two.done.values()]) == (0, [1, 1, 1, 1]), "nothing twice"
    assert "All of it was done" in told.told
    assert "(sent by ada@" in told.told, "and by whom"
    assert " and ben@" in told.told
    assert [line["outcome"] for line in told.lines] == ["done"] * 4
    two.desk(*arguments, LOGNAME="ada")
    assert [*two.service.service.log][-1].method != "GET", "from then on it is another one"


@pytest.mark.parametrize("command", [deleting_matches, updating_matches])
def test_what_a_filter_does_not_find_any_more_is_not_sent_again(
    two: Two, command: Callable[[Two], Sequence[str]]
) -> None:
    arguments = command(two)
    assert two.desk(*arguments, LOGNAME="ada").status == 1
    assert two.laptop(*arguments, LOGNAME="ben").status == 0
    assert [*two.done.values()] == [1, 1, 1, 1]
    told = two.desk(*arguments, LOGNAME="ada")
    assert (told.status, [*two.done.values()]) == (0, [1, 1, 1, 1]), told.told


def rows_of(folder: Path, number: int) -> Path:
    path = folder / "new.csv"
    lines = [f"bing,Import {row},{next(_TAGS)}" for row in range(number)]
    path.write_text("\n".join(["type,name,tag", *lines]) + "\n")
    return path


def test_the_rows_of_a_file_in_a_shared_folder_are_sent_by_one_of_them(two: Two, tmp_path: Path) -> None:
    arguments = ("import", "pixels", str(rows_of(tmp_path, 4)), "--yes")
    two.stops_at("POST", "/api/pixel/add", 2)
    assert two.desk(*arguments, LOGNAME="ada").status == 1
    assert two.laptop(*arguments, LOGNAME="ben").status == 0
    told = two.desk(*arguments, LOGNAME="ada")
    assert (told.status, two.done) == (0, {"POST /api/pixel/add": 4}), told.told


def test_the_rows_of_a_copied_file_that_another_machine_has_sent_are_known(two: Two, tmp_path: Path) -> None:
    file = rows_of(tmp_path, 4)
    copy = tmp_path / "laptop" / file.name
    two.stops_at("POST", "/api/pixel/add", 2)
    begun = two.desk("import", "pixels", str(file), "--yes", LOGNAME="ada")
    assert (begun.status, two.done) == (1, {"POST /api/pixel/add": 2}), begun.told
    shutil.copy(file, copy)
    finished = two.laptop("import", "pixels", str(copy), "--yes", LOGNAME="ben")
    assert (finished.status, two.done) == (0, {"POST /api/pixel/add": 4}), finished.told
    told = two.desk("import", "pixels", str(file), "--yes", LOGNAME="ada")
    assert (told.status, two.done) == (0, {"POST /api/pixel/add": 4}), told.told
    with file.open("a") as appended:
        appended.write(f"bing,More,{next(_TAGS)}\n")
    more = two.desk("import", "pixels", str(file), "--yes", LOGNAME="ada")
    assert (more.status, two.done) == (0, {"POST /api/pixel/add": 5}), "what is not there is sent"
