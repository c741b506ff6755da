"""A reading of a code's statistics."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

Total: TypeAlias = Literal["clicks", "unique", "scans"]
TOTALS: tuple[Total, ...] = ("clicks", "unique", "scans")


@dataclass(frozen=True, slots=True)
class Reading:
    """A reading of a code's statistics at one moment; None and a missing breakdown were not said."""

    at: datetime
    """Aware: when it was read, by the local clock."""
    clicks: int | None = None
    unique: int | None = None
    scans: int | None = None
    breakdowns: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Counts by label of "countries", "referrers", "browsers", "systems", "social"."""

    def total(self, name: Total) -> int | None:
        """The total of this name."""
        match name:
            case "clicks":
                return self.clicks
            case "unique":
                return self.unique
        return self.scans

    @property
    def tells_scans_only(self) -> bool:
        """Return whether it says no more than the list of codes does."""
        return self.clicks is None and self.unique is None and not self.breakdowns


Scans: TypeAlias = Sequence[tuple[datetime, int]]
"""The scans of a code at some moments, in the order of time."""
