"""A bulk job: many writes, and what has become of each. Pure."""

import enum
from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from linkdash.store.journal_entry import NOBODY, Author, Outcome, WriteIntent


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
    """A write of a job and what has become of it so far."""

    position: int
    intent: WriteIntent
    state: ItemState = ItemState.PENDING
    message: str = ""
    """Why it failed, or what the service said."""
    origin: str = field(default="", compare=False)
    """The journal's name of the write that it was last sent as; empty for one that never was."""
    is_found_out: bool = False
    """True if its state is what the journal has learned since the run that sent it."""
    author: Author = field(default=NOBODY, compare=False)
    """Who has sent it last, as the journal has it."""


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
    is_untold: bool = field(default=False, compare=False)
    """True if this user has run it on this machine, and was not told that all of it was done."""

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

    def after(self, position: int, state: ItemState, message: str = "", origin: str = "") -> "Job":
        """The same job with another state of one item; `origin` is given where it is sent."""
        known = self.items[position]
        item = replace(known, state=state, message=message, origin=origin or known.origin)
        return replace(self, items=(*self.items[:position], item, *self.items[position + 1 :]))

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

    @property
    def is_to_go_on(self) -> bool:
        """Return whether its same writes continue it: not all were done, or that was not told yet."""
        found_out = any(item.state is not ItemState.DONE or item.is_found_out for item in self.items)
        return found_out or self.is_untold


def state_after(outcome: Outcome) -> ItemState:
    """Return the state of an item after its write: one that was not sent may be sent later."""
    return {
        Outcome.NOT_SENT: ItemState.PENDING,
        Outcome.REJECTED: ItemState.FAILED,
        Outcome.DONE: ItemState.DONE,
        Outcome.UNKNOWN: ItemState.UNKNOWN,
    }[outcome]
