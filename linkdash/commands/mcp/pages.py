"""Records of a list piece by piece: a number of them, no more bytes than a model can take, and a cursor."""

import asyncio
import re
from collections.abc import Sequence
from typing import NamedTuple

from linkdash.api.errors import InvalidBody
from linkdash.api.fields import fields_of
from linkdash.api.records import Record, Unreadable
from linkdash.commands.mcp.call import tell_progress
from linkdash.commands.mcp.fencing import ascii_json
from linkdash.model.declaration import AnyResource
from linkdash.model.lists.collection import AnyCollection
from linkdash.model.lists.export import record_members
from linkdash.model.lists.filter import Filter, FilterError, parse
from linkdash.model.lists.known_facts import with_computed
from linkdash.model.session import Session

LARGEST_ANSWER = 40_000
"""Bytes of the JSON of records in one answer."""

_FRESH = 60.0
"""Seconds for which a page that was read is not asked for again by a cursor."""
_AT_ONCE = 200
"""Rows that are looked at before others get their turn."""
_CURSOR = re.compile(r"p(\d{1,9})\.(\d{1,9})", re.ASCII)


class ListPosition(NamedTuple):
    """A place in a list: a page, and the number of its rows that were looked at."""

    page: int = 1
    row: int = 0

    @classmethod
    def of(cls, cursor: str) -> "ListPosition":
        """The position that a cursor names; the beginning for an empty one. Raises InvalidBody."""
        if not cursor:
            return cls()
        found = _CURSOR.fullmatch(cursor)
        if found is None or not int(found[1]):
            raise InvalidBody(
                "cursor: it is none of an answer.", "Leave it out to begin with the first page."
            )
        return cls(int(found[1]), int(found[2]))

    def __str__(self) -> str:
        return f"p{self.page}.{self.row}"


class ListPiece(NamedTuple):
    """Records of a list, and where it goes on."""

    records: list[dict[str, object]]
    total: int | None
    """Records of the whole list, as the service tells."""
    next: ListPosition | None
    """None at the end of the list."""


async def filter_of(session: Session, resource: AnyResource, text: str) -> Filter:
    """A filter in the dashboard's language. Raises InvalidBody."""
    try:
        columns = await with_computed(session, resource) if text else ()
        record: type[Record] = resource.record
        return parse(text, fields_of(record), session.local_time(), columns)
    except FilterError as error:
        raise InvalidBody(f"filter: {error}") from None


class PieceReader:
    """A reader of lists piece by piece; a page that was read a moment ago costs nothing."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def read(
        self,
        collection: AnyCollection,
        start: ListPosition,
        collecting: "Collecting",
        *,
        most_requests: int,
    ) -> ListPiece:
        """The next records that match, with at most so many requests. Raises ServiceError."""
        await collection.recall()
        position: ListPosition | None = start
        for number in range(most_requests):
            if position is None:
                break
            await tell_progress(number, most_requests, f"Reading page {position.page}")
            position = await self._add(collection, position, collecting)
            if collecting.is_full:
                break
        return ListPiece(collecting.records, collection.listing.total, position)

    async def _add(
        self, collection: AnyCollection, start: ListPosition, collecting: "Collecting"
    ) -> ListPosition | None:
        """Add what matches of a page; where the list goes on after that."""
        rows = await self._rows(collection, start)
        for number in range(start.row, len(rows)):
            if number % _AT_ONCE == 0:
                await asyncio.sleep(0)
            if not collecting.add(rows[number]):
                return ListPosition(start.page, number)
            if collecting.is_full and number + 1 < len(rows):
                return ListPosition(start.page, number + 1)
        last = collection.listing.pages[start.page].page
        return ListPosition(start.page + 1) if rows and last.has_more(start.page) else None

    async def _rows(self, collection: AnyCollection, at: ListPosition) -> Sequence[Record | Unreadable]:
        known = collection.listing.pages.get(at.page)
        goes_on = at != ListPosition()
        if known is None or not goes_on or not 0 <= self._session.now() - known.at < _FRESH:
            await collection.read(at.page)
            known = collection.listing.pages[at.page]
        return known.page.rows


class Collecting:
    """Records as they are found, up to a number and a size; of each only some members, if they are named."""

    def __init__(self, wanted: Filter, limit: int, members: Sequence[str] = ()) -> None:
        self.records: list[dict[str, object]] = []
        self.is_full = False
        self.not_known = 0
        """Rows left out because what the filter asks for is not known of them, or cannot be read."""
        self._wanted = wanted
        self._limit = limit
        self._members = {"id", *members} if members else None
        self._bytes = 0

    def add(self, row: Record | Unreadable) -> bool:
        """Take a row if it matches; False where there is no room for it. Raises InvalidBody."""
        try:
            is_wanted = self._wanted.matches(row)
        except FilterError as error:  # an expression that takes too long
            raise InvalidBody(f"filter: {error}") from None
        if not is_wanted:
            self.not_known += is_wanted is None
            return True
        members = record_members(row)
        record = members if isinstance(members, dict) else {"value": members}
        if self._members is not None and isinstance(row, Record):
            record = {name: value for name, value in record.items() if name in self._members}
        size = len(ascii_json(record))
        if size > LARGEST_ANSWER:
            record = {
                "id": record.get("id"),
                "left_out": f"{size:,} bytes; get_record with members reads parts",
            }
            size = len(ascii_json(record))
        if self._bytes + size > LARGEST_ANSWER:
            self.is_full = True
            return False
        self.records.append(record)
        self._bytes += size
        self.is_full = len(self.records) == self._limit
        return True
