"""Single writes that no form asks for, which can be cancelled while they are queued."""

from typing import Generic, TypeVar

from linkdash.api.budget.lanes import Lane
from linkdash.api.records import Record
from linkdash.model.writes.guard import ChangedElsewhere
from linkdash.model.writes.one_write import WriteResult
from linkdash.model.writes.write_words import summary_of
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.lists.record_list import RecordList
from linkdash.screens.windows import questions
from linkdash.screens.writes.outcomes import show_outcome
from linkdash.store.journal_entry import WriteIntent

T = TypeVar("T", bound=Record)


async def carry_out_asking(screen: HostScreen, intent: WriteIntent) -> WriteResult:
    """Make a write; ask where it would replace what others have changed, again where that is more by then."""
    result = await screen.session.writes.carry_out(intent)
    while isinstance(refusal := result.error, ChangedElsewhere) and await screen.app.push_screen_wait(
        questions.overwriting([refusal], 1, screen.session)
    ):
        result = await screen.session.writes.carry_out(intent, overwrite=refusal)
    return result


class SingleWrites(Generic[T]):
    """The deletes and undos of one record in a list."""

    def __init__(self, records: RecordList[T]) -> None:
        self.records = records
        self._sending: list[WriteIntent] = []
        """Those whose outcome is awaited, the latest at the end."""
        self._cancelled: WriteIntent | None = None

    async def make(self, intent: WriteIntent) -> WriteResult:
        """Make a write; say that it has to wait, if it does, and how it ended."""
        screen, session = self.records.screen, self.records.screen.session
        quote = session.gate.quote(1, Lane.WRITE)
        if quote.later:
            screen.say(f"{quote}; {screen.key_of('back')} cancels it.", f"Queued: {summary_of(intent)}")
        self._sending.append(intent)
        try:
            result = await carry_out_asking(screen, intent)
        finally:
            self._sending.remove(intent)
        if intent is self._cancelled:
            screen.say("Nothing was sent.", f"Cancelled: {summary_of(intent)}")
        else:
            await show_outcome(self.records, result)
        return result

    @property
    def queued(self) -> WriteIntent | None:
        """The latest of them that still waits for its turn."""
        writes = self.records.screen.session.writes
        return next((one for one in reversed(self._sending) if writes.is_queued(one)), None)

    def cancel_queued(self) -> bool:
        """Take that write back; False where none waits."""
        self._cancelled = self.queued
        writes = self.records.screen.session.writes
        return self._cancelled is not None and writes.take_back(self._cancelled)
