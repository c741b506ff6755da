"""Finding out by one read what became of a write whose answer was lost. Pure: the rows are handed in."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from linkdash.api.model import Record, Unreadable
from linkdash.api.secrecy import is_secret
from linkdash.store.journal import WriteIntent


class Verdict(NamedTuple):
    """What reading the service says about a write."""

    happened: bool | None
    """None where the look cannot tell."""
    message: str
    """How that was seen, for a person."""


NOT_THERE = Verdict(None, "Cannot tell: the record is not on the page that was read.")


class Look(NamedTuple):
    """The rows of one page that was read after a write, and what is known of where it stands."""

    rows: Sequence[Record | Unreadable]
    is_first: bool = True
    is_last: bool = True
    """Whether the list begins, or ends, with this page."""
    before: Sequence[int] = ()
    """The ids that the page had before the write, in their order."""

    @property
    def records(self) -> list[Record]:
        """The rows that can be read."""
        return [row for row in self.rows if isinstance(row, Record)]

    @property
    def is_complete(self) -> bool:
        """Whether it is the whole list, and all of it can be read."""
        return self.is_first and self.is_last and len(self.records) == len(self.rows)

    def would_show(self, id: int) -> bool:
        """Whether a record with this id would be among these rows, as its neighbours still are.

        That holds as long as the service keeps the order of its list.
        """
        if self.is_complete:
            return True
        if id not in self.before or len(self.records) < len(self.rows):
            return False
        place, shown = self.before.index(id), {record.id for record in self.records}
        has_one_before = self.is_first or not shown.isdisjoint(self.before[:place])
        has_one_after = self.is_last or not shown.isdisjoint(self.before[place + 1 :])
        return has_one_before and has_one_after


def verdict(task: WriteIntent, model: type[Record], look: Look, sent: Mapping[str, object]) -> Verdict:
    """What a look says about a write; `sent` are the members that it gave its record."""
    if task.action == "delete":
        return _deleted(task, look)
    if task.record_id is not None:
        record = next((record for record in look.records if record.id == task.record_id), None)
        return NOT_THERE if record is None else compared(record, sent, task.before or {})
    return _created(look, _comparable(sent, model))


def _deleted(task: WriteIntent, look: Look) -> Verdict:
    if any(record.id == task.record_id for record in look.records):
        return Verdict(False, "Not done: the record is still there.")
    if task.record_id is not None and look.would_show(task.record_id):
        return Verdict(True, "Done: the record is gone.")
    return NOT_THERE


def compared(record: Record, sent: Mapping[str, object], before: Mapping[str, object]) -> Verdict:
    """What a record says about a write that gave it the members `sent` in the place of `before`."""
    model = type(record)
    after, earlier = _comparable(sent, model), _comparable(before, model)
    telling = {name: value for name, value in after.items() if earlier.get(name) != value}
    if not telling:
        return Verdict(None, "Cannot tell: the service does not show what was to be changed.")
    if _has(record, telling):
        return Verdict(True, "Done: the record has the values that were sent.")
    if telling.keys() <= earlier.keys() and _has(record, {name: earlier[name] for name in telling}):
        return Verdict(False, "Not done: the record has the values from before.")
    return Verdict(
        None, "Cannot tell: the record has neither the values that were sent nor those from before."
    )


def _created(look: Look, sent: Mapping[str, object]) -> Verdict:
    if not sent:
        return Verdict(None, "Cannot tell: the service does not show what was sent.")
    made = max((record.id for record in look.records if _has(record, sent)), default=None)
    if made is not None:
        return Verdict(True, f"Done: record {made} has what was sent.")
    if look.is_complete:
        return Verdict(False, "Not done: no record has what was sent.")
    return Verdict(None, "Cannot tell: no record on the page that was read has what was sent.")


def _comparable(sent: Mapping[str, object], model: type[Record]) -> dict[str, object]:
    """The members that were sent and that a record shows, as a record has them."""
    names = [name for name in sent if name in model.model_fields and not is_secret(name)]
    read = model.read({"id": 1, **{name: sent[name] for name in names}})
    return {} if isinstance(read, Unreadable) else {name: getattr(read, name) for name in names}


def _has(record: Record, members: Mapping[str, object]) -> bool:
    return all(getattr(record, name) == value for name, value in members.items())
