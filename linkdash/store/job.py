"""A bulk job: many writes, and what has become of each. Pure."""

import enum
from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from linkdash.api.errors import LinkdashError
from linkdash.store.journal_entry import NOBODY, Author, Outcome, WriteIntent


class JobHeld(LinkdashError):
    """Another program runs the job at the moment; nothing was sent."""


class ItemState(enum.StrEnum):
    """The progress of one item of a job."""

    PENDING = "pending"
    SENT = "sent"
    """Under way in this process."""
    DONE = "done"
    FAILED = "failed"
    UNKNOWN = "unknown"
    """Sent, with unknown outcome. It is never sent again by itself."""


@dataclass(frozen=True, slots=True)
class JobItem:
    """A write of a job, and what the journal knows of it."""

    position: int
    intent: WriteIntent
    state: ItemState = ItemState.PENDING
    message: str = ""
    """Why it failed or was not sent, or what was found out."""
    origin: str = field(default="", compare=False)
    """The journal's name of the write that it was last sent as; empty for one that never was."""
    is_found_out: bool = False
    """True if its state is what was read later of a write of unknown outcome."""
    author: Author = field(default=NOBODY, compare=False)
    """Who has sent it last."""
    created_id: int | None = None
    """The id of the record that it made."""
    row_key: str = ""
    """What the row of a file asks for, of which it was made; empty for one that was made otherwise."""


@dataclass(frozen=True, slots=True)
class Job:
    """Many writes that the user started as one."""

    id: int
    title: str
    """Its title, in words: "delete 40 pixels"."""
    created: datetime
    items: tuple[JobItem, ...]
    author: Author = NOBODY
    runner: str = ""
    """The other program that runs it at the moment, as user@host; empty where none does."""

    def next_item(self, left_out: Container[int] = ()) -> JobItem | None:
        """The item to do next, but for those at some positions; None when nothing is left."""
        left = (item for item in self.items if item.state is ItemState.PENDING)
        return next((item for item in left if item.position not in left_out), None)

    @property
    def counts(self) -> Counter[ItemState]:
        """Return how many items are in each state."""
        return Counter(item.state for item in self.items)

    @property
    def senders(self) -> Sequence[Author]:
        """Everybody who has sent something of it, as far as the journal knows; by name."""
        return sorted({item.author for item in self.items} - {NOBODY})

    def is_of(self, intents: Sequence[WriteIntent]) -> bool:
        """Return whether it is of exactly these writes, in their order."""
        return len(self.items) == len(intents) and all(
            item.intent.is_same(intent) for item, intent in zip(self.items, intents, strict=True)
        )

    @property
    def is_import(self) -> bool:
        """Return whether it is made of the rows of a file, which is needed for what is left of it."""
        return any(item.row_key for item in self.items)

    @property
    def is_done(self) -> bool:
        """Return whether all of it was done."""
        return all(item.state is ItemState.DONE for item in self.items)

    @property
    def is_news(self) -> bool:
        """Return whether all of it was done, and some of that by others, or as it was found out later."""
        is_found_out = any(item.is_found_out for item in self.items)
        return self.is_done and (is_found_out or bool({*self.senders} - {self.author}))

    def as_known(self, known: "Job | None") -> "Job":
        """The same writes, as far as they are `known` to be by now."""
        if known is None or len(known.items) != len(self.items):
            return self
        pairs = zip(known.items, self.items, strict=True)
        return replace(known, items=tuple(replace(item, intent=own.intent) for item, own in pairs))

    def with_refused_to_do(self) -> "Job":
        """The same, where what was rejected is to be tried again."""
        items = (
            replace(item, state=ItemState.PENDING) if item.state is ItemState.FAILED else item
            for item in self.items
        )
        return replace(self, items=tuple(items))

    def after(
        self,
        position: int,
        state: ItemState,
        message: str = "",
        origin: str = "",
        created_id: int | None = None,
    ) -> "Job":
        """The same job with another state of one item; `origin` is given where it is sent."""
        known = self.items[position]
        return self.with_item(
            replace(known, state=state, message=message, origin=origin or known.origin, created_id=created_id)
        )

    def with_item(self, item: JobItem) -> "Job":
        """The same job with another item in its place."""
        return replace(self, items=(*self.items[: item.position], item, *self.items[item.position + 1 :]))

    @property
    def left(self) -> int:
        """Return how many items may still be sent."""
        return sum(item.state is ItemState.PENDING for item in self.items)

    @property
    def over(self) -> int:
        """Return how many items are done, have failed or are unknown."""
        return sum(item.state not in (ItemState.PENDING, ItemState.SENT) for item in self.items)

    @property
    def is_unfinished(self) -> bool:
        """Return whether there is something left to do or to find out."""
        return any(item.state not in (ItemState.DONE, ItemState.FAILED) for item in self.items)


def state_after(outcome: Outcome) -> ItemState:
    """Return the state of an item after its write: one that was not sent may be sent later."""
    return {
        Outcome.NOT_SENT: ItemState.PENDING,
        Outcome.REJECTED: ItemState.FAILED,
        Outcome.DONE: ItemState.DONE,
        Outcome.UNKNOWN: ItemState.UNKNOWN,
    }[outcome]
