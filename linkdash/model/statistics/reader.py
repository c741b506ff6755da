"""Asks for the statistics of codes, keeps every answer in the history, and finds what was kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from linkdash.api.budget import Lane
from linkdash.api.exchange import Options
from linkdash.api.model import Unreadable
from linkdash.api.qr import QrCode
from linkdash.model.session import Session
from linkdash.model.statistics.readings import snapshot_of
from linkdash.model.timezone import local_moment
from linkdash.store.changes import Change, Snapshot
from linkdash.store.database import StoreUnavailable


@dataclass(frozen=True)
class Answer:
    """What the service said about a code; `snapshot` is None where it told no number."""

    code: QrCode | Unreadable
    snapshot: Snapshot | None


@dataclass(frozen=True)
class Past:
    """What was kept of a code."""

    readings: Sequence[Snapshot] = ()
    last_look: datetime | None = None


class StatisticsReader:
    """The statistics of one session. Without a store that works it goes on, and remembers nothing."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def now(self) -> datetime:
        """This moment in the zone of the person."""
        return local_moment(self._session.now())

    async def read(self, code_id: int, lane: Lane = Lane.READ) -> Answer:
        """Asks for a code and keeps the answer. Raises ServiceError."""
        reading = await self._session.client.qr.get(code_id, options=Options(lane=lane))
        snapshot = snapshot_of(reading, self.now)
        if snapshot is not None:
            await self._keep(code_id, snapshot)
        return Answer(reading.code, snapshot)

    def is_waiting(self, code_id: int) -> bool:
        """Whether the question about a code waits for its turn, so that it can be taken back for free."""
        request = str(self._session.client.qr.request(code_id))
        return any(waiting.label == request for waiting in self._session.gate.state.queued)

    async def _keep(self, code_id: int, snapshot: Snapshot) -> None:
        try:
            await self._session.store.history.record(code_id, snapshot)
        except StoreUnavailable as error:
            self._session.store_trouble = error

    async def past(self, code_id: int) -> Past:
        """What was kept of a code."""
        history = self._session.store.history
        try:
            return Past(await history.snapshots(code_id), await history.last_look(code_id))
        except StoreUnavailable as error:
            self._session.store_trouble = error
            return Past()

    async def looked(self, code_id: int) -> None:
        """Keeps that a person sees the statistics of a code now."""
        try:
            await self._session.store.history.mark_looked(code_id, self.now)
        except StoreUnavailable as error:
            self._session.store_trouble = error

    async def growth(self, window: timedelta) -> dict[int, Change]:
        """What happened to each code in the time up to now, from what was kept."""
        try:
            return await self._session.store.history.changes_since(self.now - window)
        except StoreUnavailable as error:
            self._session.store_trouble = error
            return {}
