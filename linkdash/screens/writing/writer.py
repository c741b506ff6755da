"""The writes of one resource as tasks: how they are made, sent, and what each makes of its record."""

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

from linkdash.api.client import Endpoints
from linkdash.api.envelope import Members
from linkdash.api.errors import InvalidBody
from linkdash.api.model import Body, Record, Unreadable
from linkdash.api.resource import body_of
from linkdash.screens.writing.patching import patched
from linkdash.screens.writing.set_on_all import body_for, has_effect, update_words, values_of
from linkdash.screens.writing.writes import Creating, Deleting, Given, Giving, Naming, Updating
from linkdash.store.tasks import Task

T = TypeVar("T", bound=Record)


class Writer(Generic[T]):
    """Knows what can be written to one resource. It keeps nothing and shows nothing."""

    def __init__(
        self,
        resource: str,
        singular: str,
        record_type: type[T],
        name_of: Callable[[T], str],
        shown_of: Callable[[Task], Mapping[str, object]],
        *,
        creating: Creating | None = None,
        updating: Updating | None = None,
        deleting: Deleting[T] | None = None,
        giving: Giving[T] | None = None,
        given: Given | None = None,
    ) -> None:
        """`name_of` says what a person calls a record, `shown_of` what a task makes of its members."""
        self._resource = resource
        self._singular = singular
        self._record_type = record_type
        self._name_of = name_of
        self._shown_of = shown_of
        self._creating = creating
        self._updating = updating
        self._deleting = deleting
        self._giving = giving
        self._given = given

    # ---- what is to be done ----

    def creation(self, body: Body) -> Task:
        """A record is made."""
        params = body.given()
        name = params.get("name") or next(iter(params.values()), "")
        return Task(self._resource, "create", (), params, f"make {self._singular} {str(name)!r}")

    def update(self, record: T, body: Body) -> Task:
        """A record is changed."""
        params, values = body.given(), values_of(record, type(body))
        before = {name: values.get(name) for name in params}
        return Task(
            self._resource, "update", (record.id,), params, f"change {self._words_for(record)}", before
        )

    def updates(self, records: Sequence[T], body: Body) -> list[Task]:
        """What was filled in is set on every record that does not have it already. Raises InvalidBody."""
        assert self._updating is not None
        given, model = body.given(), self._updating.model
        if not given:
            raise InvalidBody("Nothing is filled in.", "Fill in what all of them are to get.")
        tasks = [self.update(record, body_for(model, record, given)) for record in records]
        wanted = [task for task in tasks if has_effect(task, model)]
        if not wanted:
            raise InvalidBody("All of them have it already.", "There is nothing to send.")
        return wanted

    def deletion(self, record: T) -> Task:
        """A record is deleted."""
        return Task(self._resource, "delete", (record.id,), {}, f"delete {self._words_for(record)}")

    def givings(self, records: Sequence[T], body: Body, naming: Naming) -> list[Task]:
        """Records are given to others, or others to them."""
        assert self._giving is not None
        return [task for record in records for task in self._giving.tasks(record, body, naming)]

    def told(self, task: Task) -> str:
        """What a task does, and for an update what was there before."""
        if task.action != "update" or self._updating is None:
            return task.words
        return update_words(task, self._updating.model)

    def _words_for(self, record: T) -> str:
        return f"{self._singular} {record.id} ({self._name_of(record)})"

    # ---- sending it ----

    async def send(self, endpoints: Endpoints, task: Task) -> object:
        """Sends the write of a task of this resource. Raises InvalidBody, ServiceError."""
        if task.action == "create" and self._creating:
            body = body_of(self._creating.model, task.params)
            return await self._creating.send(endpoints, body)
        if task.action == "update" and self._updating:
            body = body_of(self._updating.model, task.params)
            return await self._updating.send(endpoints, task.record_ids[0], body)
        if task.action == "delete" and self._deleting:
            return await self._deleting.send(endpoints, task.record_ids[0])
        if self._given is None:
            raise InvalidBody(f"There is no way to {task.words}.", "Nothing was sent.")
        return await self._given.send(endpoints, task)

    def after(self, task: Task, record: T | None, answer: Members) -> T | Unreadable:
        """What a task that was done has made of its record; `record` is None for one that it made."""
        raw = record.raw if record is not None else None
        return patched(self._record_type, raw, self._shown_of(task), answer)
