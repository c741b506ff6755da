"""An answer of any kind is lost at any place, by every verb that writes many: each is done exactly once.

What the README says is done then: `linkdash journal --check`, and the same command again.
"""

import asyncio
import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from linkdash.api.http.coalescing import Departure
from linkdash.api.http.request import Response
from linkdash.api.http.transport import Transport
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from tests.commands.lost import KINDS, acted_on
from tests.commands.shell import Here, Ran
from tests.service.visitor import Visitor

_NUMBERS = itertools.count(60_000_000)  # no two pixels of a type have the same tag

_USERS = [str(id) for id in range(20, 60)]

PLACES: Mapping[str, Sequence[int]] = {"first": [0], "middle": [1], "last": [2], "every": [0, 1, 2]}


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


# ---- the law ----


class Patience:
    """The wait for an answer, in the place of the one that a clock ends."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._over: tuple[asyncio.AbstractEventLoop, asyncio.Event] | None = None
        exchange = Transport.exchange

        async def impatient(
            transport: Transport,
            method: str,
            url: str,
            params: Mapping[str, str | int],
            content: str | None,
            departure: Departure,
            max_bytes: int | None,
        ) -> Response:
            over = asyncio.Event()
            self._over = asyncio.get_running_loop(), over
            sent = exchange(transport, method, url, params, content, departure, max_bytes)
            answer = asyncio.create_task(sent)
            waiting = asyncio.create_task(over.wait())
            await asyncio.wait({answer, waiting}, return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            if answer.done():
                return answer.result()
            answer.cancel()
            raise TimeoutError

        patch.setattr(Transport, "exchange", impatient)

    def end(self) -> None:
        """End it; called from the thread of the service."""
        assert self._over is not None
        loop, over = self._over
        loop.call_soon_threadsafe(over.set)


@pytest.fixture
def here(service: Running, capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(service, capsys)


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> Patience:
    return Patience(monkeypatch)


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


def each_is_done_once(
    here: Here, seen: Service, task: Task, fault: Fault, places: Sequence[int], patience: Patience
) -> None:
    faults, log = seen.running.service.faults, seen.running.service.log
    if fault.delay:
        fault = replace(fault, meanwhile=patience.end)
    for place, request in enumerate(task.paths):
        method, path = request.split()
        if place in places:
            faults.next(method, path, fault)
        elif len({*task.paths}) == 1:  # they are told apart by their order only
            faults.next(method, path, Fault())
    before = len(log)
    ran = until_it_is_done(here, task)
    assert ran.status == 0, ran.told
    done = Counter(f"{entry.method} {entry.path}" for entry in [*log][before:] if acted_on(entry))
    assert done == Counter(task.paths), "each exactly once"
    assert task.is_done()
    assert faults.pending == 0


EVERY = [*itertools.product(VERBS, KINDS, PLACES)]
SOME = [
    (verb, kind, place)
    for verb, kind, place in zip(
        itertools.cycle(VERBS), KINDS, itertools.cycle([*PLACES, "middle", "first"]), strict=False
    )
]
"""Every kind once, every verb and every place several times."""


@pytest.mark.parametrize(("verb", "kind", "place"), SOME)
def test_what_was_asked_is_done_once_whatever_answer_is_lost(
    here: Here, seen: Service, patience: Patience, tmp_path: Path, verb: str, kind: str, place: str
) -> None:
    each_is_done_once(here, seen, VERBS[verb](seen, tmp_path), KINDS[kind], PLACES[place], patience)


@pytest.mark.nightly
@pytest.mark.parametrize(("verb", "kind", "place"), [case for case in EVERY if case not in SOME])
def test_so_it_is_for_every_kind_at_every_place_by_every_verb(
    here: Here, seen: Service, patience: Patience, tmp_path: Path, verb: str, kind: str, place: str
) -> None:
    each_is_done_once(here, seen, VERBS[verb](seen, tmp_path), KINDS[kind], PLACES[place], patience)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "dropped" in kind or "late" in kind])
@pytest.mark.parametrize("verb", ["create", "update", "undo"])
def test_a_single_change_is_made_once_by_those_who_look_first(
    here: Here, seen: Service, patience: Patience, kind: str, verb: str
) -> None:
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
    fault = replace(KINDS[kind], meanwhile=patience.end) if KINDS[kind].delay else KINDS[kind]
    before = len(seen.running.service.log)
    seen.running.service.faults.next(method, path, fault)
    assert here(*commands[verb]).status == 4
    (looked,) = here("journal", "--check", "--format", "jsonl").lines
    if looked["outcome"] == "not done":
        assert here(*commands[verb]).status == 0
    rows = seen.rows("/api/pixels", "pixels")
    if verb == "create":
        assert [row["name"] for row in rows if row["tag"] == tag] == ["Single"]
    else:
        wanted = "Single" if verb == "update" else "Before"
        assert [row["name"] for row in rows if row["id"] == id] == [wanted]
    made = [entry for entry in [*seen.running.service.log][before:] if acted_on(entry)]
    assert [(entry.method, entry.path) for entry in made] == [(method, path)]


@pytest.mark.parametrize(
    "kind",
    [kind if "dropped" in kind else pytest.param(kind, marks=pytest.mark.nightly) for kind in KINDS],
)
@pytest.mark.parametrize("before", [1, 2], ids=["another plan", "a renewal"])
def test_a_subscription_is_made_once(
    here: Here, seen: Service, patience: Patience, kind: str, before: int
) -> None:
    user = _USERS.pop()
    assert here("subscribe", user, str(before), "--term", "monthly", "--yes").status == 0
    command = ["subscribe", user, "2", "--term", "yearly"]
    started = seen.read(f"/api/user/{user}")

    def is_done() -> bool:
        now = seen.read(f"/api/user/{user}")
        return now["planid"] == 2 and now["expires"] != started["expires"]

    task = Task(command, [f"PUT /api/plan/2/user/{user}"], is_done)
    each_is_done_once(here, seen, task, KINDS[kind], [0], patience)
