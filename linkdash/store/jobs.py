"""Bulk jobs: many writes, each claimed before it is sent, so that none is ever done twice."""

import json
import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from linkdash.api.http.secrecy import masked
from linkdash.store.database import (
    SPOILT,
    Database,
    DatabaseConnection,
    DatabaseRow,
    Profile,
    StoreAway,
    Values,
    read_moment,
    returned_id,
    stored_json,
    stored_moment,
    utc_now,
)
from linkdash.store.job import ItemState, Job, JobItem, state_after
from linkdash.store.journal_entry import NOBODY, Author, Outcome, WriteIntent, facts_text, read_facts
from linkdash.store.journal_table import INTERRUPTED
from linkdash.store.programs import is_running, this_program
from linkdash.store.team_outbox import Outbox, OutboxEntry

SCHEMA = (
    """CREATE TABLE jobs (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        profile TEXT NOT NULL,
        title TEXT NOT NULL,
        created TEXT NOT NULL
    )""",
    """CREATE TABLE job_items (
        job INTEGER NOT NULL,
        position INTEGER NOT NULL,
        resource TEXT NOT NULL,
        action TEXT NOT NULL,
        record_ids TEXT NOT NULL,
        params TEXT NOT NULL,
        words TEXT NOT NULL,
        before TEXT NOT NULL,
        state TEXT NOT NULL,
        message TEXT NOT NULL DEFAULT '',
        PRIMARY KEY (job, position)
    ) WITHOUT ROWID""",
)

RUNNERS = (
    "ALTER TABLE jobs ADD COLUMN user_name TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE jobs ADD COLUMN host TEXT NOT NULL DEFAULT ''",
    # Who runs it, and when that was last confirmed, in seconds of the database's clock.
    "ALTER TABLE jobs ADD COLUMN runner TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE jobs ADD COLUMN runner_seen INTEGER NOT NULL DEFAULT 0",
)

FACTS = (
    # The names of the records, and what is undone, as JSON; `words` has those of earlier versions.
    "ALTER TABLE job_items ADD COLUMN facts TEXT NOT NULL DEFAULT ''",
)

ORIGINS = (
    # The write that an item was sent as; the journal tells what became of it.
    "ALTER TABLE job_items ADD COLUMN origin TEXT NOT NULL DEFAULT ''",
    """UPDATE job_items SET origin = coalesce((
        SELECT max(journal.origin) FROM journal JOIN jobs ON jobs.profile = journal.profile
        WHERE jobs.id = job_items.job AND journal.begun >= jobs.created
        AND journal.resource = job_items.resource AND journal.purpose = job_items.words
        AND (journal.outcome IS NULL OR journal.outcome = 'unknown')
    ), '') WHERE state IN ('sent', 'unknown')""",
)

PARTICIPANTS = (
    # Who has run a job and was not told yet that all of it was done.
    """CREATE TABLE job_participants (
        job INTEGER NOT NULL,
        user_name TEXT NOT NULL,
        host TEXT NOT NULL,
        PRIMARY KEY (job, user_name, host)
    )""",
    """INSERT INTO job_participants SELECT id, user_name, host FROM jobs
    WHERE EXISTS (SELECT 1 FROM job_items WHERE job = id AND state <> 'done')""",
)

HELD_SECONDS = 30
"""The time that a program that was not seen again still counts as the one that runs a job."""

UNREADABLE = "What was to be sent cannot be read any more."
"""The message of an item that is spoilt in the store."""


class Jobs:
    """The jobs of one profile.

    Belongs into a durable database. One program at a time runs a job; should two do so all the same, each
    item is claimed by one of them only. Every method raises StoreUnavailable.
    """

    def __init__(
        self, database: Database, profile: Profile, author: Author = NOBODY, outbox: Outbox | None = None
    ) -> None:
        self._database = database
        self._profile = profile
        self._author = author
        self._outbox = outbox
        self._me = f"{this_program(author)} {uuid.uuid4().hex}"
        self._under_way: dict[tuple[int, int], str] = {}

    async def create(self, title: str, intents: Sequence[WriteIntent], at: datetime) -> Job:
        """Record a job before its first write. Raises ValueError if one holds a secret."""
        if any(masked(intent.params) != dict(intent.params) for intent in intents):
            raise ValueError("a job is kept in a file, and secrets are not")
        items = tuple(JobItem(position, intent) for position, intent in enumerate(intents))

        def insert(connection: DatabaseConnection) -> int:
            made = connection.execute(_INSERT_JOB, (self._profile, title, stored_moment(at), *self._author))
            job_id = returned_id(made)
            connection.executemany(_INSERT_ITEM, [_item_row(job_id, item) for item in items])
            connection.execute(_TAKE_PART, (job_id, *self._author))
            return job_id

        return Job(await self._database.run(insert), title, at, items, self._author)

    async def keep(self, title: str, items: Sequence[JobItem], at: datetime) -> int:
        """Record writes that were done together, as a job that is over: each of them leads to all.

        Returns its id, for `keep_also`.
        """

        def insert(connection: DatabaseConnection) -> int:
            made = connection.execute(_INSERT_JOB, (self._profile, title, stored_moment(at), *self._author))
            job_id = returned_id(made)
            connection.executemany(_INSERT_ITEM, [_item_row(job_id, item) for item in items])
            return job_id

        return await self._database.run(insert)

    async def keep_also(self, job_id: int, item: JobItem) -> None:
        """Record one more write that was done together with those of a kept job, as its last item."""
        await self._database.execute(_INSERT_ITEM, _item_row(job_id, item))

    async def hold(self, job_id: int) -> bool:
        """Make this program the one that runs a job; to be repeated well within `HELD_SECONDS` meanwhile.

        False: another program runs it. One on this machine that has ended is known to be gone at once.
        What one that is gone has left on its way is of unknown outcome from then on, in the journal, too.
        """

        def hold(connection: DatabaseConnection) -> bool:
            now = int(connection.now())
            row = connection.execute("SELECT runner FROM jobs WHERE id = ?", (job_id,)).fetchone()
            gone = row["runner"] if row is not None and self._has_ended(row["runner"]) else self._me
            mine = (self._me, now, job_id, self._profile, self._me, gone, now - HELD_SECONDS)
            held = connection.execute(_HOLD, mine).rowcount == 1
            if held:
                connection.execute(_TAKE_PART, (job_id, *self._author))
            if held and row is not None and row["runner"] != self._me:
                connection.execute(_INTERRUPT, (stored_moment(utc_now()), INTERRUPTED, job_id))
            return held

        return await self._database.run(hold)

    def _has_ended(self, runner: str) -> bool:
        """Return whether a program on this machine, as `_me` names it, is no more."""
        return is_running(runner.rpartition(" ")[0], self._author) is False

    async def release(self, job_id: int) -> None:
        """Let another program run a job that this one has held."""

        def release(connection: DatabaseConnection) -> None:
            connection.execute("UPDATE jobs SET runner = '' WHERE id = ? AND runner = ?", (job_id, self._me))
            connection.execute(_TELL, (job_id, *self._author))

        await self._database.run(release)

    async def claim(self, job_id: int, item: JobItem, origin: str) -> bool:
        """Record that an item is about to be sent as this write. Only if this says True may it be sent.

        False: it is not what it was, because another process or an earlier run has sent it.
        """
        sent = (ItemState.SENT.value, origin, job_id, item.position, item.origin)
        back = (ItemState.PENDING.value, item.origin, job_id, item.position, origin)

        def claim(connection: DatabaseConnection) -> bool:
            return connection.execute(_CLAIM, sent).rowcount == 1

        def release(connection: DatabaseConnection, claimed: bool) -> None:
            if claimed:
                connection.execute(_RELEASE, back)

        claimed = await self._database.run_or_revoke(claim, release)
        if claimed:
            self._under_way[job_id, item.position] = origin
        return claimed

    async def finish_item(self, job_id: int, position: int, outcome: Outcome, message: str = "") -> None:
        """Record what became of a claimed item; done even if the caller is cancelled meanwhile.

        With an outbox, it is kept there while the database is away.
        """
        origin = self._under_way.pop((job_id, position), "")
        finished = (state_after(outcome).value, message, job_id, position)
        try:
            await self._database.execute(_FINISH, (*finished, origin))
        except StoreAway:
            if self._outbox is None:
                raise
            await self._outbox.add(FINISHED, {"finished": finished, "origin": origin})

    async def take_up(self, job: Job) -> Job:
        """The same job to be gone on with: what was found out since is kept, what was rejected is to do."""
        pending = ItemState.PENDING

        def take_up(connection: DatabaseConnection) -> None:
            found_out = [item for item in job.items if item.is_found_out]
            rejected = [replace(item, state=pending) for item in job.items if item.state is ItemState.FAILED]
            changed = [
                (item.state.value, item.message, job.id, item.position, item.origin)
                for item in (*found_out, *rejected)
            ]
            connection.executemany(_TAKE_UP, changed)
            connection.execute(_TELL, (job.id, *self._author))

        await self._database.run(take_up)
        return await self.load(job.id) or job

    async def load(self, job_id: int) -> Job | None:
        """A job as it stands."""
        jobs = await self._select("AND id = ?", job_id)
        return jobs[0] if jobs else None

    async def of_origin(self, origin: str) -> Job | None:
        """The job that sent the write with this origin; None where none did, or it is forgotten."""
        if not origin:
            return None
        jobs = await self._select("AND id IN (SELECT job FROM job_items WHERE origin = ?)", origin)
        return jobs[0] if jobs else None

    async def recent(self, limit: int) -> list[Job]:
        """Jobs however far they are, the newest first."""
        return await self._select("ORDER BY id DESC LIMIT ?", limit)

    async def unfinished(self) -> list[Job]:
        """Jobs with something left to do or to find out, the newest first."""
        return [job for job in await self._select("ORDER BY id DESC") if job.is_unfinished]

    async def to_go_on(self, intents: Sequence[WriteIntent]) -> Job | None:
        """The job of exactly these writes in this order that they continue; None where they begin a new one.

        That is the newest, or an older one of which this user was not told that it is done.
        """
        same = [job for job in await self._select("ORDER BY id DESC") if job.is_of(intents)]
        return next((job for job in same if job.is_untold or (job is same[0] and job.is_to_go_on)), None)

    async def discard(self, job_id: int) -> None:
        """Forget a job; its writes stay in the journal."""

        def delete(connection: DatabaseConnection) -> None:
            connection.execute("DELETE FROM job_items WHERE job = ?", (job_id,))
            connection.execute("DELETE FROM job_participants WHERE job = ?", (job_id,))
            connection.execute("DELETE FROM jobs WHERE id = ?", (job_id,))

        await self._database.run(delete)

    async def _select(self, rest: str, *values: int | str) -> list[Job]:
        def select(
            connection: DatabaseConnection,
        ) -> tuple[Sequence[DatabaseRow], dict[int, Sequence[DatabaseRow]], float]:
            jobs = connection.execute(
                f"SELECT jobs.*, {_IS_UNTOLD} AS untold FROM jobs WHERE profile = ? {rest}",
                (*self._author, self._profile, *values),
            ).fetchall()
            items = {job["id"]: connection.execute(_ITEMS, (job["id"],)).fetchall() for job in jobs}
            return jobs, items, connection.now()

        jobs, items_of, now = await self._database.read(select)
        return self._database.decoded(jobs, lambda job: self._job(job, items_of[job["id"]], now), "bulk jobs")

    def _job(self, row: DatabaseRow, rows: Sequence[DatabaseRow], now: float) -> Job:
        """Raise what a spoilt value raises, and ValueError where an item is missing."""
        runner = row["runner"]
        is_recent = row["runner_seen"] > now - HELD_SECONDS
        is_held = runner not in ("", self._me) and is_recent and not self._has_ended(runner)
        items = tuple(self._item(item, is_held=is_held) for item in rows)
        if [item.position for item in items] != list(range(len(items))):
            raise ValueError("the items of a job are not in a row")
        return Job(
            id=row["id"],
            title=row["title"],
            created=read_moment(row["created"]),
            items=items,
            author=Author(row["user_name"], row["host"]),
            runner=runner.partition(" ")[0] if is_held else "",
            is_untold=bool(row["untold"]),
        )

    def _item(self, row: DatabaseRow, *, is_held: bool) -> JobItem:
        """An item as it stands; one that cannot be read has failed, for it can never be sent.

        One that was sent is under way where the program that holds its job may still wait for the answer.
        """
        try:
            item = JobItem(
                row["position"],
                _intent(row),
                ItemState(row["state"]),
                row["message"],
                row["origin"],
                author=Author(row["sender"] or "", row["sender_host"] or ""),
            )
        except SPOILT:
            intent = WriteIntent(row["resource"], row["action"], (), {}, told=row["words"])
            return JobItem(row["position"], intent, ItemState.FAILED, UNREADABLE)
        is_under_way = is_held or (row["job"], row["position"]) in self._under_way
        if item.state is ItemState.UNKNOWN or (item.state is ItemState.SENT and not is_under_way):
            return _as_the_journal_knows(item, row)
        return item


def _as_the_journal_knows(item: JobItem, row: DatabaseRow) -> JobItem:
    """An item that was sent, and of which only the journal can know what became."""
    if row["found"] is not None:
        outcome, message = Outcome.DONE if row["found"] else Outcome.NOT_SENT, row["finding"]
    else:
        outcome, message = Outcome(row["outcome"] or Outcome.UNKNOWN), item.message or row["said"] or ""
    is_found_out = outcome is not Outcome.UNKNOWN
    return replace(item, state=state_after(outcome), message=message, is_found_out=is_found_out)


FINISHED = "job item"
"""The kind of what jobs keep in the outbox."""


def hand_in(connection: DatabaseConnection, _: Profile, written: OutboxEntry) -> None:
    """Do in the team's database what was kept in the outbox."""
    connection.execute(_FINISH, (*written.body["finished"], written.body.get("origin", "")))


_ITEMS = """
    SELECT job_items.*, journal.outcome, journal.message AS said, journal.found, journal.finding,
    journal.user_name AS sender, journal.host AS sender_host
    FROM job_items LEFT JOIN journal ON journal.origin = job_items.origin
    WHERE job = ? ORDER BY position
"""
# What was sent may be sent again where the journal knows that it did not happen.
_CLAIM = f"""
    UPDATE job_items SET state = ?, origin = ? WHERE job = ? AND position = ? AND origin = ?
    AND (state = '{ItemState.PENDING}' OR (state IN ('{ItemState.SENT}', '{ItemState.UNKNOWN}') AND EXISTS (
        SELECT 1 FROM journal WHERE journal.origin = job_items.origin
        AND (found = 0 OR (found IS NULL AND outcome = '{Outcome.NOT_SENT}'))
    )))
"""
_RELEASE = "UPDATE job_items SET state = ?, origin = ? WHERE job = ? AND position = ? AND origin = ?"
# What came for a write that another program has sent anew meanwhile says nothing about that one.
_FINISH = "UPDATE job_items SET state = ?, message = ? WHERE job = ? AND position = ? AND origin = ?"
_TAKE_UP = f"""
    UPDATE job_items SET state = ?, message = ? WHERE job = ? AND position = ? AND origin = ?
    AND state <> '{ItemState.DONE}'
"""
_INTERRUPT = f"""
    UPDATE journal SET outcome = '{Outcome.UNKNOWN}', ended = ?, message = ? WHERE outcome IS NULL
    AND origin IN (SELECT origin FROM job_items WHERE job = ? AND state = '{ItemState.SENT}')
"""
_TAKE_PART = """
    INSERT INTO job_participants (job, user_name, host) VALUES (?, ?, ?) ON CONFLICT DO NOTHING
"""
_TELL = f"""
    DELETE FROM job_participants WHERE job = ? AND user_name = ? AND host = ? AND NOT EXISTS (
        SELECT 1 FROM job_items WHERE job_items.job = job_participants.job AND state <> '{ItemState.DONE}'
    )
"""
_IS_UNTOLD = f"""EXISTS (
        SELECT 1 FROM job_participants WHERE job = jobs.id
        AND job_participants.user_name = ? AND job_participants.host = ?
    ) AND NOT EXISTS (
        SELECT 1 FROM job_items WHERE job = jobs.id AND state <> '{ItemState.DONE}'
    )"""
_INSERT_JOB = """
    INSERT INTO jobs (profile, title, created, user_name, host) VALUES (?, ?, ?, ?, ?) RETURNING id
"""
_INSERT_ITEM = """
    INSERT INTO job_items
    (job, position, resource, action, record_ids, params, words, before, state, message, origin, facts)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_HOLD = """
    UPDATE jobs SET runner = ?, runner_seen = ? WHERE id = ? AND profile = ?
    AND (runner IN ('', ?, ?) OR runner_seen < ?)
"""


def _intent(row: DatabaseRow) -> WriteIntent:
    """Raise what a spoilt value raises."""
    before = json.loads(row["before"])
    return WriteIntent(
        resource=row["resource"],
        action=row["action"],
        record_ids=tuple(int(id) for id in json.loads(row["record_ids"])),
        params=dict(json.loads(row["params"])),
        before=None if before is None else dict(before),
        told=row["words"],
        **read_facts(row["facts"]),
    )


def _item_row(job_id: int, item: JobItem) -> Values:
    intent = item.intent
    return (
        job_id,
        item.position,
        intent.resource,
        intent.action,
        stored_json(intent.record_ids),
        stored_json(intent.params),
        intent.told,
        stored_json(intent.before),
        item.state.value,
        item.message,
        item.origin,
        facts_text(intent),
    )
