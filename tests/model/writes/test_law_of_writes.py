"""The law of all writes, whoever asks for them: each is made once, and what others have changed is not lost.

An answer of any kind is lost at any place, the program is killed at any step, others change a record at any
moment: whoever looks what became of the rest, and goes on, has what was asked for; nothing is sent twice.
Form, verbs, import and agents send through the same `Writes` and `Runner`; that they do is tested with them.
"""

import asyncio
import itertools
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from linkdash.api.endpoints import body_of
from linkdash.api.http.coalescing import Departure
from linkdash.api.http.request import Response
from linkdash.api.http.transport import Transport
from linkdash.api.resources.pixels import Pixel, PixelCreate, PixelUpdate
from linkdash.demo import DemoSettings
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running, serve_in_thread
from linkdash.model.declaration import declaration
from linkdash.model.resources.channels import item_assignment
from linkdash.model.session import Session
from linkdash.model.settings import Settings
from linkdash.model.writes import guard, planned_changes
from linkdash.store.job import Job
from linkdash.store.journal_entry import Outcome, WriteIntent
from linkdash.store.store import Store
from tests import prestarted
from tests.conftest import PLENTY
from tests.model.writes.lost import KINDS, acted_on
from tests.records import Records
from tests.service.visitor import Visitor

_NUMBERS = itertools.count(60_000_000)  # no two pixels of a type have the same tag
_ROUNDS = 8  # looks and runs after which what was asked is done


# ---- what is asked for ----


@dataclass(frozen=True)
class Wish:
    """A change, its request, and how to see at the service that it was made."""

    intent: WriteIntent
    request: str
    is_done: Callable[[], bool]


class World:
    """The service as somebody sees it who is not the program, and what can be asked of it."""

    def __init__(self, running: Running, visitor: Visitor) -> None:
        self.running, self.visitor = running, visitor

    def pixel(self, id: int) -> Mapping[str, Any] | None:
        for page in itertools.count(1):
            rows = self.visitor.read(f"/api/pixels?limit=100&page={page}")["data"]["pixels"]
            if (found := next((row for row in rows if row["id"] == id), None)) is not None:
                return dict(found)
            if len(rows) < 100:
                return None
        raise AssertionError

    def named(self, tag: str) -> list[str]:
        """The names of the newest pixels with this tag."""
        rows = self.visitor.read("/api/pixels?limit=100")["data"]["pixels"]
        return [row["name"] for row in rows if row["tag"] == tag]

    def made(self) -> Pixel:
        members = {"type": "bing", "name": "Before", "tag": str(next(_NUMBERS))}
        id = self.visitor.write("POST", "/api/pixel/add", members)["id"]
        record = Pixel.read({"id": id, **members})
        assert isinstance(record, Pixel)
        return record

    def creation(self) -> Wish:
        tag = str(next(_NUMBERS))
        body = body_of(PixelCreate, {"type": "bing", "name": "After", "tag": tag})
        intent = planned_changes.creation(declaration("pixels"), body)
        return Wish(intent, "POST /api/pixel/add", lambda: self.named(tag) == ["After"])

    def update(self) -> Wish:
        pixel = self.made()
        body = body_of(PixelUpdate, {"name": "After", "tag": pixel.tag})
        intent = planned_changes.update_of(declaration("pixels"), pixel, body)
        request = f"PUT /api/pixel/{pixel.id}/update"
        return Wish(intent, request, lambda: (self.pixel(pixel.id) or {}).get("name") == "After")

    def deletion(self) -> Wish:
        pixel = self.made()
        intent = planned_changes.deletion(declaration("pixels"), pixel)
        request = f"DELETE /api/pixel/{pixel.id}/delete"
        return Wish(intent, request, lambda: self.pixel(pixel.id) is None)

    def assignment(self) -> Wish:
        channel = self.visitor.write("POST", "/api/channel/add", {"name": "Lost and found"})["id"]
        intent, path = item_assignment(channel, "qr", 1), f"/api/channel/{channel}"

        def is_done() -> bool:
            return [row["id"] for row in self.visitor.read(f"{path}?limit=100")["data"]["items"]] == [1]

        return Wish(intent, f"POST {path}/assign/qr/1", is_done)


WISHES = {
    "create": World.creation,
    "update": World.update,
    "delete": World.deletion,
    "assign": World.assignment,
}


@contextmanager
def world(running: Running) -> Iterator[World]:
    with Visitor(running, running.api_key) as visitor:
        yield World(running, visitor)


@pytest.fixture(scope="module")
def service(records: Records) -> Iterator[Running]:
    """A service with requests in plenty, also for thorough laws."""
    with serve_in_thread(records.known(DemoSettings(rate=100 * PLENTY))) as running:
        yield running


# ---- who asks for it ----


def opened(running: Running, folder: Path) -> Session:
    settings = Settings("tests", running.base_url, SecretStr(running.api_key))
    return Session(settings, Store(folder / "state", folder / "cache", "tests"))


async def looked_and_gone_on(session: Session, job: Job, *, overwrite: bool = False) -> Job:
    """Run a job, look what became of what was lost, and go on, until nothing is left that may be sent."""
    for _ in range(_ROUNDS):
        await session.jobs.run(job, overwrite=overwrite, is_attended=False)
        for entry in await session.store.journal.unknown():
            await session.check(entry)
        known = await session.store.jobs.load(job.id)
        assert known is not None
        job = known
        if not job.left or session.jobs.clashes:
            break
    return job


async def asked_one_by_one(session: Session, wishes: Sequence[Wish]) -> None:
    """Make each change by itself; where its answer was lost, look, and make it again if it was not made."""
    for wish in wishes:
        while (await session.writes.carry_out(wish.intent)).outcome is Outcome.UNKNOWN:
            (entry,) = await session.store.journal.unknown()
            if (await session.check(entry)).happened:
                break


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


# ---- answers are lost ----


@given(
    st.lists(st.sampled_from([*WISHES]), min_size=1, max_size=4),
    st.lists(st.sampled_from(["", *KINDS]), min_size=4, max_size=4),
    st.booleans(),
)
def test_each_is_made_once_whatever_answers_are_lost(
    service: Running,
    tmp_path_factory: pytest.TempPathFactory,
    kinds: list[str],
    losses: list[str],
    are_many: bool,
) -> None:
    with world(service) as seen, pytest.MonkeyPatch.context() as patch:
        patience, faults = Patience(patch), service.service.faults
        left_before = faults.pending
        wishes = [WISHES[kind](seen) for kind in kinds]
        for wish, loss in zip(wishes, losses, strict=False):
            fault = KINDS[loss] if loss else Fault()
            method, path = wish.request.split()
            faults.next(method, path, replace(fault, meanwhile=patience.end) if fault.delay else fault)
        begun = len(service.service.log)

        async def ask() -> None:
            session = opened(service, tmp_path_factory.mktemp("lost"))
            try:
                if are_many:
                    job = await session.jobs.create("many", [wish.intent for wish in wishes])
                    assert (await looked_and_gone_on(session, job)).is_done
                else:
                    await asked_one_by_one(session, wishes)
            finally:
                await session.close()

        asyncio.run(ask())
        done = Counter(f"{one.method} {one.path}" for one in [*service.service.log][begun:] if acted_on(one))
        assert done == Counter(wish.request for wish in wishes), "each exactly once"
        assert all(wish.is_done() for wish in wishes)
        assert faults.pending == left_before


# ---- the program is killed ----

_PLACES = ("open_entry", "claim", "exchange", "close_entry")
STEPS = [f"{when} {place}" for place in _PLACES for when in ("before", "after")]
"""What the program is about to do, or has done, for a write: entry, item, request, outcome."""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")
@pytest.mark.parametrize("step", STEPS)
def test_each_is_made_once_wherever_the_program_is_killed(
    service: Running, tmp_path: Path, step: str
) -> None:
    with world(service) as seen:
        wishes = [WISHES[kind](seen) for kind in ("create", "update", "delete", "assign")]
        begun, place = len(service.service.log), STEPS.index(step) % len(wishes)

        async def ask() -> int:
            session = opened(service, tmp_path)
            job = await session.jobs.create("many", [wish.intent for wish in wishes])
            await session.close()
            return job.id

        job = asyncio.run(ask())
        victim = prestarted.program("from tests.model.writes import victim; victim.run()")
        run = [service.base_url, service.api_key, str(tmp_path), str(job), step, str(place)]
        killed = subprocess.run([victim, *run], check=False)
        assert killed.returncode == -9

        async def go_on() -> Job:
            session = opened(service, tmp_path)
            left = await session.store.jobs.load(job)
            assert left is not None
            try:
                return await looked_and_gone_on(session, left)
            finally:
                await session.close()

        assert asyncio.run(go_on()).is_done
        done = Counter(f"{one.method} {one.path}" for one in [*service.service.log][begun:] if acted_on(one))
        assert done == Counter(wish.request for wish in wishes), "each exactly once"
        assert all(wish.is_done() for wish in wishes)


# ---- others change what is written ----

BEFORE, AT_READ, AT_WRITE = MOMENTS = ("before it is read", "between read and write", "before its answer")


class Others:
    """Somebody else, who changes the pixel of a wish: its name, its tag, or all of it."""

    def __init__(self, seen: World, wish: Wish, theirs: str) -> None:
        self._seen, self._theirs = seen, theirs
        (self._id,) = wish.intent.record_ids
        tag = (seen.pixel(self._id) or {})["tag"]
        self._members = {
            "name": {"name": "Theirs", "tag": tag},
            "tag": {"tag": str(next(_NUMBERS))},
            "deleted": {},
        }[theirs]
        self.tag = self._members.get("tag", tag)

    def change(self) -> None:
        if self._theirs == "deleted":
            self._seen.visitor.write("DELETE", f"/api/pixel/{self._id}/delete")
        else:
            self._seen.visitor.write("PUT", f"/api/pixel/{self._id}/update", self._members)

    @property
    def left(self) -> tuple[str, str] | None:
        """The name and the tag at the service; None where the pixel is gone."""
        now = self._seen.pixel(self._id)
        return None if now is None else (now["name"], now["tag"])


@given(
    st.sampled_from(MOMENTS),
    st.sampled_from(["name", "tag", "deleted"]),
    st.sampled_from(["", "dropped after it was done", "dropped before it was done"]),
    st.sampled_from(["update", "delete"]),
)
def test_what_others_change_stays_or_is_asked_about(
    service: Running, tmp_path_factory: pytest.TempPathFactory, moment: str, theirs: str, loss: str, kind: str
) -> None:
    with world(service) as seen, pytest.MonkeyPatch.context() as patch:
        patch.setattr(guard, "FRESH_SECONDS", -1.0)  # what was read is too old when the turn comes
        is_done_first = loss != "dropped before it was done"
        if moment == AT_WRITE and is_done_first and "delete" in (kind, theirs.removesuffix("d")):
            return  # nobody can change what is gone
        wish, other = WISHES[kind](seen), WISHES["update"](seen)
        others = Others(seen, wish, theirs)
        _prepare(service, wish, others, moment, KINDS[loss] if loss else Fault(), theirs == "deleted")
        begun = len(service.service.log)

        async def ask() -> bool:
            """Ask for both; return whether the person is asked about what others have changed."""
            session = opened(service, tmp_path_factory.mktemp("others"))
            intents = [replace(one.intent, read_at=session.moment()) for one in (wish, other)]
            job = await session.jobs.create("two", intents)
            if moment == BEFORE:
                others.change()
            try:
                job = await looked_and_gone_on(session, job)
                if is_asked := bool(session.jobs.clashes):
                    assert others.left == ("Theirs" if theirs == "name" else "Before", others.tag)
                    await looked_and_gone_on(session, job, overwrite=True)
                return is_asked
            finally:
                await session.close()

        is_asked = asyncio.run(ask())
        log = [f"{one.method} {one.path}" for one in [*service.service.log][begun:] if acted_on(one)]
        assert Counter(log)[wish.request] <= 2, "theirs and one"
        assert other.is_done(), "what others left alone goes on"
        clashes = theirs == "name" or (theirs == "tag" and kind == "delete")
        cannot_tell = kind == "update"  # the look finds a name that was neither there before nor sent
        goes_on = moment != AT_WRITE or not (is_done_first or cannot_tell)
        assert is_asked is (clashes and goes_on)
        if "delete" in (kind, theirs.removesuffix("d")):
            assert others.left is None
        else:
            stays = theirs == "name" and not is_asked
            assert others.left == ("Theirs" if stays else "After", others.tag), "nobody named the tag"


def _prepare(running: Running, wish: Wish, others: Others, moment: str, fault: Fault, deletes: bool) -> None:
    """Let the others change it at their moment, and the answer be lost."""
    faults, (method, path) = running.service.faults, wish.request.split()
    if moment == AT_WRITE:
        faults.next(method, path, replace(fault, meanwhile=others.change))
        return
    if moment == AT_READ:
        faults.next("GET", "/api/pixels", Fault(meanwhile=others.change))
    if deletes == (method == "DELETE"):
        faults.next(method, path, Fault())  # theirs is the same request, and comes first
    faults.next(method, path, fault)
