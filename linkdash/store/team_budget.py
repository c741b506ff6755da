"""The request budget of a key that programs on many machines share: one row in the team's database.

The one who changes it holds the row's lock from reading it until its change is committed. All of that is done
in a thread of its own: whoever asks while it is not there yet is told to come back, so that nothing waits.
"""

import contextlib
import enum
import threading
import time
from collections.abc import Callable

import psycopg

from linkdash.store.database import StoreUnavailable
from linkdash.store.postgresql import NAMESPACE, Address, Part, Session

SCHEMA = ("CREATE TABLE budgets (profile TEXT PRIMARY KEY, known TEXT NOT NULL)",)

_HELD = 0.1  # seconds that the row is held for a program which has asked for it and does not come back
_PAUSE = 5.0  # seconds between two attempts to reach the database
_LONGEST = 1  # seconds that a turn may take before the database counts as away


class _Turn(enum.Enum):
    """How far the exchange under way is."""

    NONE = enum.auto()
    WANTED = enum.auto()
    """The thread is to get hold of the row."""
    HELD = enum.auto()
    """The row is held, and what is in it known: whoever asks next may change it."""
    CHANGED = enum.auto()
    """The thread is to commit what was changed."""


class TeamSharedBudget:
    """Shares through a row that is found by the profile; neither it nor anything in it tells the key.

    While the database is away nothing is shared, and the budget goes by the service's headers; when it is
    back, sharing goes on by itself.
    """

    def __init__(self, address: Address, profile: str, *, namespace: str = NAMESPACE) -> None:
        self._part = Part(address, "budget", SCHEMA, namespace)
        self._profile = profile
        self._reason: str | None = None
        self._ahead = 0.0
        self._known: str | None = None
        self._new = ""
        self._turn = _Turn.WANTED
        self._wanted_at = time.monotonic()
        self._closed = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="shared budget", daemon=True)
        self._thread.start()

    @property
    def sharing(self) -> str | None:
        """Why nothing is shared at the moment, or None while it is."""
        return self._reason

    def wall(self) -> float:
        """Seconds since 1970 by the clock of the database, which all machines have in common."""
        return time.time() + self._ahead

    def exchange(self, change: Callable[[str | None], str]) -> bool:
        """Hand `change` what is shared (None if it is new) and keep what it returns.

        Returns False if `change` was not called: the row is not held for this program yet, or nothing is
        shared. Then it is worth asking again in some milliseconds.
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
            elif time.monotonic() - self._wanted_at > _LONGEST:
                self._reason = f"{self._part.address.name} does not answer"
            return False

    def close(self) -> None:
        """Ends the sharing after what was changed is committed; waits for that no longer than a moment."""
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
            except (psycopg.Error, StoreUnavailable) as error:
                lost = (
                    error.what
                    if isinstance(error, StoreUnavailable)
                    else f"{self._part.address.name} was lost"
                )
                self._stop_sharing(lost)
                with self._changed:
                    self._changed.wait_for(lambda: self._closed, _PAUSE)

    def _connected(self) -> Session:
        session = self._part.connect()
        try:
            self._begin(session)
        except BaseException:
            session.close()
            raise
        return session

    def _begin(self, session: Session) -> None:
        """Makes sure that the row is there, and learns how far the clock of the database is ahead."""
        session.execute(f"SET lock_timeout = '{_LONGEST}s'".encode())
        # A program that stands still, or a machine that is gone, must not hold the row from all others.
        session.execute(f"SET idle_in_transaction_session_timeout = '{_LONGEST}s'".encode())
        session.execute(
            "INSERT INTO budgets (profile, known) VALUES (%s, '') ON CONFLICT DO NOTHING", (self._profile,)
        )
        begun = time.time()
        row = session.execute("SELECT extract(epoch FROM clock_timestamp()) AS now").fetchone()
        if row is not None:
            self._ahead = float(row["now"]) - (begun + time.time()) / 2
        with self._changed:
            self._reason = None

    def _stop_sharing(self, why: str) -> None:
        with self._changed:
            self._reason, self._turn = why, _Turn.NONE

    def _share(self, session: Session) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._turn is _Turn.WANTED)
                if self._closed:
                    return
            with session.transaction():
                self._exchange(session)
            with self._changed:
                self._reason = None  # it answers, however late

    def _exchange(self, session: Session) -> None:
        """One turn: the row is locked when this begins to wait, and free when the transaction ends."""
        row = session.execute(
            "SELECT known FROM budgets WHERE profile = %s FOR UPDATE", (self._profile,)
        ).fetchone()
        with self._changed:
            self._known, self._turn = (row["known"] or None) if row else None, _Turn.HELD
            self._reason = None
            self._changed.wait_for(lambda: self._closed or self._turn is _Turn.CHANGED, _HELD)
            is_changed, new = self._turn is _Turn.CHANGED, self._new
            if not is_changed:
                self._turn = _Turn.NONE
        if is_changed:
            if new != self._known:
                session.execute("UPDATE budgets SET known = %s WHERE profile = %s", (new, self._profile))
            with self._changed:
                self._turn = _Turn.NONE
