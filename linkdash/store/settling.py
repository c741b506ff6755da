"""Finding out by one read what became of a write whose answer was lost. Pure: the rows are handed in."""

from collections.abc import Sequence
from dataclasses import dataclass

from linkdash.api.model import Record, Unreadable
from linkdash.api.secrecy import is_secret
from linkdash.store.journal import Write


@dataclass(frozen=True)
class Verdict:
    """What a look at the service says about a write."""

    happened: bool | None
    """None where the look cannot tell."""
    words: str


def verdict(
    write: Write, model: type[Record], rows: Sequence[Record | Unreadable], *, complete: bool
) -> Verdict:
    """What `rows`, read after the write, say about it; `complete` means that they are all there are."""
    records = [row for row in rows if isinstance(row, Record)]
    if write.method == "DELETE":
        return _deleted(write, records, complete=complete)
    if write.record_id is not None:
        return _updated(write, model, records)
    return _created(write, model, records, complete=complete)


def _deleted(write: Write, records: Sequence[Record], *, complete: bool) -> Verdict:
    if any(record.id == write.record_id for record in records):
        return Verdict(False, "It did not happen: the record is still there.")
    if complete:
        return Verdict(True, "It was done: the record is gone.")
    return Verdict(None, "This cannot be told: the record is not on the page that was read.")


def _updated(write: Write, model: type[Record], records: Sequence[Record]) -> Verdict:
    record = next((record for record in records if record.id == write.record_id), None)
    if record is None:
        return Verdict(None, "This cannot be told: the record is not on the page that was read.")
    sent = _comparable(write, model)
    if not sent:
        return Verdict(None, "This cannot be told: the service does not show what was to be changed.")
    if _has(record, sent):
        return Verdict(True, "It was done: the record has the values that were sent.")
    return Verdict(False, "It did not happen: the record does not have the values that were sent.")


def _created(write: Write, model: type[Record], records: Sequence[Record], *, complete: bool) -> Verdict:
    sent = _comparable(write, model)
    if not sent:
        return Verdict(None, "This cannot be told: the service does not show what was sent.")
    made = next((record for record in records if _has(record, sent)), None)
    if made is not None:
        return Verdict(True, f"It was done: record {made.id} has what was sent.")
    if complete:
        return Verdict(False, "It did not happen: no record has what was sent.")
    return Verdict(None, "This cannot be told: no record on the page that was read has what was sent.")


def _comparable(write: Write, model: type[Record]) -> dict[str, object]:
    """The members that were sent and that a record shows, as a record has them."""
    body = write.body or {}
    names = [name for name in body if name in model.model_fields and not is_secret(name)]
    read = model.read({"id": 0, **{name: body[name] for name in names}})
    return {} if isinstance(read, Unreadable) else {name: getattr(read, name) for name in names}


def _has(record: Record, members: dict[str, object]) -> bool:
    return all(getattr(record, name) == value for name, value in members.items())
