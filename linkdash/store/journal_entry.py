"""Writes as they are planned and as the journal has them."""

import enum
import getpass
import json
import platform
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, Self, TypedDict

from linkdash.api.fields import identifier_in
from linkdash.api.records import Body
from linkdash.store.database import Value, stored_json


class Outcome(enum.StrEnum):
    """The outcome of a write."""

    NOT_SENT = "not sent"
    REJECTED = "rejected"
    DONE = "done"
    UNKNOWN = "unknown"


class Author(NamedTuple):
    """The user who writes, and the machine."""

    user: str
    host: str

    @classmethod
    def here(cls) -> Self:
        """The user of this process and the name of this machine."""
        try:
            user = getpass.getuser()
        except (OSError, KeyError):  # a user without a name, as containers have
            user = "unknown"
        return cls(user, platform.node() or "unknown")

    def __str__(self) -> str:
        return f"{self.user}@{self.host}" if self.user or self.host else ""


NOBODY = Author("", "")
"""The author of what an earlier version has recorded."""


def new_origin() -> str:
    """Return a new id that makes one write the same wherever it is kept; no other has it."""
    return uuid.uuid4().hex


def draft_name(resource: str, form: str, *of: int | str) -> str:
    """The name under which a form keeps its draft: `pixels/create`, `users/assign/12`."""
    return "/".join((resource, form, *map(str, of)))


@dataclass(frozen=True, slots=True)
class WriteIntent:
    """A write as something to be done: what forms, deletes, bulk jobs and the journal speak of."""

    resource: str
    action: str
    """`create`, `update`, `delete`, `assign` or `subscribe`."""
    record_ids: tuple[int, ...]
    """The record, and where the action needs it, the one it is given to; empty for one to be made."""
    params: Mapping[str, object] = field(repr=False)
    """The members to be sent, in the body or in the path. They can hold secrets."""
    names: tuple[str, ...] = ()
    """The names of the records in `record_ids`, "" where one is not known; of one to be made its own."""
    before: Mapping[str, object] | None = field(default=None, repr=False)
    """The members that will be changed, as they were, as far as the service has told them."""
    undoes: str | None = None
    """The origin of the entry that it takes back; None where it is no undo."""
    estimated: frozenset[str] = frozenset()
    """The members of an undo whose value may be another than the one it gives back."""
    is_kept: bool = field(default=False, compare=False)
    """True if what it sends is shown by no list: its entry is kept as long as the record is there."""
    told: str = field(default="", compare=False)
    """The words that an earlier version has kept instead of names; they are shown as they are."""
    body: Body | None = field(default=None, repr=False, compare=False)
    """The body as it was validated in this run; it is never stored."""
    read_at: datetime | None = field(default=None, repr=False, compare=False)
    """When the record was read that it builds on; None where it builds on none."""
    is_of_file: bool = field(default=False, compare=False)
    """True if who wants it may have seen nothing of what was changed since, from here either."""

    @property
    def record_id(self) -> int | None:
        """The record it is about; None for one that is to be made."""
        return self.record_ids[0] if self.record_ids else None

    @property
    def is_undo(self) -> bool:
        """True for an update or a subscription that gives back what was before another."""
        return self.undoes is not None

    def name(self, position: int = 0) -> str:
        """The name of a record that it is about; "" where that is not known."""
        return self.names[position] if position < len(self.names) else ""

    @property
    def draft_names(self) -> tuple[str, ...]:
        """The names of the drafts that this can be of: a subscription has forms of user and plan."""
        if self.action != "subscribe":
            return (draft_name(self.resource, self.action, *self.record_ids[:1]),)
        user, plan = self.record_ids
        return (
            draft_name("users", "assign", user),
            draft_name("users", "undo", user),
            draft_name("plans", "assign", plan),
        )

    def may_be_of(self, draft: str) -> bool:
        """Return whether this may be what was typed into the form whose draft has this name.

        A creation does not tell the deleted record that its form was filled in from.
        """
        is_anew = self.action == "create" and draft.startswith(f"{draft_name(self.resource, self.action)}/")
        return is_anew or draft in self.draft_names

    def is_same(self, other: "WriteIntent") -> bool:
        """Return whether both send the same about the same records, whatever they are called."""
        about = (self.resource, self.action, self.record_ids)
        same = about == (other.resource, other.action, other.record_ids)
        return same and stored_json(self.params) == stored_json(other.params)


class IntentFacts(TypedDict):
    """The part of an intent that is kept besides the columns that are asked for."""

    names: tuple[str, ...]
    undoes: str | None
    estimated: frozenset[str]
    is_kept: bool
    read_at: datetime | None


def facts_text(intent: WriteIntent) -> str:
    """The names of an intent, what it undoes and what it builds on, as its column holds them."""
    undoes = {} if intent.undoes is None else {"undoes": intent.undoes}
    read = "" if intent.read_at is None else intent.read_at.isoformat()
    given = {
        "names": intent.names,
        "estimated": sorted(intent.estimated),
        "kept": intent.is_kept,
        "read": read,
    }
    return stored_json({**{name: value for name, value in given.items() if value}, **undoes})


def read_facts(text: str) -> IntentFacts:
    """Read what `facts_text` wrote; an earlier version has kept none. Raises what a spoilt value raises."""
    kept = json.loads(text or "{}")
    return IntentFacts(
        names=tuple(map(str, kept.get("names", ()))),
        undoes=None if kept.get("undoes") is None else str(kept["undoes"]),
        estimated=frozenset(map(str, kept.get("estimated", ()))),
        read_at=datetime.fromisoformat(kept["read"]) if kept.get("read") else None,
        is_kept=bool(kept.get("kept")),
    )


class OpenEntry(NamedTuple):
    """The record of a write that is on its way."""

    id: int
    """The id of its entry, in the journal that keeps it."""
    origin: str
    columns: Mapping[str, Value]
    waits: bool = False
    """True if a journal on this machine keeps it until the team's store is back."""


class Settlement(NamedTuple):
    """A later reading of the service about a write of unknown outcome."""

    at: datetime
    happened: bool
    message: str
    """The evidence for that."""


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """A write in the journal."""

    id: int
    begun: datetime
    intent: WriteIntent
    method: str
    path: str
    outcome: Outcome | None
    """None while it is under way in this process."""
    ended: datetime | None = None
    message: str = ""
    requests: int = 0
    """The number of requests that it took."""
    answer: object = None
    settlement: Settlement | None = None
    author: Author = NOBODY
    origin: str = field(default="", compare=False, repr=False)
    """The id that makes it the same write, wherever it is kept."""
    waits: bool = False
    """True if it is kept here until it is handed in to the team's store; it has its id there from then on."""

    @property
    def created_id(self) -> int | None:
        """The id of the record that it made, where the answer said that."""
        return identifier_in(self.answer) if self.intent.action == "create" else None

    @property
    def record_id(self) -> int | None:
        """The id of the record that it is about, or has made."""
        return self.created_id if self.intent.record_id is None else self.intent.record_id

    @property
    def is_open(self) -> bool:
        """Return whether its outcome is unknown."""
        return self.outcome is Outcome.UNKNOWN and self.settlement is None

    @property
    def outcome_words(self) -> str:
        """The outcome in a word or two: what was read later takes the place of unknown."""
        if self.outcome is None:
            return "sending"
        if self.settlement is not None:
            return "confirmed" if self.settlement.happened else "not done"
        return self.outcome.value

    @property
    def known_outcome(self) -> Outcome | None:
        """Return the outcome as far as it is known: what was read later takes the place of unknown."""
        if self.settlement is None:
            return self.outcome
        return Outcome.DONE if self.settlement.happened else Outcome.NOT_SENT

    @property
    def was_done(self) -> bool:
        """Return whether it is known to have been done."""
        return self.known_outcome is Outcome.DONE
