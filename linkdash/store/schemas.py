"""The tables of each database, in the order in which they came.

What a database has had is counted: a later statement goes to the end of its tuple, never between.
"""

from linkdash.store import (
    alerts,
    history,
    history_writing,
    jobs,
    journal_table,
    page_cache,
    reading_claims,
    team_outbox,
)
from linkdash.store.belongings import Belongings, OwnedTable
from linkdash.store.drafts import DRAFTS_SCHEMA
from linkdash.store.preferences import PREFERENCES_SCHEMA, take_over_views

_STATE_TABLES = (OwnedTable("journal"), OwnedTable("jobs"), OwnedTable("alerts", ("rule", "subject")))
_PAGES = OwnedTable("pages", ("resource", "params"), "at")
CACHE_BELONGINGS = Belongings("accounts", (_PAGES, OwnedTable("page_caps", ("resource",))))
STATE_BELONGINGS = Belongings(
    "accounts",
    (*_STATE_TABLES, OwnedTable("drafts", ("form",), "at"), OwnedTable("preferences", ("name",)), _PAGES),
    first=take_over_views,
)
TEAM_STATE_BELONGINGS = Belongings("accounts", _STATE_TABLES)
HISTORY_BELONGINGS = Belongings(
    "history_accounts",  # a team's lies beside its state
    (
        OwnedTable("looks", ("code_id",), "at"),
        OwnedTable("turns", ("code_id",), "at", ("", reading_claims.FAILED)),
    ),
    first=history_writing.take_over_series,
)
OUTBOX_BELONGINGS = Belongings("accounts", (OwnedTable("spooled"), OwnedTable("journal")))

CACHE_SCHEMA = (*page_cache.SCHEMA, *CACHE_BELONGINGS.schema)
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
    *STATE_BELONGINGS.schema,
    *journal_table.FACTS,
    *jobs.FACTS,
    *jobs.BY_THE_JOURNAL,
    *page_cache.PAGES_SCHEMA,
)
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
    *TEAM_STATE_BELONGINGS.schema,
    # Keys have numbers of one file between them, and are handed in apart.
    "CREATE TABLE handed_in_entries (spool TEXT NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (spool, id))",
    "DROP TABLE handed_in",
    *journal_table.FACTS,
    *jobs.FACTS,
    *jobs.BY_THE_JOURNAL,
)
HISTORY_SCHEMA = (
    *history.SCHEMA,
    *reading_claims.CLAIMS_SCHEMA,
    *history.SUMMARIES,
    *HISTORY_BELONGINGS.schema,
)
"""A team's is the same."""
OUTBOX_SCHEMA = (
    *team_outbox.SCHEMA,
    *OUTBOX_BELONGINGS.schema,
    *journal_table.SCHEMA,
    *journal_table.AUTHORS,
    *journal_table.PROGRAMS,
    *journal_table.FACTS,
)
