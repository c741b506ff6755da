"""Asks for the statistics of codes, keeps every answer in the history, and finds what was kept."""

import asyncio
from collections.abc import Iterable
from datetime import datetime, timedelta

from linkdash.api.budget import Lane
from linkdash.api.exchange import Options
from linkdash.api.qr import QrCode
from linkdash.model.session import Session
from linkdash.model.statistics.activity import REACH, Activity, activities, grown
from linkdash.model.statistics.code_statistics import CodeStatistics
from linkdash.model.statistics.periods import Amount
from linkdash.model.statistics.readings import reading_of, scans_of
from linkdash.model.timezone import local_moment
from linkdash.store.database import StoreUnavailable
from linkdash.store.history import Reading, Scans


class StatisticsReader:
    """The statistics of one session. Without a store that works it goes on, and remembers nothing."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def now(self) -> datetime:
        """This moment in the zone of the person."""
        return local_moment(self._session.now())

    async def read(self, code: CodeStatistics, lane: Lane = Lane.READ) -> None:
        """Asks for a code (1 request), keeps the answer and applies it. Raises ServiceError."""
        answer = await self._session.client.qr.get(code.code.id, options=Options(lane=lane))
        reading = reading_of(answer, self.now)
        code.apply(answer.code, reading)
        if reading is not None:
            await self._keep({code.code.id: [reading]})

    def is_waiting(self, code: CodeStatistics) -> bool:
        """Whether the question about a code waits for its turn, so that it can be taken back for free."""
        request = str(self._session.client.qr.request(code.code.id))
        return any(waiting.label == request for waiting in self._session.gate.state.queued)

    async def recall(self, code: CodeStatistics) -> None:
        """Finds what was kept of a code; costs no request."""
        history = self._session.store.history
        try:
            readings = await history.readings(code.code.id)
            code.recall(readings, await history.last_look(code.code.id))
        except StoreUnavailable as error:
            self._session.store_trouble = error

    async def note_visit(self, code: CodeStatistics) -> None:
        """Keeps that a person sees the statistics of a code now."""
        try:
            await self._session.store.history.mark_looked(code.code.id, self.now)
        except StoreUnavailable as error:
            self._session.store_trouble = error

    async def keep_listed(self, codes: Iterable[QrCode], at: datetime) -> None:
        """Keeps the scans that a page of the list of codes told, which costs no request of its own."""
        await self._keep(scans_of(codes, at))

    async def _keep(self, readings: dict[int, list[Reading]]) -> None:
        try:
            await self._session.store.history.record_all(readings)
        except StoreUnavailable as error:
            self._session.store_trouble = error

    async def activities(self) -> dict[int, Activity]:
        """How much every code is scanned, by id, from what was kept: one query, no request."""
        scans = await self._scans(REACH)
        found = await asyncio.to_thread(activities, scans, self.now)  # a fifth of a second for 1,000 codes
        self._session.at_hand.activities = found
        return found

    async def grown(self, window: timedelta) -> dict[int, Amount]:
        """How much the scans of each code grew in the time up to now, from what was kept."""
        return grown(await self._scans(window), self.now - window, self.now)

    async def _scans(self, reach: timedelta) -> dict[int, Scans]:
        try:
            return await self._session.store.history.scans(self.now - reach)
        except StoreUnavailable as error:
            self._session.store_trouble = error
            return {}
