"""Bulk jobs: many writes, each claimed before it is sent, so that none is ever done twice."""

import json
import uuid
from collections.abc import Sequence
from datetime import datetime

from linkdash.api.errors import InvalidBody
from linkdash.api.http.secrecy import masked
from linkdash.store.database import (
    SPOILT,
    Database,
    DatabaseConnection,
    DatabaseRow,
    Profile,
    Values,
    read_moment,
    returned_id,
    stored_json,
    stored_moment,
    utc_now,
)
from linkdash.store.job import ItemState, Job, JobHeld, JobItem, state_after
from linkdash.store.journal_entry import NOBODY, Author, Outcome, WriteIntent, facts_text, read_facts
from linkdash.store.journal_table import INTERRUPTED, created_id_in
from linkdash.store.programs import is_running, this_program

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

BY_THE_JOURNAL = (
    # What became of an item is in the journal alone. One without an entry there is unknown, not to do.
    "UPDATE job_items SET origin = '' WHERE state = 'pending'",
    "UPDATE job_items SET origin = 'not known' WHERE origin = '' AND state IN ('sent', 'done', 'unknown')",
    "ALTER TABLE job_items DROP COLUMN state",
    "ALTER TABLE job_items DROP COLUMN message",
    # What the row of a file asks for, of which an item was made.
    "ALTER TABLE job_items ADD COLUMN row_key TEXT NOT NULL DEFAULT ''",
    "DROP TABLE job_participants",
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

    def __init__(self, database: Database, profile: Profile, author: Author = NOBODY) -> None:
        self._database = database
        self._profile = profile
        self._author = author
        self._me = f"{this_program(author)} {uuid.uuid4().hex}"
        self._under_way: set[str] = set()

    async def create(self, title: str, intents: Sequence[WriteIntent], at: datetime) -> Job:
        """Record a job before its first write. Raises InvalidBody if one holds a secret."""
        if any(masked(intent.params) != dict(intent.params) for intent in intents):
            raise InvalidBody(
                "A password cannot be sent to several records as one job: that is kept in a file.",
                "Change them one by one. Nothing was sent.",
            )
        items = [JobItem(position, intent) for position, intent in enumerate(intents)]
        return await self.keep(title, items, at)

    async def keep(
        self, title: str, items: Sequence[JobItem], at: datetime, instead: Job | None = None
    ) -> Job:
        """Record a job of items, of which some were sent already; it takes the place of an earlier one.

        Raises JobHeld where another program runs that one, or one of the same name of rows of a file.
        """
        of_file = any(item.row_key for item in items)

        def insert(connection: DatabaseConnection) -> int | str:
            if of_file:
                connection.lock("imports", str(self._profile), title)
                if other := self._runner_of(connection, title, 0 if instead is None else instead.id):
                    return other
            row = (self._profile, title, stored_moment(at), *self._author)
            job_id = returned_id(connection.execute(_INSERT_JOB, row))
            connection.executemany(_INSERT_ITEM, [_item_row(job_id, item) for item in items])
            if of_file:
                connection.execute(_HOLD_NEW, (self._me, int(connection.now()), job_id))
            if instead is not None:
                _delete(connection, instead.id)
            return job_id

        made = await self._database.run(insert)
        if isinstance(made, str):
            raise held_by(made)
        return Job(made, title, at, tuple(items), self._author)

    def _runner_of(self, connection: DatabaseConnection, title: str, job_id: int) -> str:
        """The other program that runs a job of this name, or of this id; empty for none."""
        rows = connection.execute(_RUNNERS_OF, (self._profile, title, job_id)).fetchall()
        return next(filter(None, (self._other(row, connection.now()) for row in rows)), "")

    def _other(self, row: DatabaseRow, now: float) -> str:
        """The other program that runs a job at the moment; empty where none does."""
        runner, is_recent = row["runner"], row["runner_seen"] > now - HELD_SECONDS
        is_held = runner not in ("", self._me) and is_recent and not self._has_ended(runner)
        return runner.partition(" ")[0] if is_held else ""

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
            if held and row is not None and row["runner"] != self._me:
                connection.execute(_INTERRUPT, (stored_moment(utc_now()), INTERRUPTED, job_id))
            return held

        return await self._database.run(hold)

    def _has_ended(self, runner: str) -> bool:
        """Return whether a program on this machine, as `_me` names it, is no more."""
        return is_running(runner.rpartition(" ")[0], self._author) is False

    async def release(self, job_id: int) -> None:
        """Let another program run a job that this one has held."""

        await self._database.execute(
            "UPDATE jobs SET runner = '' WHERE id = ? AND runner = ?", (job_id, self._me)
        )

    async def claim(self, job_id: int, item: JobItem, origin: str) -> bool:
        """Record that an item is about to be sent as this write. Only if this says True may it be sent.

        False: it is not what it was, because another process or an earlier run has sent it.
        """
        sent = (origin, job_id, item.position, item.origin)
        back = (item.origin, job_id, item.position, origin)
        self._under_way.add(origin)
        return await self._database.run_or_revoke(
            lambda connection: connection.execute(_CLAIM, sent).rowcount == 1,
            lambda connection, claimed: claimed and connection.execute(_RELEASE, back),
        )

    async def give_back(self, job_id: int, item: JobItem, origin: str) -> None:
        """Record that an item, claimed as this write, is as before: what refused it concerns all of them."""
        self._under_way.discard(origin)
        await self._database.execute(_RELEASE, (item.origin, job_id, item.position, origin))

    def ended(self, origin: str) -> None:
        """A write of an item is under way here no more."""
        self._under_way.discard(origin)

    async def load(self, job_id: int) -> Job | None:
        """A job as it stands."""
        jobs = await self._select("AND id = ?", job_id)
        return jobs[0] if jobs else None

    async def recent(self, limit: int) -> list[Job]:
        """Jobs however far they are, the newest first."""
        return await self._select("ORDER BY id DESC LIMIT ?", limit)

    async def unfinished(self) -> list[Job]:
        """Jobs with something left to do or to find out, the newest first."""
        return [job for job in await self._select("ORDER BY id DESC") if job.is_unfinished]

    async def to_go_on(self, intents: Sequence[WriteIntent]) -> Job | None:
        """The newest job of exactly these writes in this order; None where they begin a new one.

        That is so where none is left, and all was done here as it was told then.
        """
        same = (job for job in await self._select("ORDER BY id DESC") if job.is_of(intents))
        newest = next(same, None)
        return newest if newest is not None and (not newest.is_done or newest.is_news) else None

    async def imports(self) -> list[Job]:
        """The jobs of rows of files, the newest first."""
        of_rows = "AND id IN (SELECT job FROM job_items WHERE row_key <> '') ORDER BY id DESC"
        return await self._select(of_rows)

    async def discard(self, job_id: int) -> None:
        """Forget a job; its writes stay in the journal. Raises JobHeld where another program runs it."""

        def discard(connection: DatabaseConnection) -> str:
            other = self._runner_of(connection, "", job_id)
            if not other:
                _delete(connection, job_id)
            return other

        if other := await self._database.run(discard):
            raise held_by(other)

    async def _select(self, rest: str, *values: int | str) -> list[Job]:
        def select(
            connection: DatabaseConnection,
        ) -> tuple[Sequence[DatabaseRow], dict[int, Sequence[DatabaseRow]], float]:
            query = f"SELECT * FROM jobs WHERE profile = ? {rest}"
            jobs = connection.execute(query, (self._profile, *values)).fetchall()
            items = {job["id"]: connection.execute(_ITEMS, (job["id"],)).fetchall() for job in jobs}
            return jobs, items, connection.now()

        jobs, items_of, now = await self._database.read(select)
        return self._database.decoded(jobs, lambda job: self._job(job, items_of[job["id"]], now), "bulk jobs")

    def _job(self, row: DatabaseRow, rows: Sequence[DatabaseRow], now: float) -> Job:
        """Raise what a spoilt value raises, and ValueError where an item is missing."""
        runner = self._other(row, now)
        items = tuple(self._item(item, is_held=bool(runner)) for item in rows)
        if [item.position for item in items] != list(range(len(items))):
            raise ValueError("the items of a job are not in a row")
        return Job(
            id=row["id"],
            title=row["title"],
            created=read_moment(row["created"]),
            items=items,
            author=Author(row["user_name"], row["host"]),
            runner=runner,
        )

    def _item(self, row: DatabaseRow, *, is_held: bool) -> JobItem:
        """An item as it stands; one that cannot be read has failed, for it can never be sent.

        One that was sent is under way where the program that holds its job may still wait for the answer.
        """
        try:
            intent = _intent(row)
            is_under_way = is_held or row["origin"] in self._under_way
            state, message = _as_the_journal_knows(row, is_under_way=is_under_way)
            author = Author(row["sender"] or "", row["sender_host"] or "")
        except SPOILT:
            intent = WriteIntent(row["resource"], row["action"], (), {}, told=row["words"])
            return JobItem(row["position"], intent, ItemState.FAILED, UNREADABLE)
        return JobItem(
            row["position"],
            intent,
            state,
            message,
            row["origin"],
            is_found_out=row["found"] is not None,
            author=author,
            created_id=created_id_in(row["answer"]) if intent.action == "create" else None,
            row_key=row["row_key"],
        )


def held_by(runner: str) -> JobHeld:
    """The error of a job that another program runs."""
    return JobHeld(f"{runner} runs this job.", "It can be taken over here once that one is gone.")


def _as_the_journal_knows(row: DatabaseRow, *, is_under_way: bool) -> tuple[ItemState, str]:
    """The state of an item, and why; one that was sent and has no entry is unknown."""
    if not row["origin"]:
        return ItemState.PENDING, ""
    if row["found"] is not None:
        return (ItemState.DONE if row["found"] else ItemState.PENDING), row["finding"]
    if row["outcome"] is None:
        return ItemState.SENT if row["entry"] and is_under_way else ItemState.UNKNOWN, ""
    outcome = Outcome(row["outcome"])
    return state_after(outcome), "" if outcome is Outcome.DONE else row["said"]


def _delete(connection: DatabaseConnection, job_id: int) -> None:
    connection.execute("DELETE FROM job_items WHERE job = ?", (job_id,))
    connection.execute("DELETE FROM jobs WHERE id = ?", (job_id,))


_ITEMS = """
    SELECT job_items.*, journal.id AS entry, journal.outcome, journal.message AS said, journal.found,
    journal.finding, journal.answer, journal.user_name AS sender, journal.host AS sender_host
    FROM job_items LEFT JOIN journal ON journal.origin = job_items.origin
    WHERE job = ? ORDER BY position
"""
# What was sent may be sent again where the journal knows that it did not happen.
_CLAIM = f"""
    UPDATE job_items SET origin = ? WHERE job = ? AND position = ? AND origin = ?
    AND (origin = '' OR EXISTS (
        SELECT 1 FROM journal WHERE journal.origin = job_items.origin AND (found = 0
        OR (found IS NULL AND outcome IN ('{Outcome.NOT_SENT}', '{Outcome.REJECTED}')))
    ))
"""
_RELEASE = "UPDATE job_items SET origin = ? WHERE job = ? AND position = ? AND origin = ?"
_INTERRUPT = f"""
    UPDATE journal SET outcome = '{Outcome.UNKNOWN}', ended = ?, message = ? WHERE outcome IS NULL
    AND origin IN (SELECT origin FROM job_items WHERE job = ?)
"""
_INSERT_JOB = """
    INSERT INTO jobs (profile, title, created, user_name, host) VALUES (?, ?, ?, ?, ?) RETURNING id
"""
_INSERT_ITEM = """
    INSERT INTO job_items
    (job, position, resource, action, record_ids, params, words, before, origin, facts, row_key)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_HOLD = """
    UPDATE jobs SET runner = ?, runner_seen = ? WHERE id = ? AND profile = ?
    AND (runner IN ('', ?, ?) OR runner_seen < ?)
"""
_HOLD_NEW = "UPDATE jobs SET runner = ?, runner_seen = ? WHERE id = ?"
_RUNNERS_OF = "SELECT runner, runner_seen FROM jobs WHERE profile = ? AND (title = ? OR id = ?)"


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
        stored_json(masked(intent.params)),
        intent.told,
        stored_json(intent.before),
        item.origin,
        facts_text(intent),
        item.row_key,
    )
