"""The request budget of a key shared through a team's database: one row, for programs on many machines.

The one who changes it holds the row's lock from reading it until its change is committed. That is done in a
thread of its own, which calls whoever asked for the row when it is held: so nothing waits.
"""

import contextlib
import enum
import threading
import time
from collections.abc import Callable

import psycopg

from linkdash.store.database import StoreUnavailable
from linkdash.store.postgresql import DatabasePart, TeamConnection
from linkdash.store.team_address import Address

BUDGET_SCHEMA = ("CREATE TABLE budgets (profile TEXT PRIMARY KEY, known TEXT NOT NULL)",)

_HELD = 0.1  # seconds that the row is held for a program which has asked for it and does not come back
_PAUSE = 5.0  # seconds between two attempts to reach the database
_LONGEST = 1  # seconds that a turn may take before the database counts as away; half of it at first
_LOOKS_EVERY = 1.0  # seconds
_REMEMBERED = 0.9  # of a wait for the row, from one turn to the next


class _Turn(enum.Enum):
    """The progress of the exchange under way."""

    NONE = enum.auto()
    WANTED = enum.auto()
    """The thread is to get hold of the row."""
    HELD = enum.auto()
    """The row is held, and what is in it known: whoever asks next may change it."""
    CHANGED = enum.auto()
    """The thread is to commit what was changed."""


class TeamSharedBudget:
    """A budget shared in a row that is found by the profile; nothing in it reveals the key.

    While the database is away nothing is shared, and the budget goes by the service's headers; when it is
    back, sharing goes on by itself.
    """

    def __init__(self, address: Address, profile: str) -> None:
        self._part = DatabasePart(address, "budget", BUDGET_SCHEMA)
        self._profile = profile
        self._reason: str | None = None
        self._has_answered = False
        """True if the database was there since this began: only then it is waited for as long as may be."""
        self._ahead = 0.0
        self._known: str | None = None
        self._new = ""
        self._turn = _Turn.NONE
        self._wanted_at = time.monotonic()
        self._waited = 0.0
        """Seconds that the row was waited for; a long wait is forgotten slowly."""
        self._closed = False
        self._changed = threading.Condition()
        self._heard: Callable[[], None] = lambda: None
        self._thread = threading.Thread(target=self._run, name="shared budget", daemon=True)
        self._thread.start()

    @property
    def sharing(self) -> str | None:
        """The reason why nothing is shared at the moment; None while it is."""
        return self._reason

    @property
    def looks_every(self) -> float:
        """Seconds after which a program that waits looks what others have learned."""
        return _LOOKS_EVERY

    @property
    def spread(self) -> float:
        """Twice what the row was waited for of late: with few machines, that is next to nothing."""
        return 2 * self._waited

    def watch(self, heard: Callable[[], None]) -> None:
        """Call `heard` in another thread when it is our turn, or nothing is shared any more."""
        self._heard = heard

    def wall(self) -> float:
        """Seconds since 1970 by the clock of the database, which all machines have in common."""
        return time.time() + self._ahead

    def rewrite(self, change: Callable[[str | None], str]) -> bool:
        """Hand `change` what is shared (None if it is new) and keep what it returns.

        Returns False if `change` was not called: the row is not held for this program yet, or nothing is
        shared. In the first case it is told when to ask again.
        """
        with self._changed:
            if self._reason is not None or self._closed:
                return False
            if self._turn is _Turn.HELD:
                self._new = change(self._known)
                self._turn = _Turn.CHANGED
                self._changed.notify_all()
                return True
            if self._turn is _Turn.NONE:
                self._turn, self._wanted_at = _Turn.WANTED, time.monotonic()
                self._changed.notify_all()
            elif time.monotonic() - self._wanted_at > (_LONGEST if self._has_answered else _LONGEST / 2):
                self._reason = f"{self._part.address.name} does not answer"
            return False

    def close(self) -> None:
        """End the sharing after what was changed is committed; wait for that no longer than a moment."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join(timeout=_HELD)

    # ---- in the thread ----

    def _run(self) -> None:
        while not self._closed:
            try:
                with contextlib.closing(self._connected()) as session:
                    self._share(session)
            except psycopg.Error:
                self._stop_sharing(f"{self._part.address.name} was lost")
            except StoreUnavailable as error:
                self._stop_sharing(error.what)

    def _connected(self) -> TeamConnection:
        session = self._part.connect()
        try:
            self._set_up(session)
        except BaseException:
            session.close()
            raise
        return session

    def _set_up(self, session: TeamConnection) -> None:
        """Make sure that the row is there, and learn how far the clock of the database is ahead."""
        session.execute(f"SET lock_timeout = '{_LONGEST}s'".encode())
        # A program that stands still, or a machine that is gone, must not hold the row from all others.
        session.execute(f"SET idle_in_transaction_session_timeout = '{_LONGEST}s'".encode())
        # What a crash of the database takes with it, the headers of the next answer tell again.
        session.execute("SET synchronous_commit = off")
        session.execute(
            "INSERT INTO budgets (profile, known) VALUES (%s, '') ON CONFLICT DO NOTHING", (self._profile,)
        )
        begun = time.time()
        row = session.execute("SELECT extract(epoch FROM clock_timestamp()) AS now").fetchone()
        if row is not None:
            self._ahead = float(row["now"]) - (begun + time.time()) / 2
        with self._changed:
            self._reason, self._has_answered = None, True
        self._heard()

    def _stop_sharing(self, why: str) -> None:
        with self._changed:
            self._reason, self._turn = why, _Turn.NONE
        self._heard()
        with self._changed:
            self._changed.wait_for(lambda: self._closed, _PAUSE)

    def _share(self, session: TeamConnection) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._turn is _Turn.WANTED)
                if self._closed:
                    return
            with session.pipeline(), session.transaction():  # BEGIN and the question go together
                self._synchronize(session)
            with self._changed:
                self._reason = None  # it answers, however late

    def _synchronize(self, session: TeamConnection) -> None:
        """Take a turn: the row is locked when this begins to wait, and free when the transaction ends."""
        row = session.execute(
            "SELECT known FROM budgets WHERE profile = %s FOR UPDATE", (self._profile,)
        ).fetchone()
        with self._changed:
            self._known, self._turn = (row["known"] or None) if row else None, _Turn.HELD
            self._reason = None
            self._waited = max(time.monotonic() - self._wanted_at, _REMEMBERED * self._waited)
        self._heard()
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._turn is _Turn.CHANGED, _HELD)
            is_changed, new = self._turn is _Turn.CHANGED, self._new
            if not is_changed:
                self._turn = _Turn.NONE
        if is_changed:
            if new != self._known:
                session.execute("UPDATE budgets SET known = %s WHERE profile = %s", (new, self._profile))
            with self._changed:
                self._turn = _Turn.NONE
