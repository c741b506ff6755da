"""What of a list can be handed on: what is marked, what is shown, all that is loaded, as CSV or JSON."""

from collections.abc import Callable, Hashable, Sequence, Set
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar

from linkdash.api.model import Record
from linkdash.model.collection import Listing
from linkdash.model.columns import Column
from linkdash.model.export import records_csv, records_json
from linkdash.model.values import RowsOf
from linkdash.screens.handing_on import Paper

T = TypeVar("T", bound=Record)


def list_papers(
    model: type[T], columns: Sequence[Column[T]], listing: Listing[T], marks: Set[Hashable]
) -> list[Paper]:
    """The papers of a list as it is now, the most wanted first; a row is read when a paper is written."""
    shown, loaded = listing.rows, listing.loaded_rows()
    as_of = datetime.fromtimestamp(min(page.at for page in listing.pages.values()), UTC)

    def both(title: str, rows: Callable[[], RowsOf[T]]) -> list[Paper]:
        return [
            Paper(f"{title}, CSV", part, "csv", lambda: records_csv(model, columns, rows())),
            Paper(f"{title}, JSON", part, "json", lambda: records_json(rows(), as_of)),
        ]

    part = f"{as_of.astimezone():%Y-%m-%d}"
    papers = both(f"{len(marks):,} marked", partial(_marked, loaded, marks)) if marks else []
    papers += both(f"{len(shown):,} shown", lambda: shown)
    return papers + (both(f"All {len(loaded):,} loaded", lambda: loaded) if len(loaded) > len(shown) else [])


def _marked(rows: RowsOf[T], marks: Set[Hashable]) -> RowsOf[T]:
    return [row for row in rows if row.key in marks]
