"""Every collection of a session."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeVar

from linkdash.api.http.request import Members
from linkdash.api.records import Record, Unreadable
from linkdash.model.declaration import AnyResource, Resource, declaration
from linkdash.model.lists.collection import AnyCollection, Collection, Part
from linkdash.model.session_services import SessionServices
from linkdash.store.journal_entry import WriteIntent

if TYPE_CHECKING:  # lists are shown without forms
    from linkdash.model.writes.draft import Options

T = TypeVar("T", bound=Record)


class Collections:
    """Every collection of a session, each made when it is first asked for."""

    def __init__(self, context: SessionServices) -> None:
        self._context = context
        self._known: dict[tuple[AnyResource, Part], AnyCollection] = {}

    def of(self, resource: Resource[T], *part: str | int) -> Collection[T]:
        """The records of a resource, or of a part of it; the same object each time it is asked for."""
        name = (resource, part)
        if name not in self._known:
            self._known[name] = Collection(self._context, resource, part)
        return self._known[name]

    def known(self, id: str) -> AnyCollection | None:
        """All records of a resource, if they were asked for before; nothing is imported or asked for it."""
        return next((c for (known, part), c in self._known.items() if known.id == id and not part), None)

    def name_of(self, resource: str, id: int, kept: str) -> str:
        """The name of a record as it is loaded now; `kept` where it is not."""
        known = self.known(resource)
        record = None if known is None else known.listing.record(id)
        return kept if known is None or record is None else known.resource.name_of(record) or kept

    def apply_everywhere(self, intent: WriteIntent, answer: Members) -> Record | Unreadable | None:
        """Make every collection of a resource show what a write has done; the record after it, if known."""
        resource = declaration(intent.resource)
        is_assigned = intent.action == "assign" and resource.assigning is not None
        holder = resource.assigning.holder(intent) if is_assigned and resource.assigning else None
        for (known, part), collection in tuple(self._known.items()):
            if (known.id, part) == holder:
                collection.mark_outdated()
            if known is resource and part and collection.listing.record(intent.record_id) is not None:
                collection.apply_write(intent, answer)
        return self.of(resource).apply_write(intent, answer)

    def forget_reads(self) -> None:
        """Let what was read for writes serve no more: somebody was asked meanwhile."""
        for collection in self._known.values():
            collection.forget_reads()

    async def names(self, resources: Iterable[str]) -> "Options":
        """Id and name of the records of these resources that are loaded, or kept of an earlier run."""
        return {resource: await self.of(declaration(resource)).names() for resource in resources}
