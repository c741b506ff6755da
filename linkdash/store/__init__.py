"""The data that outlives a run: page snapshots, statistics history, the journal, bulk jobs and drafts.

All of it lies in SQLite files here; a team's history, journal and budget can lie in PostgreSQL.
"""
