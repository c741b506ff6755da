"""Creating, editing and assigning records: each makes a form's task of them, and has it filled in.

The way from `e` to the form, and from `ctrl+s` to the bytes and back: .github/CONTRIBUTING.md, "Routes".
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Generic, TypeVar

from linkdash.api.fields import fields_of
from linkdash.api.records import Body, Record
from linkdash.model.humanize import counted
from linkdash.model.writes import planned_changes
from linkdash.model.writes.draft import Draft
from linkdash.model.writes.named_updates import kept_here, shown_at
from linkdash.model.writes.write_words import summary_of
from linkdash.screens.actions import Flow
from linkdash.screens.lists.pane import Pane
from linkdash.screens.lists.record_list import RecordList
from linkdash.screens.writes.deleting import delete_records
from linkdash.screens.writes.form_flow import FormFlow, FormTask, load_choices
from linkdash.screens.writes.single_writes import SingleWrites
from linkdash.screens.writes.undoing import deleted_last, undo_last
from linkdash.widgets.details import record_lines

T = TypeVar("T", bound=Record)


class Editing(Generic[T]):
    """The flows of a list's screen that change records."""

    def __init__(self, records: RecordList[T], pane: Pane) -> None:
        self._records, self._pane = records, pane
        self.single = SingleWrites(records)
        self._resource, self._session = records.resource, records.screen.session

    async def new(self) -> None:
        """Create a record in a form."""
        if (model := self._resource.create) is not None:
            await self._create(model)

    async def anew(self, deleted: T) -> None:
        """Create a record in a form, filled in with what is known of one that was deleted."""
        if (model := self._resource.create) is not None:
            journal = self._session.store.journal
            of_it = journal.of_record(self._resource.id, deleted.id, planned_changes.UNDO_REACHES)
            anew = planned_changes.anew(self._resource, model, deleted, await self._session.kept(of_it, []))
            told = f"Saving creates {self._resource.title_of(deleted)} anew, with another id. {anew.to_type}"
            self._records.screen.say(
                told.rstrip(), "Filled in as far as known" if anew.missing else "Filled in"
            )
            await self._create(model, Draft.create(model, anew.known).values, deleted.id)

    async def _create(
        self,
        model: type[Body],
        filled_in: Mapping[str, str] = MappingProxyType({}),
        deleted: int | None = None,
    ) -> None:
        task: FormTask[T] = FormTask(
            Draft.create(model),
            f"New {self._resource.singular}",
            "create",
            lambda body, _: [planned_changes.creation(self._resource, body)],
            of=deleted,
            hint=self._resource.naming,
            filled_in=filled_in,
        )
        await FormFlow(self._records, self._pane, task).fill_in()

    async def edit(self, targets: Sequence[T]) -> None:
        """Edit a record in a form; or fill in what all of several are to get."""
        if (model := self._resource.update) is None:
            return
        if len(targets) == 1:
            await self._edit_one(model, targets[0])
        else:
            await self._edit_all(model, targets)

    async def _edit_one(self, model: type[Body], record: T) -> None:
        resource = self._resource
        at = self._shown_at([record])[record.id]
        kept = await kept_here(self._session, resource, record.id)
        asked = {field.title for field in fields_of(model)}
        known = [line for line in record_lines(record)[:-1] if line.pieces and line.title not in asked]
        name_title = next(
            field.title for field in fields_of(resource.record) if field.name == resource.name_field
        )
        task: FormTask[T] = FormTask(
            Draft.update(
                model, {**kept.members, **planned_changes.values_of(record, model)}, kept.left_to_the_service
            ),
            f"Edit {resource.name_of(record) or resource.title_of(record)}",
            "update",
            lambda body, _: [
                replace(planned_changes.update_of(resource, record, body, kept=kept.sendable), read_at=at)
            ],
            of=record.id,
            updated=[record],
            about=[record],
            facts=[
                *(f"{line.title} {line.text}" for line in known if line.title != name_title),
                *([] if name_title in asked else [f"{name_title} cannot be changed"]),
            ],
        )
        await FormFlow(self._records, self._pane, task).fill_in()

    async def _edit_all(self, model: type[Body], targets: Sequence[T]) -> None:
        resource, at = self._resource, self._shown_at(targets)
        task: FormTask[T] = FormTask(
            Draft.create(planned_changes.for_all(model, resource.record)),
            f"Edit {counted(len(targets), resource.singular)}",
            "update",
            lambda body, _: planned_changes.updates_of(resource, model, targets, body, at),
            of="selected",
            hint="blank = unchanged",
            updated=targets,
            several=len(targets),
        )
        await FormFlow(self._records, self._pane, task).fill_in()

    def _shown_at(self, targets: Sequence[T]) -> Mapping[int, datetime]:
        """The moments at which records that are shown here were read, by id."""
        now, collection = self._session.moment(), self._records.collection
        return {record.id: shown_at(collection, record) or now for record in targets}

    async def assign(self, targets: Sequence[T], given: Mapping[str, object] | None = None) -> None:
        """Assign records to something, or something to them, in a form with `given` filled in."""
        if (assignment := self._resource.assignment) is None:
            return
        known = await load_choices(assignment, self._session)
        one = len(targets) == 1
        whom = self._resource.title_of(targets[0]) if one else counted(len(targets), self._resource.singular)
        task: FormTask[T] = FormTask(
            Draft.create(assignment.model, {**assignment.start(targets), **(given or {})}),
            f"{assignment.title} {whom}",
            "assign",
            lambda body, name_of: [
                intent for record in targets for intent in assignment.intents(record, body, name_of)
            ],
            of=targets[0].id if one else "selected",
            several=0 if one else len(targets),
            about=targets,
            known=known,
        )
        await FormFlow(self._records, self._pane, task).fill_in()

    async def undo(self, targets: Sequence[T]) -> None:
        """Take back the last change of records; offer anew what was deleted last, unless some are selected.

        While a write is queued the user means that one, which is not done yet: another key cancels it.
        """
        screen, collection = self._records.screen, self._records.collection
        if (queued := self.single.queued) is not None:
            screen.say(f"{screen.key_of('back')} cancels it.", f"Queued: {summary_of(queued)}")
            return
        deleted = None if collection.targets_selection else await deleted_last(self._records)
        if deleted is None:
            await undo_last(self.single, targets)
        else:
            await self.anew(deleted)

    def delete(self, targets: Sequence[T]) -> Flow:
        """Delete records, after a question."""
        return delete_records(self.single, targets)
