"""The declaration of a resource, from which screen, sidebar, form, help, export and command come."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from linkdash.api.client import Client, Endpoints
from linkdash.api.endpoints import Done, Source
from linkdash.api.records import Body, Record
from linkdash.model import resources
from linkdash.model.humanize import shortened
from linkdash.model.lists.columns import Column
from linkdash.model.lists.views import Finding
from linkdash.model.resources import Place, place
from linkdash.store.journal_entry import WriteIntent

if TYPE_CHECKING:  # these work with resources
    from linkdash.model.writes.draft import Options as Names


T = TypeVar("T", bound=Record)
B = TypeVar("B", bound=Body)

_NAME_CELLS = 60

NameOf = Callable[[str, int], str]
"""A function that returns the name of a record of a resource; "" where it is not known here."""


class KnownRecords(Protocol):
    """The records of a resource that are loaded, or were kept."""

    @property
    def total(self) -> int | None:
        """The number of them that the service has, where it said so."""
        raise NotImplementedError

    async def known_records(self) -> list[Any]:  # of whichever resource was asked for
        """All of them that can be read."""
        raise NotImplementedError

    async def names(self) -> Sequence[tuple[int | str, str]]:
        """Their ids with their names."""
        raise NotImplementedError


class KnownCollections(Protocol):
    """The known records of every resource; nothing is asked for them."""

    def of(self, resource: "AnyResource", *part: str | int) -> KnownRecords:
        """Return what is known of one, or of a part of it."""
        raise NotImplementedError


@dataclass(frozen=True)
class Deletion(Generic[T]):
    """The consequences of deleting a record."""

    loses: Callable[[T], str]
    """What stops or is lost, in a sentence."""
    loses_all: str
    """The same of several records: `{} printed codes will lead nowhere.`"""
    typed: bool = False
    """True if its name has to be typed before."""
    counted: "Callable[[T, Client, KnownCollections], Awaitable[Sequence[str]]] | None" = None
    """The same of one record in sentences, where that has to be counted: it may take a request."""

    async def losses(self, record: T, client: Client, known: KnownCollections) -> Sequence[str]:
        """Sentences about what stops or is lost with a record."""
        if self.counted is None:
            return [self.loses(record)]
        return await self.counted(record, client, known)


def _nothing(of: object) -> Mapping[str, object]:
    return {}


class Taken(NamedTuple):
    """An assignment, with its record as it is known before, and what has to be agreed to, in sentences."""

    intent: WriteIntent
    changes: Sequence[str] = ()
    losses: Sequence[str] = ()
    """Those of them that take something away."""


Taking = Callable[[Sequence[WriteIntent], KnownCollections, datetime], Awaitable[Sequence[Taken]]]
"""What each of some assignments takes away or costs, from what is known; `now` is the service's."""


async def _takes_nothing(
    intents: Sequence[WriteIntent], known: KnownCollections, now: datetime
) -> Sequence[Taken]:
    return [*map(Taken, intents)]


@dataclass(frozen=True)
class Assignment(Generic[T, B]):
    """An assignment of a record to another, or of others to it: an item to a channel, a user to a plan."""

    model: type[B]
    """The form's model."""
    title: str
    """The form's title: `Assign items to`; the records follow."""
    intents: Callable[[T, B, NameOf], Sequence[WriteIntent]]
    """The writes for one record."""
    label: str = "Assign"
    known: "Callable[[KnownCollections], Awaitable[Names]] | None" = None
    """Choices by name, of known things that are no resource of their own."""
    start: Callable[[Sequence[T]], Mapping[str, object]] = _nothing
    """What is filled in already for some records."""
    takes: Taking = _takes_nothing
    """What is asked about before it is sent."""


class Verdict(NamedTuple):
    """The result of a reading about a write."""

    happened: bool | None
    """None where the look cannot tell."""
    message: str
    """The evidence for it, in words."""
    created: int | None = None
    """The id of the record that was made."""


HolderPart = tuple[str, tuple[int, ...]]
"""A part of the records of a resource: its id, and what the part is named by."""


def _no_part(intent: WriteIntent) -> HolderPart | None:
    return None


class Assigning(NamedTuple):
    """The sending of a resource's assignments, and one read that tells the outcome of one."""

    assign: Callable[[Endpoints, WriteIntent], Awaitable[Done]]
    check: Callable[[Client, WriteIntent], Awaitable[Verdict]]
    other_kind: Callable[[WriteIntent], str]
    """The name of one of what its records are assigned to, or get assigned."""
    holder: Callable[[WriteIntent], HolderPart | None] = _no_part
    """The list that holds more after an assignment."""
    is_given: bool = False
    """True if its own record is what is assigned to the other."""


def _no_doubt(intent: WriteIntent) -> str:
    return ""


class Expected(NamedTuple):
    """The members of a record after a write."""

    sent: Mapping[str, object]
    """What was sent, under the names that a record has it by: evidence, where a read shows it."""
    beside: Mapping[str, object] = MappingProxyType({})
    """What else it must have, as far as that can be told from here."""
    estimated: frozenset[str] = frozenset()
    """Those of the members beside that only the service knows."""


def _as_sent(intent: WriteIntent, now: datetime, shown: object = None) -> Expected:
    return Expected(intent.params)


@dataclass(frozen=True, eq=False)
class Resource(Generic[T]):
    """A resource. Its endpoints are found by `id` on the client."""

    id: str
    singular: str
    """The name of one record."""
    record: type[T]
    columns: tuple[Column[T], ...]
    create: type[Body] | None = None
    update: type[Body] | None = None
    delete: Deletion[T] | None = None
    assignment: Assignment[T, Any] | None = None
    assigning: Assigning | None = None
    expected: Callable[[WriteIntent, datetime, T | None], Expected] = _as_sent
    """The members of a record after a write; the record before is given if made here and not read since."""
    as_created: Callable[[T], Mapping[str, object]] = _nothing
    """The members of a request to create a record like one, as far as its own have other names or values."""
    doubt: Callable[[WriteIntent], str] = _no_doubt
    """What to ask about before a write is sent, in a sentence; "" for nothing."""
    follows: Callable[[T], tuple[str, int] | None] | None = None
    """The resource and the id of what a record names; None where it names nothing."""
    for_admins: bool = False
    """True if the reference keeps it for admins: one refusal then is enough for all of them."""
    part_source: str = ""
    """The method of its namespace that gives the list of a part of its records."""
    naming: str = ""
    """Words for a form without a field for the name: who gives it."""
    is_single: bool = False
    """True if it is one record without a list, so that requests about it carry no id."""
    one_at_a_time: bool = False
    """True if an action concerns the record under the cursor only, whatever is selected."""
    findings: tuple[Finding, ...] = ()
    """The views that its list has by itself, in the order in which they are listed."""

    @property
    def place(self) -> Place:
        """Its key and title."""
        return place(self.id)

    @property
    def title(self) -> str:
        """Return the name of all records together."""
        return self.place.title

    @property
    def list_id(self) -> str:
        """Return the id under which its list's preferences are kept."""
        return f"{self.id}/{self.singular}" if self.part_source and not self.create else self.id

    def source(self, client: Client, *part: str | int) -> Source[T]:
        """The list endpoint of its records, or of a part of them, such as one class of users."""
        namespace = getattr(client, self.id)
        found: Source[T] = getattr(namespace, self.part_source)(*part) if part else namespace.source
        return found

    @property
    def name_field(self) -> str:
        """The field by which the user calls a record: that of the first column that grows."""
        return next(column.name for column in self.columns if column.grow)

    def name_of(self, record: T) -> str:
        """Return the name of a record, for the user."""
        return str(getattr(record, self.name_field))

    def called(self, record: T) -> str:
        """A record among others of its kind: `katarzyna (31)`."""
        name = shortened(self.name_of(record), _NAME_CELLS)
        return f"{name} ({record.id})" if name else str(record.id)

    def title_of(self, record: T) -> str:
        """A record in a title or a sentence: `user katarzyna (31)`."""
        return f"{self.singular} {self.called(record)}"


AnyResource: TypeAlias = Resource[Any]
"""Any of the resources: a table of them cannot name the record type of each."""


@cache
def declaration(id: str) -> AnyResource:
    """The declaration of a resource. Raises KeyError for an unknown id."""
    found: AnyResource = import_module(f"{resources.__name__}.{place(id).id}").RESOURCE
    return found


def declarations() -> list[AnyResource]:
    """Every declaration, in the order of the keys."""
    return [declaration(place.id) for place in resources.PLACES]
