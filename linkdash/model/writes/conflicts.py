"""Updates of records that others may have changed since they were shown. Pure.

An update is made of the present record, so that what was not named stays as others have made it. A member
that was named, and that others have changed since it was shown, is a conflict: the user decides about it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Generic, NamedTuple, TypeVar

from linkdash.api.errors import InvalidBody
from linkdash.api.fields import Field, fields_of
from linkdash.api.inert_text import inert
from linkdash.api.records import Body, Record, member_names
from linkdash.model.declaration import Resource
from linkdash.model.humanize import shortened
from linkdash.model.lists.patching import patched
from linkdash.model.writes.planned_changes import NEVER_SHOWN, named_members, value_text, values_of
from linkdash.model.writes.write_words import summary_of
from linkdash.store.journal_entry import JournalEntry, WriteIntent

T = TypeVar("T", bound=Record)

CLOCKS_APART = timedelta(seconds=5)
"""The most that the clocks of two machines are apart."""

_VALUE_CELLS = 60


class ChangedElsewhere(InvalidBody):
    """A write would replace what others have changed since it was shown."""


@dataclass(frozen=True)
class Shown(Generic[T]):
    """A record as the user saw it last, and when that was read."""

    record: T
    at: datetime


class Since(NamedTuple):
    """The updates of a record that the journal has since it was shown, the oldest first."""

    own: Sequence[JournalEntry] = ()
    others: Sequence[JournalEntry] = ()

    @property
    def all(self) -> Sequence[JournalEntry]:
        """All of them in the order in which they were made."""
        return sorted((*self.own, *self.others), key=lambda entry: entry.begun)


class Clash(NamedTuple):
    """A member as it was shown, as others have set it since, and as a write would set it."""

    title: str
    was: str
    theirs: str
    yours: str

    def __str__(self) -> str:
        return f"{self.title}: {self.was} → {self.theirs} → {self.yours}"


@dataclass(frozen=True)
class Conflict:
    """The changes of others to a record since it was shown, which an update of it would replace."""

    intent: WriteIntent
    clashes: Sequence[Clash]
    shown_at: datetime
    entry: JournalEntry | None = None
    """The newest change by others of one of these members, where the journal has it."""

    @property
    def cause(self) -> str:
        """The author of the change and its time, as far as they are known."""
        if self.entry is None:
            return f"changed on the service since {_clock(self.shown_at)}"
        return changed_by(self.entry)

    @property
    def refusal(self) -> ChangedElsewhere:
        """The error of an update that is not sent because of it."""
        return ChangedElsewhere(f"{self}.", "Nothing was sent.")

    def __str__(self) -> str:
        changes = ", ".join(f"{clash.title} {clash.was} → {clash.theirs}" for clash in self.clashes)
        return f"{summary_of(self.intent)}: {self.cause}: {changes}"


def changed_by(entry: JournalEntry) -> str:
    """The author of the change, and its time."""
    return f"changed by {entry.author} at {_clock(entry.begun)}"


def _clock(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"


def is_read_for(model: type[Body], record: type[Record], named: Mapping[str, object]) -> bool:
    """Return whether an update sends members that were not named, so that they have to be read for it."""
    required = {name for name, info in model.model_fields.items() if info.is_required()}
    return bool(required & record.model_fields.keys() - named.keys())


def as_left(resource: Resource[T], record: T, updates: Sequence[JournalEntry]) -> T:
    """A record as these updates of it leave it; what they sent along as it was is none of their doing."""
    if resource.update is None:
        return record
    for entry in updates:
        after = patched(resource.record, record.raw, named_members(resource.update, entry.intent), {})
        record = after if isinstance(after, resource.record) else record
    return record


def as_planned(resource: Resource[T], now: T, intent: WriteIntent) -> T:
    """A record as an update was planned of it: as it is `now`, with the members from before."""
    before = intent.before or {}
    fields = resource.record.model_fields
    unset = {
        member
        for name, value in before.items()
        if value is None and name in fields
        for member in member_names(name, fields[name])
    }
    rest = {member: value for member, value in now.raw.items() if member not in unset}
    record = patched(resource.record, rest, before, {})
    return record if isinstance(record, resource.record) else now


def may_clash(resource: Resource[T], seen: T, now: T, intent: WriteIntent) -> bool:
    """Return whether an update of a record as it is `now` may replace a change that was not seen."""
    if resource.update is None:
        return False
    known, present = values_of(seen, resource.update), values_of(now, resource.update)
    named = named_members(resource.update, intent)
    return any(name not in present or known[name] != present[name] for name in named)


def conflict_of(
    resource: Resource[T], shown: Shown[T], now: T, intent: WriteIntent, since: Since
) -> Conflict | None:
    """Return what of an update of a record as it is `now` would replace what others have changed since.

    What this user has changed since is known to them. Of members that the service never shows, the journal
    alone tells whether others have set them.
    """
    if resource.update is None:
        return None
    known = values_of(as_left(resource, shown.record, since.own), resource.update)
    present = values_of(now, resource.update)
    named = named_members(resource.update, intent)
    theirs = [(entry, named_members(resource.update, entry.intent)) for entry in since.others]
    told = {name for _, members in theirs for name in members}
    clashing = {
        name: value
        for name, value in named.items()
        if (known.get(name) != present[name] if name in present else name in told)
    }
    if not clashing:
        return None
    clashes = [
        Clash(field.title, *(_text(field, values) for values in (known, present, clashing)))
        for field in fields_of(resource.update)
        if field.name in clashing
    ]
    by = (entry for entry, members in reversed(theirs) if members.keys() & clashing.keys())
    return Conflict(intent, clashes, shown.at, next(by, None))


def unseen_change(
    model: type[Body], intent: WriteIntent, others: Sequence[JournalEntry]
) -> JournalEntry | None:
    """Return the newest update by others of a member that this one sends, and that it was not made of.

    `others` are their updates since about the moment of its read, the oldest first.
    """
    labels = {field.name: field.labels for field in fields_of(model)}
    before, told = intent.before or {}, set[str]()
    for entry in reversed(others):
        members = named_members(model, entry.intent)
        newest = members.keys() & intent.params.keys() - told
        told |= newest
        is_later = intent.read_at is not None and entry.begun >= intent.read_at
        for name in newest:
            theirs, known, yours = (
                value_text(values.get(name), labels[name]) for values in (members, before, intent.params)
            )
            if theirs != yours and (theirs != known if known is not None else is_later):
                return entry
    return None


def _text(field: Field, values: Mapping[str, object]) -> str:
    if field.kind in NEVER_SHOWN or field.name not in values:
        return "(not shown)"
    return shortened(inert(value_text(values[field.name], field.labels) or "(empty)"), _VALUE_CELLS)
