"""One write as something to be done: what forms, deletes, bulk jobs and the journal all speak of."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Task:
    """One write to be done."""

    resource: str
    action: str
    """`create`, `update`, `delete`, `assign` or `subscribe`."""
    record_ids: tuple[int, ...]
    """The record, and where the action needs it, the one it is given to; empty for one to be made."""
    params: Mapping[str, object] = field(repr=False)
    """What is sent, in the body or in the path. It can hold secrets."""
    words: str = ""
    """What it does: `rename the campaign Spring`."""
    before: Mapping[str, object] | None = field(default=None, repr=False)
    """The members that will be changed, as they were."""

    @property
    def record_id(self) -> int | None:
        """The record it is about; None for one that is to be made."""
        return self.record_ids[0] if self.record_ids else None

    @property
    def draft_name(self) -> str:
        """The name under which the form that this was typed into keeps its draft."""
        return "/".join((self.resource, self.action, *map(str, self.record_ids[:1])))

    def is_same(self, other: "Task") -> bool:
        """Whether both do the same to the same records, whatever of it may be shown."""
        return (self.resource, self.action, self.record_ids, self.words) == (
            other.resource,
            other.action,
            other.record_ids,
            other.words,
        )
