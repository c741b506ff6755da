"""An answer is lost to every verb that writes: each change is made exactly once by who looks and goes on.

What the README says is done then: `linkdash journal --check`, and the same command again. Every kind of loss
at every place is the law's: `tests/model/writes/test_law_of_writes.py`.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from tests.commands.shell import Here, Ran
from tests.model.writes.lost import KINDS, acted_on
from tests.service.visitor import Visitor

_NUMBERS = itertools.count(60_000_000)  # no two pixels of a type have the same tag

_USERS = [str(id) for id in range(20, 60)]


@dataclass(frozen=True)
class Task:
    """A command that writes three things, and how to see at the service that it did."""

    command: Sequence[str]
    paths: Sequence[str]
    """The request of each, in their order."""
    is_done: Callable[[], bool]


class Service:
    """The service as somebody sees it who is not the program."""

    def __init__(self, running: Running, visitor: Visitor) -> None:
        self.running = running
        self._visitor = visitor

    def read(self, path: str) -> Mapping[str, object]:
        answer: Mapping[str, object] = self._visitor.read(path)["data"]
        return answer

    def rows(self, path: str, name: str) -> list[dict[str, object]]:
        found: list[dict[str, object]] = []
        for page in itertools.count(1):
            data = self.read(f"{path}?limit=100&page={page}")
            rows = data[name]
            assert isinstance(rows, list)
            found += rows
            if len(rows) < 100:
                return found
        raise AssertionError

    def made(self, path: str, **members: object) -> int:
        answer = self._visitor.write("POST", path, members)
        id = answer["id"]
        assert isinstance(id, int)
        return id

    def pixels(self) -> list[int]:
        return [
            self.made("/api/pixel/add", type="bing", name="Before", tag=str(next(_NUMBERS))) for _ in range(3)
        ]


@pytest.fixture
def seen(service: Running) -> Iterator[Service]:
    with Visitor(service, service.api_key) as visitor:
        yield Service(service, visitor)


# ---- the verbs ----


def assigning(seen: Service, folder: Path) -> Task:
    channel = seen.made("/api/channel/add", name="Lost and found")
    ids = [1, 2, 3]
    command = ["assign", "channel", str(channel), *(f"qr:{id}" for id in ids), "--yes"]
    return Task(
        command,
        [f"POST /api/channel/{channel}/assign/qr/{id}" for id in ids],
        lambda: sorted(row["id"] for row in seen.rows(f"/api/channel/{channel}", "items")) == ids,  # type: ignore[type-var]  # ids are numbers
    )


def deleting(seen: Service, folder: Path) -> Task:
    ids = seen.pixels()
    command = ["delete", "pixels", *map(str, ids), "--yes"]
    return Task(
        command,
        [f"DELETE /api/pixel/{id}/delete" for id in ids],
        lambda: not {row["id"] for row in seen.rows("/api/pixels", "pixels")} & {*ids},
    )


def creating(seen: Service, folder: Path) -> Task:
    tags = [str(next(_NUMBERS)) for _ in range(3)]
    file = folder / "new.csv"
    file.write_text("type,name,tag\n" + "".join(f"bing,Alike,{tag}\n" for tag in tags))
    command = ["import", "pixels", str(file), "--yes"]

    def is_done() -> bool:
        found = Counter(str(row["tag"]) for row in seen.rows("/api/pixels", "pixels"))
        return [found[tag] for tag in tags] == [1, 1, 1]

    return Task(command, ["POST /api/pixel/add"] * 3, is_done)


def changing(seen: Service, folder: Path) -> Task:
    ids = seen.pixels()
    file = folder / "edited.csv"
    file.write_text("id,name\n" + "".join(f"{id},After {id}\n" for id in ids))
    command = ["import", "pixels", str(file), "--yes"]

    def is_done() -> bool:
        names = {row["id"]: row["name"] for row in seen.rows("/api/pixels", "pixels")}
        return [names[id] for id in ids] == [f"After {id}" for id in ids]

    return Task(command, [f"PUT /api/pixel/{id}/update" for id in ids], is_done)


def renaming(seen: Service, folder: Path) -> Task:
    ids = seen.pixels()
    which = f"id>={ids[0]} id<={ids[2]}"
    command = ["update", "pixels", "--filter", which, "name=After", "--yes"]

    def is_done() -> bool:
        names = {row["id"]: row["name"] for row in seen.rows("/api/pixels", "pixels")}
        return [names[id] for id in ids] == ["After"] * 3

    return Task(command, [f"PUT /api/pixel/{id}/update" for id in ids], is_done)


def clearing(seen: Service, folder: Path) -> Task:
    ids = seen.pixels()
    command = ["delete", "pixels", "--filter", f"id>={ids[0]} id<={ids[2]}", "--yes"]
    return Task(
        command,
        [f"DELETE /api/pixel/{id}/delete" for id in ids],
        lambda: not {row["id"] for row in seen.rows("/api/pixels", "pixels")} & {*ids},
    )


VERBS: Mapping[str, Callable[[Service, Path], Task]] = {
    "assign": assigning,
    "delete": deleting,
    "import of new ones": creating,
    "import of changes": changing,
    "update --filter": renaming,
    "delete --filter": clearing,
}


# ---- what becomes of them ----

DONE, NOT_DONE = (KINDS[f"dropped {when} it was done"] for when in ("after", "before"))


@pytest.fixture
def here(service: Running, capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(service, capsys)


def until_it_is_done(here: Here, task: Task) -> Ran:
    ran = here(*task.command)
    for _ in range(3):
        if not ran.status:
            break
        assert ran.status == 4, ran.told
        checked = here("journal", "--check", "--format", "jsonl")
        assert checked.lines, "what it settled is listed"
        assert {line["outcome"] for line in checked.lines} <= {"confirmed", "not done"}, checked.told
        ran = here(*task.command)
    return ran


def each_is_done_once(here: Here, seen: Service, task: Task, fault: Fault) -> None:
    faults, log = seen.running.service.faults, seen.running.service.log
    method, path = task.paths[len(task.paths) // 2].split()
    if len({*task.paths}) < len(task.paths):  # they are told apart by their order only
        faults.next(method, path, Fault())
    faults.next(method, path, fault)
    before = len(log)
    ran = until_it_is_done(here, task)
    assert ran.status == 0, ran.told
    done = Counter(f"{entry.method} {entry.path}" for entry in [*log][before:] if acted_on(entry))
    assert done == Counter(task.paths), "each exactly once"
    assert task.is_done()
    assert faults.pending == 0


@pytest.mark.parametrize("verb", VERBS)
def test_what_was_asked_is_done_once(here: Here, seen: Service, tmp_path: Path, verb: str) -> None:
    each_is_done_once(here, seen, VERBS[verb](seen, tmp_path), NOT_DONE)


@pytest.mark.parametrize("verb", ["create", "update", "undo"])
def test_a_single_change_is_made_once_by_those_who_look_first(here: Here, seen: Service, verb: str) -> None:
    """A single change is repeated where the look says that it was not done, and only there."""
    (id, *_), tag = seen.pixels(), str(next(_NUMBERS))
    commands = {
        "create": ["create", "pixels", "type=bing", "name=Single", f"tag={tag}"],
        "update": ["update", "pixels", str(id), "name=Single"],
        "undo": ["undo", "?", "--yes"],
    }
    if verb == "undo":
        assert here("update", "pixels", str(id), "name=Other").status == 0
        commands["undo"][1] = str(here("journal", "--limit", "1", "--format", "jsonl").lines[0]["id"])
    method, path = ("POST", "/api/pixel/add") if verb == "create" else ("PUT", f"/api/pixel/{id}/update")
    before = len(seen.running.service.log)
    seen.running.service.faults.next(method, path, NOT_DONE)
    assert here(*commands[verb]).status == 4
    (looked,) = here("journal", "--check", "--format", "jsonl").lines
    assert looked["outcome"] == "not done"
    assert here(*commands[verb]).status == 0
    rows = seen.rows("/api/pixels", "pixels")
    if verb == "create":
        assert [row["name"] for row in rows if row["tag"] == tag] == ["Single"]
    else:
        wanted = "Single" if verb == "update" else "Before"
        assert [row["name"] for row in rows if row["id"] == id] == [wanted]
    made = [entry for entry in [*seen.running.service.log][before:] if acted_on(entry)]
    assert [(entry.method, entry.path) for entry in made] == [(method, path)]


@pytest.mark.parametrize("fault", [DONE, NOT_DONE], ids=["done", "not done"])
@pytest.mark.parametrize("before", [1, 2], ids=["another plan", "a renewal"])
def test_a_subscription_is_made_once(here: Here, seen: Service, fault: Fault, before: int) -> None:
    user = _USERS.pop()
    assert here("subscribe", user, str(before), "--term", "monthly", "--yes").status == 0
    command = ["subscribe", user, "2", "--term", "yearly"]
    started = seen.read(f"/api/user/{user}")

    def is_done() -> bool:
        now = seen.read(f"/api/user/{user}")
        return now["planid"] == 2 and now["expires"] != started["expires"]

    task = Task(command, [f"PUT /api/plan/2/user/{user}"], is_done)
    each_is_done_once(here, seen, task, fault)
