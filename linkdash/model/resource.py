"""What is declared once of a resource, and rendered as screen, sidebar, form, help, export and command.

And how one read tells what became of a write to it whose answer was lost.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar, cast

from linkdash.api import Client
from linkdash.api.exchange import Options
from linkdash.api.model import Body, Record, Unreadable
from linkdash.api.resource import Done, Source
from linkdash.api.secrecy import is_secret
from linkdash.model import resources
from linkdash.model.columns import Column
from linkdash.model.humanize import shortened
from linkdash.model.resources import Place, place
from linkdash.store.journal import WriteIntent

if TYPE_CHECKING:  # these work with resources
    from linkdash.model.forms import Options as Names

T = TypeVar("T", bound=Record)
B = TypeVar("B", bound=Body)

_NAME_CELLS = 60

NameOf = Callable[[str, int], str]
"""How a person reads a record of a resource: its id, with its name where that is known here."""


@dataclass(frozen=True)
class Deletion(Generic[T]):
    """What goes with a record that is deleted."""

    loses: Callable[[T], str]
    """What stops or is lost, in a sentence."""
    typed: bool = False
    """Whether its name has to be typed before."""


def _nothing(records: Sequence[Record]) -> Mapping[str, object]:
    return {}


class KnownRecords(Protocol):
    """The records of a resource that are loaded, or were kept."""

    async def known_records(self) -> list[Any]:
        """All of them that can be read."""
        raise NotImplementedError

    async def names(self) -> Sequence[tuple[int | str, str]]:
        """Their ids with their names."""
        raise NotImplementedError


class Known(Protocol):
    """What is known of every resource; nothing is asked for it."""

    def of(self, resource: "AnyResource", *part: str | int) -> KnownRecords:
        """What is known of one, or of a part of it."""
        raise NotImplementedError


@dataclass(frozen=True)
class Assignment(Generic[T]):
    """How a record is assigned to another, or others to it: an item to a channel, a user to a plan."""

    model: type[Body]
    """What a person is asked for."""
    title: str
    """What the form is called: `Assign items to`; the records follow."""
    intents: Callable[[T, Body, NameOf], Sequence[WriteIntent]]
    """The writes for one record."""
    label: str = "Assign"
    known: "Callable[[Known], Awaitable[Names]] | None" = None
    """What can be chosen by name that is no resource of its own, from what is known."""
    start: Callable[[Sequence[T]], Mapping[str, object]] = _nothing
    """What is filled in already for some records."""


class Verdict(NamedTuple):
    """What reading the service says about a write."""

    happened: bool | None
    """None where the look cannot tell."""
    message: str
    """How that was seen, for a person."""


class Assigning(NamedTuple):
    """How the assignments of a resource are sent, and how one read tells what became of one."""

    send: Callable[[Client, WriteIntent, Options], Awaitable[Done]]
    check: Callable[[Client, WriteIntent], Awaitable[Verdict]]


def _as_sent(intent: WriteIntent, now: datetime) -> Mapping[str, object]:
    return intent.params


@dataclass(frozen=True, eq=False)
class Resource(Generic[T]):
    """One resource. Its endpoints are found by `id` on the client."""

    id: str
    singular: str
    """What one record is called."""
    record: type[T]
    columns: tuple[Column[T], ...]
    create: type[Body] | None = None
    update: type[Body] | None = None
    delete: Deletion[T] | None = None
    assignment: Assignment[T] | None = None
    assigning: Assigning | None = None
    expected: Callable[[WriteIntent, datetime], Mapping[str, object]] = _as_sent
    """What a write that was done makes of its record, by the record's members."""
    follows: Callable[[T], tuple[str, int] | None] | None = None
    """The resource and the id of what a record names; None where it names nothing."""
    for_admins: bool = False
    """Whether the reference keeps it for admins: one refusal then is enough for all of them."""
    part_source: str = ""
    """The method of its namespace that gives the list of a part of its records."""
    is_single: bool = False
    """Whether it is one record without a list, so that requests about it carry no id."""
    one_at_a_time: bool = False
    """Whether what is done concerns the record under the cursor only, whatever is selected."""

    @property
    def place(self) -> Place:
        """Its key and title."""
        return place(self.id)

    @property
    def title(self) -> str:
        """What all records together are called."""
        return self.place.title

    @property
    def list_id(self) -> str:
        """What its list is called where it is kept how that is shown."""
        return f"{self.id}/{self.singular}" if self.part_source and not self.create else self.id

    def source(self, client: Client, *part: str | int) -> Source[T]:
        """The list endpoint of its records, or of a part of them, such as one class of users."""
        namespace = getattr(client, self.id)
        found: Source[T] = getattr(namespace, self.part_source)(*part) if part else namespace.source
        return found

    @property
    def name_field(self) -> str:
        """The field by which a person calls a record: that of the first column that grows."""
        return next(column.name for column in self.columns if column.grow)

    def name_of(self, record: T) -> str:
        """What a person calls a record."""
        return str(getattr(record, self.name_field))

    def title_of(self, record: T) -> str:
        """A record in a title or a sentence: `user katarzyna (31)`."""
        name = shortened(self.name_of(record), _NAME_CELLS)
        return f"{self.singular} {name} ({record.id})" if name else f"{self.singular} {record.id}"

    def is_readable(self, row: T | Unreadable | None) -> bool:
        """Whether something can be done with a row."""
        return row is not None and not isinstance(row, Unreadable)


AnyResource: TypeAlias = Resource[Any]


@cache
def declaration(id: str) -> AnyResource:
    """The declaration of a resource. Raises KeyError for an unknown id."""
    found: AnyResource = import_module(f"{resources.__name__}.{place(id).id}").RESOURCE
    return found


def declarations() -> list[AnyResource]:
    """Every declaration, in the order of the keys."""
    return [declaration(place.id) for place in resources.PLACES]


"""One of the resources, whichever: a table of them cannot name the record type of each."""


def assignment(
    model: type[B],
    title: str,
    intents: Callable[[T, B, NameOf], Sequence[WriteIntent]],
    label: str = "Assign",
    known: "Callable[[Known], Awaitable[Names]] | None" = None,
    start: Callable[[Sequence[T]], Mapping[str, object]] = _nothing,
) -> Assignment[T]:
    """An `Assignment` whose `intents` takes bodies of this model."""
    asked = cast("Callable[[T, Body, NameOf], Sequence[WriteIntent]]", intents)
    return Assignment(model, title, asked, label, known, start)


# ---- what became of a write whose answer was lost, found out by one read that is handed in ----


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
        position, shown = self.before.index(id), {record.id for record in self.records}
        has_one_before = self.is_first or not shown.isdisjoint(self.before[:position])
        has_one_after = self.is_last or not shown.isdisjoint(self.before[position + 1 :])
        return has_one_before and has_one_after


def verdict(intent: WriteIntent, model: type[Record], look: Look, sent: Mapping[str, object]) -> Verdict:
    """What a look says about a write; `sent` are the members that it gave its record."""
    if intent.action == "delete":
        return _verdict_on_deletion(intent, look)
    if intent.record_id is not None:
        record = next((record for record in look.records if record.id == intent.record_id), None)
        return NOT_THERE if record is None else compared(record, sent, intent.before or {})
    return _verdict_on_creation(look, _comparable(sent, model))


def _verdict_on_deletion(intent: WriteIntent, look: Look) -> Verdict:
    if any(record.id == intent.record_id for record in look.records):
        return Verdict(False, "Not done: the record is still there.")
    if intent.record_id is not None and look.would_show(intent.record_id):
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


def _verdict_on_creation(look: Look, sent: Mapping[str, object]) -> Verdict:
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
