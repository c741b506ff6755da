"""Updates made of the records as they are now, which are read again before anything is sent."""

import asyncio
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import Generic, TypeVar

from linkdash.api.errors import NotSent
from linkdash.api.records import Body, Record
from linkdash.model.humanize import counted
from linkdash.model.writes import planned_changes
from linkdash.model.writes.conflicts import Clash, Shown
from linkdash.model.writes.updating import Update, checked, shows
from linkdash.screens.lists.record_list import RecordList
from linkdash.screens.windows import questions
from linkdash.store.journal_entry import WriteIntent
from linkdash.widgets.form.form import Form

T = TypeVar("T", bound=Record)


class Rereading(Generic[T]):
    """The read before updates are sent, and the question about what others have changed meanwhile."""

    def __init__(self, records: RecordList[T]) -> None:
        self._records = records
        self._reading: asyncio.Future[dict[int, T]] | None = None
        self.left_out: Set[int] = frozenset()
        """The ids of those that the user left out the last time, as others had changed them."""
        self.gone: Set[int] = frozenset()
        """The ids of those that were not found the last time."""

    def take_back(self) -> bool | None:
        """Stop the read that is under way; None where there is none."""
        return None if self._reading is None else self._reading.cancel()

    def reads(self, wanted: Sequence[WriteIntent]) -> int:
        """Return how many requests `as_they_are` costs for updates whose records have not moved."""
        ids = [intent.record_ids[0] for intent in wanted]
        return self._records.collection.rereads(ids) if any(map(shows, wanted)) else 0

    async def as_they_are(
        self,
        body: Body | None,
        wanted: Sequence[WriteIntent],
        seen: Mapping[int, Shown[T]],
        form: Form | None = None,
    ) -> Sequence[WriteIntent]:
        """The same updates of the records as they are now, read for it; none where the user goes back.

        Those that replace what others have changed only where the user agrees; then a single one is read
        once more, and asked about again where others have changed it during the question. A job reads all of
        them at its start. `body` is what all of several get; None where each gets its own. A `form` says
        that it is read meanwhile.
        Raises InvalidBody, NotSent, ServiceError.
        """
        agreed: Sequence[Clash] = ()
        self.left_out = self.gone = frozenset()
        while True:
            if form is not None:
                form.say_reading()
            updates = await self._updates_now(body, wanted, seen)
            if form is not None:
                form.say("")
            conflicts = [update.conflict for update in updates if update.conflict is not None]
            if not conflicts or conflicts[0].clashes == agreed:
                return [update.intent for update in updates]
            question = questions.overwriting(conflicts, len(updates), self._records.screen.session)
            if not await self._records.screen.app.push_screen_wait(question):
                self.left_out = {id for conflict in conflicts for id in conflict.intent.record_ids}
                return [update.intent for update in updates if update.conflict is None]
            if len(updates) > 1:
                return [update.intent for update in updates]
            agreed = conflicts[0].clashes

    async def _updates_now(
        self, body: Body | None, wanted: Sequence[WriteIntent], seen: Mapping[int, Shown[T]]
    ) -> Sequence[Update]:
        """The updates of the records as they are now, with what they would replace; raises as above."""
        screen, resource = self._records.screen, self._records.resource
        if (model := resource.update) is None:
            return [Update(intent) for intent in wanted]
        read_at = screen.session.moment()
        now = await self._read(wanted, seen)
        self.gone = seen.keys() - now.keys()
        if gone := [one.record for id, one in seen.items() if id in self.gone]:
            what = resource.title_of(gone[0]) if len(gone) == 1 else counted(len(gone), resource.singular)
            screen.warn(f"Not found: {what}. Perhaps deleted; nothing was sent for it.")
        if not now:
            return ()
        if body is None or len(seen) == 1:
            by_id = {intent.record_id: intent for intent in wanted}
            renewed = [
                planned_changes.rebased(resource, model, record, by_id[id]) for id, record in now.items()
            ]
        else:
            renewed = planned_changes.updates_of(resource, model, [*now.values()], body)
        return [
            await checked(screen.session, resource, seen[id], now[id], replace(intent, read_at=read_at))
            for intent in renewed
            for id in intent.record_ids
        ]

    async def _read(self, wanted: Sequence[WriteIntent], seen: Mapping[int, Shown[T]]) -> Mapping[int, T]:
        """The records as they are now, where anything of them is named or sent along; as seen where not."""
        if not any(map(shows, wanted)):
            return {id: one.record for id, one in seen.items()}
        self._reading = asyncio.ensure_future(self._records.collection.reread(seen, is_shown=True))
        try:
            found = await self._reading
            return {id: found[id] for id in seen if id in found}  # in the order in which they were selected
        except asyncio.CancelledError:
            if (flow := asyncio.current_task()) is not None and flow.cancelling():
                raise
            raise NotSent("It was cancelled in the request queue.", "Nothing was sent.") from None
        finally:
            self._reading = None
