"""How long what was done stays in the state: long enough to look into it, not for ever."""

import sqlite3
from datetime import datetime, timedelta

from linkdash.store.database import stored_moment, utc_now
from linkdash.store.jobs import ItemState
from linkdash.store.journal import Outcome

KEPT = timedelta(days=90)
"""A question about a change comes within a quarter of a year; without an end every start would read more."""

_OVER = f"('{ItemState.DONE}', '{ItemState.FAILED}')"
_KNOWN = f"('{Outcome.DONE}', '{Outcome.REJECTED}', '{Outcome.NOT_SENT}')"
_UNFINISHED = f"""
    SELECT profile, min(created) AS since FROM jobs JOIN job_items ON job = id
    WHERE state NOT IN {_OVER} GROUP BY profile"""
_PRUNE_JOURNAL = f"""
    WITH unfinished AS MATERIALIZED ({_UNFINISHED})
    DELETE FROM journal WHERE begun < :before AND (outcome IN {_KNOWN} OR settled IS NOT NULL)
    AND NOT EXISTS (SELECT 1 FROM unfinished WHERE profile = journal.profile AND since <= begun)"""
_PRUNE_ITEMS = f"""
    DELETE FROM job_items WHERE job IN (SELECT id FROM jobs WHERE created < :before)
    AND job NOT IN (SELECT job FROM job_items WHERE state NOT IN {_OVER})"""
_PRUNE_JOBS = "DELETE FROM jobs WHERE created < :before AND id NOT IN (SELECT job FROM job_items)"


def prune(connection: sqlite3.Connection, now: datetime | None = None) -> None:
    """Deletes what is older than `KEPT` and settled: writes in the journal, and bulk jobs that are over.

    What nobody knows the outcome of stays, and so does everything since the oldest unfinished job began.
    """
    before = {"before": stored_moment((now or utc_now()) - KEPT)}
    for statement in (_PRUNE_JOURNAL, _PRUNE_ITEMS, _PRUNE_JOBS):
        connection.execute(statement, before)
