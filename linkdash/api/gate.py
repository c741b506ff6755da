"""The asyncio shell around the request budget: a request awaits its turn here, and its end is told here.

The ledger is written here, too: a bounded record of the requests of the last hour, for people to read. And
the budget is shared here with other programs that use the key on this machine.
"""

import asyncio
import os
import random
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, Protocol

from linkdash.api.address import profile_key
from linkdash.api.budget import Budget, BudgetState, Lane, Quote, Ticket
from linkdash.api.signal import Signal
from linkdash.api.window import Refusal

# ---- who spent what ----

HOUR = 3600.0
_MAX_ENTRIES = 20_000
_MAX_SAMPLES = 1_800
_SAMPLE_EVERY = 2.0


class Outcome(StrEnum):
    """How a request ended."""

    ANSWERED = "answered"
    REFUSED = "refused"
    LOST = "lost"
    NOT_SENT = "not sent"


class SentRequest(NamedTuple):
    """One request which is over. Moments are monotonic seconds of the gate's clock."""

    label: str
    lane: Lane
    queued_at: float
    sent_at: float
    ended_at: float
    outcome: Outcome
    status: int | None = None
    """The HTTP status of the answer, if one came."""

    @property
    def waited(self) -> float:
        """Seconds in the queue."""
        return self.sent_at - self.queued_at

    @property
    def cost(self) -> int:
        """Requests charged to the budget."""
        return 0 if self.outcome is Outcome.NOT_SENT else 1


class Sample(NamedTuple):
    """What was left at one moment."""

    at: float
    remaining: int
    limit: int | None


class Spending(NamedTuple):
    """The sum over some entries."""

    requests: int
    cost: int
    refused: int
    lost: int
    waited: float
    """Seconds in the queue, all together."""
    longest_wait: float


class Ledger:
    """The requests and the remaining budget of the last hour."""

    def __init__(self) -> None:
        self._entries: deque[SentRequest] = deque(maxlen=_MAX_ENTRIES)
        self._samples: deque[Sample] = deque(maxlen=_MAX_SAMPLES)

    def record(self, entry: SentRequest) -> None:
        """Add a request which is over, and forget those which ended more than an hour before."""
        self._entries.append(entry)
        while self._entries[0].ended_at < entry.ended_at - HOUR:
            self._entries.popleft()

    def sample(self, at: float, remaining: int, limit: int | None) -> None:
        """Add what is left now. Of samples close together the least is kept: no low point is missed."""
        if self._samples and at - self._samples[-1].at < _SAMPLE_EVERY:
            last = self._samples.pop()
            at, remaining = last.at, min(last.remaining, remaining)
        self._samples.append(Sample(at, remaining, limit))
        while self._samples[0].at < at - HOUR:
            self._samples.popleft()

    def entries(self, now: float, seconds: float = HOUR) -> tuple[SentRequest, ...]:
        """Return the requests which ended in the last `seconds`, oldest first."""
        return tuple(entry for entry in self._entries if entry.ended_at >= now - seconds)

    def samples(self, now: float, seconds: float = HOUR) -> tuple[Sample, ...]:
        """Return what was left over the last `seconds`, oldest first."""
        return tuple(sample for sample in self._samples if sample.at >= now - seconds)

    def by_label(self, now: float, seconds: float = HOUR) -> dict[str, Spending]:
        """Return who spent what in the last `seconds`, the most expensive first."""
        groups: dict[str, list[SentRequest]] = {}
        for entry in self.entries(now, seconds):
            groups.setdefault(entry.label, []).append(entry)
        sums = {label: spending(entries) for label, entries in groups.items()}
        return dict(sorted(sums.items(), key=lambda item: item[1].cost, reverse=True))


def spending(entries: Iterable[SentRequest]) -> Spending:
    """Sum entries up."""
    all_entries = tuple(entries)
    return Spending(
        requests=len(all_entries),
        cost=sum(entry.cost for entry in all_entries),
        refused=sum(entry.outcome is Outcome.REFUSED for entry in all_entries),
        lost=sum(entry.outcome is Outcome.LOST for entry in all_entries),
        waited=sum(entry.waited for entry in all_entries),
        longest_wait=max((entry.waited for entry in all_entries), default=0.0),
    )


# ---- turns ----

_BUSY = 0.005  # seconds until the next try while another program has what is shared
_LAST_TRIES, _LAST_PAUSE = 50, 0.001  # the same, in seconds, for a program that ends
_WATCHED = 2.0  # seconds until a program which only shows the budget does


class SharedBudget(Protocol):
    """What several programs on one key know together."""

    @property
    def sharing(self) -> str | None:
        """Why nothing is shared, or None while it is."""
        ...

    @property
    def looks_every(self) -> float:
        """Seconds until a program whose requests wait looks by itself at what the others have learned."""
        ...

    @property
    def spread(self) -> float:
        """Seconds over which programs come back that could all go at the same moment, unless for a person."""
        ...

    def watch(self, heard: Callable[[str | None], None]) -> None:
        """Have `heard` called, from any thread, with what another program has made of what is shared.

        It is called with None when an `exchange` that was asked for can be made now.
        """
        ...

    def exchange(self, change: Callable[[str | None], str]) -> bool:
        """Hand `change` what is shared and keep what it returns; nobody comes in between, and nothing waits.

        Returns False if it was not called: another program was at it, or sharing has just ended.
        """
        ...

    def wall(self) -> float:
        """Seconds since 1970 by the clock that the programs have in common."""
        ...

    def close(self) -> None:
        """End the sharing after what was changed is kept."""
        ...


class Gate:
    """Lets requests through in their turn. `max_in_flight` is for the budget it makes if given none.

    `clock` is monotonic; `wall` is the clock it has in common with the other programs on its key. `jitter`
    returns a number from 0 to 1.
    """

    def __init__(
        self,
        budget: Budget | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
        max_in_flight: int = 3,
        shared: SharedBudget | None = None,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.ledger = Ledger()
        self._budget = budget or Budget(max_in_flight=max_in_flight)
        self._clock = clock
        self._wall = wall
        self._shared = shared
        self._jitter = jitter
        self._known: str | None = None
        self._closed = False
        self._turns: dict[Ticket, asyncio.Future[None]] = {}
        self._open: set[Ticket] = set()
        self._ends: list[Callable[[], None]] = []
        self._changed = Signal()
        self._timer: asyncio.TimerHandle | None = None
        self._mark = self._budget.mark()
        self._loop: asyncio.AbstractEventLoop | None = None
        if shared is not None:
            shared.watch(self._heard)

    @property
    def state(self) -> BudgetState:
        """What can be shown of the budget now."""
        return self._budget.state(self._clock())

    @property
    def sharing(self) -> str | None:
        """Why the budget is not shared with other programs on the key, or None while it is."""
        return self._shared.sharing if self._shared else "this program keeps its budget to itself"

    def refresh(self) -> None:
        """Learn what the other programs on the key know; nothing is sent."""
        self._advance()

    def quote(self, requests: int, lane: Lane = Lane.BACKGROUND) -> Quote:
        """Say how many of so many requests could go now, and when the last of them could."""
        return self._budget.quote(requests, self._clock(), lane)

    def watch(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` when the state changed by more than the passing of time; the result ends that."""
        if self._shares and self._timer is None:
            self._come_back_in(_WATCHED)
        return self._changed.watch(listener)

    def close(self) -> None:
        """Do nothing by itself any more and let nobody through. Who still waits must be cancelled elsewhere.

        What has ended is still told to the other programs on the key, which can take some milliseconds.
        """
        self._stop_timer()
        self._changed.close()
        self._closed = True
        for _ in range(_LAST_TRIES):
            if not (self._ends and self._shares and self._shared) or self._shared.exchange(self._exchange):
                break
            time.sleep(_LAST_PAUSE)

    async def admit(self, lane: Lane, label: str) -> Ticket:
        """Wait for a turn. The caller ends the ticket by exactly one of `answered`, `lost` and `not_sent`."""
        self._loop = asyncio.get_running_loop()
        ticket = self._budget.enqueue(lane, label, self._clock())
        turn = self._turns[ticket] = self._loop.create_future()
        self._advance()
        try:
            await turn
        except asyncio.CancelledError:
            self._withdraw(ticket)
            raise
        return ticket

    def answered(
        self, ticket: Ticket, status: int, headers: Mapping[str, str], *, rejected: bool | None = None
    ) -> bool:
        """End a ticket with its answer (reference: Limits). Returns whether it was refused for the
        rate and a read is worth asking again.

        `rejected` says of a request that cannot be wrong in itself whether the service said no to it all the
        same: some refuse for the rate like that. It is None for requests that can be wrong.
        """
        now = self._clock()
        ahead = self._wall() - now
        refusal = self._budget.judge(ticket, status, headers, rejected=rejected)
        outcome = Outcome.ANSWERED if refusal is Refusal.NONE else Outcome.REFUSED
        self._end(
            ticket,
            outcome,
            status,
            lambda: self._budget.answered(ticket, status, headers, now, refusal=refusal, ahead=ahead),
        )
        return self._budget.is_worth_asking_again(status, refusal)

    def lost(self, ticket: Ticket) -> None:
        """End a ticket whose request may have reached the service, but whose answer will not come."""
        now = self._clock()
        self._end(ticket, Outcome.LOST, None, lambda: self._budget.lost(ticket, now))

    def not_sent(self, ticket: Ticket) -> None:
        """End a ticket whose request never left this machine."""
        now = self._clock()
        self._end(ticket, Outcome.NOT_SENT, None, lambda: self._budget.not_sent(ticket, now))

    def _end(self, ticket: Ticket, outcome: Outcome, status: int | None, end: Callable[[], None]) -> None:
        """Record the end of a ticket and tell the budget at once, or as soon as what is shared is free."""
        if ticket not in self._open or ticket.sent_at is None:
            return
        self._open.remove(ticket)
        entry = SentRequest(
            ticket.label, ticket.lane, ticket.queued_at, ticket.sent_at, self._clock(), outcome, status
        )
        self.ledger.record(entry)
        self._ends.append(end)
        self._advance()

    def _withdraw(self, ticket: Ticket) -> None:
        """Nobody waits for this turn any more. If it came just now, nothing was sent with it yet."""
        if self._turns.pop(ticket, None) is None:
            self.not_sent(ticket)
        else:
            self._budget.cancel(ticket, self._clock())
            self._advance()

    def _heard(self, known: str | None) -> None:
        """Another thread tells what another program has made of what is shared, or that it is our turn."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._hear, known)

    def _hear(self, known: str | None) -> None:
        """Look whether what is known now lets somebody through; only then what is shared is locked."""
        if self._closed:
            return
        now = self._clock()
        if known is not None:
            self._budget.adopt(known, now, self._wall() - now)
            self._known = known
            wake_at = self._wakes_at(now) if self._turns else None
            if not self._ends and (wake_at is None or wake_at > now):
                self._stop_timer()
                self._rest(now)
                return
        self._advance()

    def _advance(self) -> None:
        """Bring the budget up to date, let through whose turn it is, and come back for the next."""
        self._stop_timer()
        if not (self._shares and self._shared and self._shared.exchange(self._exchange)):
            if self._shares:
                self._come_back_in(_BUSY)
                return
            self._step(self._clock())
        if not self._closed:
            self._rest(self._clock())

    def _rest(self, now: float) -> None:
        """Come back when somebody can go, and tell what has changed."""
        pauses = [wake_at - now] if (wake_at := self._wakes_at(now)) is not None else []
        if self._shares and self._shared and self._turns:
            pauses.append(self._shared.looks_every)
        elif self._shares and self._changed:
            pauses.append(_WATCHED)
        if pauses:
            self._come_back_in(max(0.0, min(pauses)))
        self._tell(now)

    def _wakes_at(self, now: float) -> float | None:
        """When somebody can go; where others come back at the same moment, people do so before them."""
        wake_at, shared = self._budget.wake_at(now), self._shared
        if wake_at is None or shared is None or self._budget.is_person_next:
            return wake_at
        return wake_at + self._jitter() * shared.spread

    @property
    def _shares(self) -> bool:
        return self._shared is not None and self._shared.sharing is None

    def _exchange(self, known: str | None) -> str:
        """Act on what the programs on this key know together, and return what they know then."""
        now = self._clock()
        shift = self._wall() - now
        if known and known != self._known:
            self._budget.adopt(known, now, shift)
        gone = self._budget.abandon(now)
        if self._step(now) or gone or not known:
            known = self._budget.snapshot(now, shift)
        self._known = known
        return known

    def _step(self, now: float) -> bool:
        """Tell the budget what has ended, let through whose turn it is; return whether there was any."""
        changed = bool(self._ends)
        for end in self._ends:
            end()
        self._ends.clear()
        while not self._closed and (ticket := self._budget.due(now)):
            self._let_through(ticket, now)
            changed = True
        return changed

    def _let_through(self, ticket: Ticket, now: float) -> None:
        turn = self._turns.pop(ticket)
        if turn.cancelled():
            self._budget.not_sent(ticket, now)
        else:
            self._open.add(ticket)
            turn.set_result(None)

    def _tell(self, now: float) -> None:
        mark = self._budget.mark()
        if mark == self._mark:
            return
        self._mark = mark
        state = self._budget.state(now)
        if state.remaining is not None:
            self.ledger.sample(now, state.remaining, state.limit)
        self._changed()

    def _come_back_in(self, seconds: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._timer = self._loop.call_later(seconds, self._advance)

    def _stop_timer(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None


# ---- shared with other programs on this machine: a small file with a lock ----

_FILE_LOOKS_EVERY = 0.25
_MAX_FILE_BYTES = 1_000_000
_LOCK_PATIENCE = 2.0  # seconds: a lock which is held for longer is held by a program that stands still

if sys.platform == "win32":
    import msvcrt

    _LOCKED_BYTE = 1 << 30  # beyond what is ever written: a lock on Windows keeps readers out, too

    def _lock(file: int) -> None:
        os.lseek(file, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError from error

    def _unlock(file: int) -> None:
        os.lseek(file, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)


class FileSharedBudget:
    """Shares through a file in `folder`. Neither the file nor its name tells the key.

    Nothing here waits. The lock is held while one program reads the file, decides and writes; who finds it
    taken comes back. Whatever goes wrong ends the sharing and nothing else: the budget goes on by the
    service's headers alone.
    """

    def __init__(
        self, folder: Path, address: str, key: str, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._folder, self._address, self._key = folder, address, key
        self._clock = clock
        self._reason: str | None = None
        self._busy_since: float | None = None

    @cached_property
    def path(self) -> Path:
        """The file; its name is made slowly from address and key: no key can be tried out on it."""
        return self._folder / f"budget-{profile_key(self._address, self._key)}.json"

    @property
    def sharing(self) -> str | None:
        """Why nothing is shared, or None while it is."""
        return self._reason

    @property
    def looks_every(self) -> float:
        """Seconds: a file tells nobody that it was changed."""
        return _FILE_LOOKS_EVERY

    @property
    def spread(self) -> float:
        """None: on one machine there are never many."""
        return 0.0

    def watch(self, heard: Callable[[str | None], None]) -> None:
        """Nothing is heard of a file."""

    def exchange(self, change: Callable[[str | None], str]) -> bool:
        """Hand `change` what is in the file (None if it is new) and write what it returns, under the lock.

        Returns False if `change` was not called, because another program has the lock or because sharing has
        ended.
        """
        if self._reason is not None:
            return False
        try:
            file = self._open()
        except OSError as error:
            self._reason = f"the shared budget cannot be opened: {error.strerror}"
            return False
        try:
            return self._take_lock(file) and self._exchange(file, change)
        finally:
            os.close(file)

    def wall(self) -> float:
        """Seconds since 1970 by the clock of this machine, which all programs on it have in common."""
        return time.time()

    def close(self) -> None:
        """Nothing to do: the file is open only while it is used."""

    def _open(self) -> int:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)

    def _take_lock(self, file: int) -> bool:
        try:
            _lock(file)
        except BlockingIOError:
            self._busy_since = self._clock() if self._busy_since is None else self._busy_since
            if self._clock() - self._busy_since > _LOCK_PATIENCE:
                self._reason = "another program holds the shared budget and stands still"
            return False
        except OSError as error:
            self._reason = f"the shared budget cannot be locked: {error.strerror}"
            return False
        self._busy_since = None
        return True

    def _exchange(self, file: int, change: Callable[[str | None], str]) -> bool:
        known = self._read(file)
        if self._reason is not None:
            return False
        new = change(known or None)
        if new != known:
            self._write(file, new)
        _unlock(file)
        return True

    def _read(self, file: int) -> str:
        try:
            os.lseek(file, 0, os.SEEK_SET)
            return os.read(file, _MAX_FILE_BYTES).decode("ascii", "replace")
        except OSError as error:
            self._reason = f"the shared budget cannot be read: {error.strerror}"
            return ""

    def _write(self, file: int, text: str) -> None:
        try:
            os.lseek(file, 0, os.SEEK_SET)
            os.write(file, text.encode("ascii"))
            os.ftruncate(file, len(text))
        except OSError as error:
            self._reason = f"the shared budget cannot be written: {error.strerror}"
