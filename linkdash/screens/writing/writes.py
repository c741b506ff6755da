"""What can be written to a resource, told once: by forms, deletes, undo, bulk jobs and the journal alike."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from linkdash.api.client import Endpoints
from linkdash.api.model import Body, Record
from linkdash.store.settling import Verdict
from linkdash.store.tasks import Task

Naming = Callable[[str, int], str]
"""How a person reads a record of a resource: its id, with its name where that is known here."""

T = TypeVar("T", bound=Record)
B = TypeVar("B", bound=Body)


@dataclass(frozen=True)
class Creating:
    """How a record is made of a body of this model."""

    model: type[Body]
    send: Callable[[Endpoints, Body], Awaitable[object]]


@dataclass(frozen=True)
class Updating:
    """How the record with an id is changed by a body of this model."""

    model: type[Body]
    send: Callable[[Endpoints, int, Body], Awaitable[object]]


@dataclass(frozen=True)
class Deleting(Generic[T]):
    """How the record with an id is deleted, and what goes with it."""

    send: Callable[[Endpoints, int], Awaitable[object]]
    loses: Callable[[T], str]
    """What stops or is lost with this record, in a sentence."""
    typed: bool = False
    """Whether its name has to be typed before."""


@dataclass(frozen=True)
class Giving(Generic[T]):
    """How a record is given to another, or others to it: an item to a channel, a user to a plan."""

    model: type[Body]
    """What a person is asked for."""
    title: str
    """What the form is called: `Assign to`; the records follow."""
    tasks: Callable[[T, Body, Naming], Sequence[Task]]
    """The writes for one record."""


@dataclass(frozen=True)
class Given:
    """How the write of a `Giving` is sent, and how one read tells what became of it."""

    send: Callable[[Endpoints, Task], Awaitable[object]]
    look: Callable[[Endpoints, Task], Awaitable[Verdict]]


def giving(model: type[B], title: str, tasks: Callable[[T, B, Naming], Sequence[Task]]) -> Giving[T]:
    """A `Giving` whose `tasks` takes bodies of this model."""

    def checked(record: T, body: Body, naming: Naming) -> Sequence[Task]:
        assert isinstance(body, model)
        return tasks(record, body, naming)

    return Giving(model, title, checked)


def creating(model: type[B], send: Callable[[Endpoints, B], Awaitable[object]]) -> Creating:
    """A `Creating` whose `send` takes bodies of this model."""

    async def checked(endpoints: Endpoints, body: Body) -> object:
        assert isinstance(body, model)
        return await send(endpoints, body)

    return Creating(model, checked)


def updating(model: type[B], send: Callable[[Endpoints, int, B], Awaitable[object]]) -> Updating:
    """An `Updating` whose `send` takes bodies of this model."""

    async def checked(endpoints: Endpoints, id: int, body: Body) -> object:
        assert isinstance(body, model)
        return await send(endpoints, id, body)

    return Updating(model, checked)
