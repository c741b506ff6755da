"""The tools that read: records, statistics, users to look at, changes, alerts, the budget."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, TypeAlias

from mcp.server.mcpserver.tools import Tool
from pydantic import Field

from linkdash.api.errors import InvalidBody
from linkdash.api.fields import fields_of
from linkdash.api.records import Record, as_sent
from linkdash.api.resources.users import User
from linkdash.commands.exit_status import NotKept
from linkdash.commands.get import read_record
from linkdash.commands.journal import entry_members
from linkdash.commands.mcp.answers import (
    BudgetNow,
    CodeSummaries,
    FoundRecord,
    FoundRecords,
    JournalChange,
    JournalChanges,
    NotRead,
    Settled,
    StandingAlert,
    StandingAlerts,
    UserFinding,
    UserFindings,
    UserSummary,
)
from linkdash.commands.mcp.call import tell_progress
from linkdash.commands.mcp.pages import Collecting, ListPosition, PieceReader, filter_of
from linkdash.commands.mcp.summaries import summaries
from linkdash.commands.mcp.tool import READS, Days, OneOf, RecordId, tool
from linkdash.commands.stats import read_if_due
from linkdash.commands.suggestions import did_you_mean
from linkdash.model.declaration import AnyResource, declaration
from linkdash.model.insight.alerts import standing_alerts
from linkdash.model.insight.findings import find_kept
from linkdash.model.lists.collection import AnyCollection
from linkdash.model.lists.export import record_members
from linkdash.model.lists.filter import Filter
from linkdash.model.resources import PLACES
from linkdash.model.resources.channels import ITEMS
from linkdash.model.session import Session
from linkdash.model.statistics.code_statistics import CodeStatistics, StatisticsReader, codes_of, kept_codes
from linkdash.store.database import StoreAway
from linkdash.store.journal_entry import JournalEntry

MOST = 100
"""Records, codes, users or changes in one answer."""

_FILTER = (
    "Keeps records that match all of its terms: `spring` in any text, `name:spring` in one, `scans>100`, "
    "`expires<30d`, `registered>-1w`, `public:yes`; `!` before any of them for not"
)
_CURSOR = "next_cursor of the previous answer; leave it out to begin"
_KNOWN_HERE = READS.model_copy(update={"open_world_hint": False})

# ---- what the tools take ----

ResourceName: TypeAlias = Annotated[
    str, OneOf(tuple(place.id for place in PLACES)), Field(description="The kind of records")
]
_FilterText: TypeAlias = Annotated[str, Field(max_length=1_000, description=_FILTER)]
_Cursor: TypeAlias = Annotated[str, Field(max_length=40, description=_CURSOR)]
_Limit: TypeAlias = Annotated[int, Field(ge=1, le=MOST)]
_Offset: TypeAlias = Annotated[int, Field(ge=0, le=1_000_000)]
_Compared: TypeAlias = Annotated[Days, Field(description="Compares the last days with as many before")]


# ---- the tools ----


class ReadingTools:
    """The tools that read. Errors say what to do."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._pieces = PieceReader(session)

    @property
    def tools(self) -> Sequence[Tool]:
        """All of them, for a client."""
        return (*self._on_records, *self._on_what_is_kept)

    @property
    def _on_records(self) -> Sequence[Tool]:
        return (
            tool(
                self.list_records,
                "List records",
                "Lists records of a resource, with a filter. Costs one request a page of 100 records; what "
                "follows in a page that was just read costs none.",
            ),
            tool(
                self.list_channel_items,
                "List the items of a channel",
                "Lists the links, bio pages and QR codes in a channel. Costs one request a page of 100.",
            ),
            tool(
                self.get_record,
                "Get a record",
                "Shows one record in full, of a QR code with its statistics. Costs one request for account, "
                "users and qr; for other resources one where its page is known, else one a page until found.",
            ),
            tool(
                self.review_users,
                "Review users",
                "Finds users who expire soon or have expired, whose class and plan do not match, or whose "
                "plan is not known. For keys of admins. Costs two requests.",
            ),
            tool(
                self.statistics,
                "Read statistics",
                "Reads the statistics of QR codes and shows what changed in the last days against as many "
                "before. Costs one request a code, none for a code that was read within a minute.",
            ),
        )

    @property
    def _on_what_is_kept(self) -> Sequence[Tool]:
        return (
            tool(
                self.report,
                "Report what was read",
                "Shows totals and changes of QR codes from what was read before, for no request. "
                "`statistics` reads codes of which nothing is stored. Order `fell`: the largest falls first.",
                _KNOWN_HERE,
            ),
            tool(
                self.alerts,
                "List alerts",
                "Lists the alerts that are raised, from what was read before, for no request.",
                _KNOWN_HERE,
            ),
            tool(
                self.journal,
                "List changes",
                "Lists the changes that were made with linkdash and what became of them, the newest first, "
                "for no request.",
                _KNOWN_HERE,
            ),
            tool(
                self.settle_change,
                "Settle a change of unknown outcome",
                "Finds out by one request what became of a change whose answer was lost, and keeps that in "
                "the journal. It changes nothing at the service.",
                READS.model_copy(update={"read_only_hint": False}),
            ),
            tool(
                self.budget,
                "Show the budget",
                "Shows how many requests are left, when the window resets and what waits, for no request.",
                _KNOWN_HERE,
            ),
        )

    # ---- records ----

    async def list_records(
        self,
        resource: ResourceName,
        filter: _FilterText = "",
        members: Annotated[
            tuple[str, ...], Field(description="Only id and these members; all if none is given")
        ] = (),
        limit: Annotated[_Limit, Field(description="At most this many records")] = 25,
        cursor: _Cursor = "",
        max_requests: Annotated[
            int, Field(ge=1, le=10, description="At most this many pages of 100, one request each")
        ] = 1,
    ) -> FoundRecords:
        """Records that match a filter. Raises InvalidBody, ServiceError."""
        collection = self._session.collection(resource)
        record: type[Record] = collection.resource.record
        known = {field.name: None for field in fields_of(record)}
        _check_members(members, known, collection.resource)
        wanted = await filter_of(self._session, collection.resource, filter)
        collecting = Collecting(wanted, limit, members)
        return await self._piece(collection, cursor, collecting, requests=max_requests)

    async def list_channel_items(
        self,
        channel: Annotated[RecordId, Field(description="The id of the channel")],
        limit: Annotated[_Limit, Field(description="At most this many items")] = 25,
        cursor: _Cursor = "",
    ) -> FoundRecords:
        """Items of a channel. Raises InvalidBody, ServiceError."""
        collection = self._session.collections.of(ITEMS, channel)
        return await self._piece(collection, cursor, Collecting(Filter(), limit))

    async def _piece(
        self, collection: AnyCollection, start: str, collecting: Collecting, *, requests: int = 1
    ) -> FoundRecords:
        begin = ListPosition.of(start)
        piece = await self._pieces.read(collection, begin, collecting, most_requests=requests)
        cursor = None if piece.next is None else str(piece.next)
        return FoundRecords.model_validate(
            {
                "records": piece.records,
                "not_known": collecting.not_known,
                "next_cursor": cursor,
                "total": piece.total,
            }
        )

    async def get_record(
        self,
        resource: ResourceName,
        id: Annotated[RecordId | None, Field(description="Not needed for account")] = None,
        members: Annotated[
            tuple[str, ...], Field(description="Only these members; all if none is given")
        ] = (),
    ) -> FoundRecord:
        """A record. Raises InvalidBody, NotFound, ServiceError."""
        declared = declaration(resource)
        if id is None and not declared.is_single:
            raise InvalidBody("id is missing.", "list_records lists those there are.")
        record, told = await read_record(self._session, declared, id)
        statistics = None if told is None else as_sent(told).model_dump(mode="json", by_alias=True)
        found = FoundRecord.model_validate({"record": record_members(record), "statistics": statistics})
        if not members:
            return found
        _check_members(members, found.record, declared)
        return FoundRecord(record={name: found.record[name] for name in members})

    # ---- statistics ----

    async def statistics(
        self,
        ids: Annotated[
            tuple[RecordId, ...], Field(min_length=1, max_length=20, description="QR codes, by id")
        ],
        days: _Compared = 7,
    ) -> CodeSummaries:
        """Codes as they are now; one that cannot be read is named beside the others.

        Raises ServiceError for what concerns every code.
        """
        reader, found, missing = StatisticsReader(self._session), list[CodeStatistics](), list[NotRead]()
        codes = await codes_of(self._session, dict.fromkeys(ids))
        for number, code in enumerate(codes):
            await tell_progress(number, len(codes), f"Reading QR code {code.code.id}")
            await reader.recall(code)
            if (error := await read_if_due(code, reader)) is None:
                found.append(code)
            else:
                missing.append(NotRead(id=code.code.id, message=str(error)))
        made = await summaries(found, days, reader.now)
        return await made.answer(total=len(codes), not_read=missing)

    async def report(
        self,
        ids: Annotated[
            tuple[RecordId, ...], Field(max_length=1_000, description="QR codes; all if none is given")
        ] = (),
        days: _Compared = 7,
        order: Annotated[
            Literal["id", "fell", "rose"],
            Field(description="fell: the largest fall of scans first; rose: the largest rise first"),
        ] = "id",
        limit: Annotated[int, Field(ge=1, le=40, description="At most this many codes")] = 20,
        offset: Annotated[_Offset, Field(description="Codes to leave out from the beginning")] = 0,
    ) -> CodeSummaries:
        """Codes as they were read before. Raises NotKept."""
        reader = StatisticsReader(self._session)
        kept = {code.code.id: code for code in await kept_codes(self._session)}
        if missing := [id for id in ids if id not in kept]:
            raise NotKept(f"Nothing is stored of QR code {missing[0]}.", "statistics reads it.")
        codes = [kept[id] for id in dict.fromkeys(ids) or kept]
        end = offset + limit
        taken = codes[offset:end] if order == "id" else codes
        for code in taken:
            await reader.recall(code)
        made = await summaries(taken, days, reader.now)
        total = len(codes)
        if order != "id":
            moved = made.moved(order)
            total, made = len(moved.codes), moved._replace(codes=moved.codes[offset:end])
        return await made.answer(total=total, next_offset=end if end < total else None)

    # ---- users ----

    async def review_users(
        self, limit: Annotated[_Limit, Field(description="At most this many users of each finding")] = 20
    ) -> UserFindings:
        """The findings among users. Raises ServiceError."""
        users, plans = self._session.collection("users"), self._session.collection("plans")
        for collection in (users, plans):
            await collection.read(1)
        return UserFindings(
            findings=[
                UserFinding(
                    finding=one.view.name,
                    count=len(one.rows),
                    users=[
                        UserSummary(
                            id=user.id,
                            username=user.username,
                            expires=None if user.expires is None else user.expires.isoformat(" "),
                        )
                        for user in one.rows[:limit]
                        if isinstance(user, User)
                    ],
                )
                for one in await find_kept(self._session, users, users.resource.findings)
            ]
        )

    # ---- what is known here ----

    async def journal(
        self,
        limit: Annotated[_Limit, Field(description="At most this many changes")] = 20,
        offset: Annotated[_Offset, Field(description="Changes to leave out, the newest first")] = 0,
        only_unknown: Annotated[bool, Field(description="Only changes of unknown outcome")] = False,
    ) -> JournalChanges:
        """Changes that were made. Raises StoreUnavailable."""
        journal, entries, away = self._session.store.journal, list[JournalEntry](), None
        try:
            if only_unknown:
                entries = (await journal.unknown())[offset : offset + limit]
            else:
                entries = await journal.recent(limit, offset)
        except StoreAway as error:
            away = str(error)
        waiting = await self._session.waiting()
        return JournalChanges(
            changes=[_change(entry) for entry in entries],
            waiting=[_change(one) for one in waiting if one.is_open or not only_unknown],
            away=away,
        )

    async def settle_change(
        self, id: Annotated[RecordId, Field(description="Its id in the journal")]
    ) -> Settled:
        """Find out by one read whether a change was done. Raises NotKept, InvalidBody, ServiceError."""
        entry = await self._session.store.journal.entry(id)
        if entry is None:
            raise NotKept(f"There is no change {id} in the journal.", "journal lists those there are.")
        if not entry.is_open:
            raise InvalidBody(f"The outcome of change {id} is known.", "journal shows it.")
        found = await self._session.check(entry)
        return Settled(happened=found.happened, message=found.message)

    async def alerts(self) -> StandingAlerts:
        """The alerts that stand. Raises StoreUnavailable."""
        standing = await standing_alerts(self._session)
        return StandingAlerts(alerts=[StandingAlert(**alert.members) for alert in standing])

    async def budget(self) -> BudgetNow:
        """The budget now."""
        await self._session.gate.learn()
        state = self._session.gate.state
        return BudgetNow(
            limit=state.limit,
            window_seconds=state.window,
            reset_in_seconds=state.reset_in,
            queued=len(state.queued),
            reason=state.reason,
        )


def _check_members(names: Sequence[str], record: Mapping[str, object], resource: AnyResource) -> None:
    """Raise InvalidBody; other names than the model's are the service's and stay unsaid."""
    for name in names:
        if name not in record:
            hint = did_you_mean(name, resource.record.model_fields)
            raise InvalidBody(f"members: this record has no {name!r}{hint}.")


def _change(entry: JournalEntry) -> JournalChange:
    row = entry_members(entry)
    return JournalChange.model_validate({name: row[name] for name in JournalChange.model_fields})
