"""Settling: what one read tells of a write whose answer was lost."""

from collections.abc import Container, Mapping, Sequence
from typing import NamedTuple

from linkdash.api.http.secrecy import is_secret
from linkdash.api.records import Record, Unreadable, as_sent
from linkdash.model.declaration import Verdict
from linkdash.store.journal_entry import WriteIntent

_UNKNOWN = object()
NOT_THERE = Verdict(None, "Cannot tell: the record is not on the page that was read.")


class SettlingRead(NamedTuple):
    """The rows of one page that was read after a write, and what is known of where it stands."""

    rows: Sequence[Record | Unreadable]
    is_first: bool = True
    is_last: bool = True
    """True if the list begins, or ends, with this page."""
    before: Sequence[int] = ()
    """The ids that the page had before the write, in their order."""

    @property
    def records(self) -> list[Record]:
        """The rows that can be read."""
        return [row for row in self.rows if isinstance(row, Record)]

    @property
    def is_complete(self) -> bool:
        """Return whether it is the whole list, and all of it can be read."""
        return self.is_first and self.is_last and len(self.records) == len(self.rows)

    def would_show(self, id: int) -> bool:
        """Return whether a record with this id would be among these rows, as its neighbours still are.

        That holds as long as the service keeps the order of its list.
        """
        if self.is_complete:
            return True
        if id not in self.before or len(self.records) < len(self.rows):
            return False
        position, shown = self.before.index(id), {record.id for record in self.records}
        has_one_before = self.is_first or not shown.isdisjoint(self.before[:position])
        has_one_after = self.is_last or not shown.isdisjoint(self.before[position + 1 :])
        return has_one_before and has_one_after


def verdict(
    intent: WriteIntent,
    model: type[Record],
    look: SettlingRead,
    sent: Mapping[str, object],
    others: Container[int],
) -> Verdict:
    """Return what a look says about a write; `sent` are the members that it gave its record.

    `others` are the ids of records that other writes have made.
    """
    if intent.action == "delete":
        return _verdict_on_deletion(intent, look)
    if intent.action != "create":  # the account's intent may have no id: it is the only record
        found = (one for one in look.records if intent.record_id in (None, one.id))
        record = next(found, None)
        known = {name: was for name, was in (intent.before or {}).items() if was is not None}
        return NOT_THERE if record is None else compared(record, sent, known)
    return _verdict_on_creation(look, _comparable(sent, model), others)


def _verdict_on_deletion(intent: WriteIntent, look: SettlingRead) -> Verdict:
    if any(record.id == intent.record_id for record in look.records):
        return Verdict(False, "Not done: the record is still there.")
    if intent.record_id is not None and look.would_show(intent.record_id):
        return Verdict(True, "Done: the record is gone.")
    return NOT_THERE


def compared(record: Record, sent: Mapping[str, object], before: Mapping[str, object]) -> Verdict:
    """Return what a record says about a write that gave it the members `sent` in the place of `before`.

    Those that are not known from before prove nothing: it may have had the same then.
    """
    model = type(record)
    after, earlier = _comparable(sent, model), _comparable(before, model)
    telling = {name: value for name, value in after.items() if earlier.get(name, _UNKNOWN) != value}
    if not telling:
        return Verdict(None, "Cannot tell: the service does not show what was to be changed.")
    if _has(record, telling):
        if telling.keys().isdisjoint(earlier):
            return Verdict(None, "Cannot tell: the record may have had the values before that were sent.")
        return Verdict(True, "Done: the record has the values that were sent.")
    if telling.keys() <= earlier.keys() and _has(record, {name: earlier[name] for name in telling}):
        return Verdict(False, "Not done: the record has its previous values.")
    return Verdict(
        None, "Cannot tell: the record has neither the values that were sent nor its previous ones."
    )


def _verdict_on_creation(look: SettlingRead, sent: Mapping[str, object], others: Container[int]) -> Verdict:
    if not sent:
        return Verdict(None, "Cannot tell: the service does not show what was sent.")
    alike = (record.id for record in look.records if _has(record, sent))
    made = max((id for id in alike if id not in others), default=None)
    if made is not None:
        return Verdict(True, f"Done: record {made} has what was sent.", made)
    if look.is_complete:
        return Verdict(False, "Not done: no record has what was sent.")
    return Verdict(None, "Cannot tell: no record on the page that was read has what was sent.")


def _comparable(sent: Mapping[str, object], model: type[Record]) -> dict[str, object]:
    """The members that were sent and that a record shows, as a record has them."""
    names = [name for name in sent if name in model.model_fields and not is_secret(name)]
    read = model.read({"id": 1, **{name: sent[name] for name in names}})
    return {} if isinstance(read, Unreadable) else {name: getattr(read, name) for name in names}


def _has(record: Record, members: Mapping[str, object]) -> bool:
    sent = as_sent(record)
    return all(sent.tells(name) and getattr(sent, name) == value for name, value in members.items())
