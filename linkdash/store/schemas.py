"""The tables of each database, in the order in which they came.

What a database has had is counted: a later statement goes to the end of its tuple, never between.
"""

from linkdash.store import alerts, history, jobs, journal_table, page_cache, reading_claims
from linkdash.store.drafts import DRAFTS_SCHEMA
from linkdash.store.preferences import PREFERENCES_SCHEMA

CACHE_SCHEMA = page_cache.SCHEMA
STATE_SCHEMA = (
    *journal_table.SCHEMA,
    *DRAFTS_SCHEMA,
    *jobs.SCHEMA,
    *journal_table.AUTHORS,
    *jobs.RUNNERS,
    *alerts.SCHEMA,
    *PREFERENCES_SCHEMA,
    *jobs.ORIGINS,
    *jobs.PARTICIPANTS,
    *journal_table.PROGRAMS,
)
STATE_TABLES = ("journal", "drafts", "jobs", "alerts", "preferences")
"""The tables of the state that hold a profile's own."""
TEAM_STATE_SCHEMA = (
    *journal_table.SCHEMA,
    *jobs.SCHEMA,
    *journal_table.AUTHORS,
    *jobs.RUNNERS,
    "CREATE TABLE handed_in (spool TEXT PRIMARY KEY, last_id INTEGER NOT NULL)",
    *alerts.SCHEMA,
    *jobs.ORIGINS,
    *jobs.PARTICIPANTS,
    *journal_table.PROGRAMS,
)
HISTORY_SCHEMA = (*history.SCHEMA, *reading_claims.CLAIMS_SCHEMA, *history.SUMMARIES)
"""A team's is the same."""
