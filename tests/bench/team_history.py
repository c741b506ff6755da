"""A year of statistics in PostgreSQL beside the same in SQLite: size, insert rate, time of each question.

    python -m tests.bench.team_history [--days 365] [--codes 10000] [--layouts]

Some codes, from hardly to heavily scanned, are read every hour; copies of their rows stand for the others, as
in `tests.bench.history_size`, and all rows are then copied to a PostgreSQL server as they are. Each question
is asked by a program that has just connected. The insert rate is that of `collect`, which hands over what one
page of the list of codes tells. With `--layouts` full segments are also laid out in partitions by month, and
with an index of ranges of time.
"""

import argparse
import asyncio
import itertools
import sqlite3
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from pathlib import Path

from linkdash.store import postgresql
from linkdash.store.database import Database
from linkdash.store.history import History
from linkdash.store.postgresql import PostgresqlDatabase
from linkdash.store.reading import Reading
from linkdash.store.schemas import HISTORY_SCHEMA
from linkdash.store.sqlite import SqliteDatabase
from linkdash.store.team_address import Address
from tests.bench.history_size import BEGIN, MODELS, TRIES, copy_models, in_life, readings, say
from tests.postgres import PostgresServer

# A machine under load must not look like a server that is gone.
postgresql._PATIENCE = postgresql._STATEMENT_SECONDS = 60.0
_A_DAY = 24
_A_PAGE, _PAGES = 100, 50
_TABLES: Mapping[str, tuple[str, ...]] = {
    "labels": ("id", "breakdown", "label"),
    "series": ("id", "profile", "code_id", "first_at", "last_at", "newest", "steps", "scans"),
    "segments": ("id", "series_id", "first_at", "last_at", "newest", "steps", "scans"),
}

Open = Callable[[], Database]


async def fill(path: Path, hours: int) -> None:
    """Record the model codes, a day at a time."""
    async with SqliteDatabase.open(path, HISTORY_SCHEMA) as database:
        history = History(database, "bench")
        for model in range(MODELS):
            day: list[Reading] = []
            for reading in readings(model, hours, in_life(model)):
                day.append(reading)
                if len(day) == _A_DAY:
                    await history.record_all({model: day})
                    day = []


def copy_rows(path: Path, server: PostgresServer) -> None:
    """Put the rows of a file into tables that are there and empty."""
    source = sqlite3.connect(path)
    with server.connect() as session, session.cursor() as cursor:
        for table, columns in _TABLES.items():
            names = ", ".join(columns)
            with cursor.copy(f"COPY linkdash.{table} ({names}) FROM STDIN".encode()) as copy:
                for row in source.execute(f"SELECT {names} FROM {table} ORDER BY id"):
                    copy.write_row(row)
            cursor.execute(
                f"SELECT setval(pg_get_serial_sequence('linkdash.{table}', 'id'), max(id))"
                f" FROM linkdash.{table}".encode()
            )
        cursor.execute("ANALYZE")
    source.close()


def size_on(server: PostgresServer) -> float:
    """Megabytes of tables and indexes."""
    tables = ", ".join(f"'linkdash.{table}'::regclass" for table in _TABLES)
    with server.connect() as session:
        query = f"SELECT sum(pg_total_relation_size(t)) FROM unnest(ARRAY[{tables}]) t"
        row = session.execute(query.encode()).fetchone()
    return int(str(row[0])) / 1e6 if row else 0.0


async def question_times(open_one: Open, hours: int) -> dict[str, float]:
    """Milliseconds from opening to each answer; the shortest of some tries counts."""
    end = BEGIN + timedelta(hours=hours)
    week = end - timedelta(days=7)
    questions: dict[str, Callable[[History], Awaitable[object]]] = {
        "one code, when last looked": lambda history: history.last_look(1),
        "a week of the busiest code": lambda history: history.readings(MODELS - 1, week),
        "a year of the busiest code": lambda history: history.readings(MODELS - 1),
        "the latest of all codes": lambda history: history.latest(),
        "scans of all codes in a week": lambda history: history.scans(week),
    }
    found = {}
    for words, ask in questions.items():
        found[words] = min([await _seconds(open_one, ask) for _ in range(TRIES)]) * 1000
    return found


async def _seconds(open_one: Open, ask: Callable[[History], Awaitable[object]]) -> float:
    start = time.perf_counter()
    async with open_one() as database:
        await ask(History(database, "bench"))
        return time.perf_counter() - start


async def insert_rate(open_one: Open, hours: int) -> float:
    """Readings a second, a page of codes in each transaction, every one of them different from the last."""
    async with open_one() as database:
        history, begun = History(database, "bench"), time.perf_counter()
        for page in range(_PAGES):
            at = BEGIN + timedelta(hours=hours + page)
            told = {code: [Reading(at, scans=1_000 + page)] for code in range(_A_PAGE)}
            await history.record_all(told)
        return _A_PAGE * _PAGES / (time.perf_counter() - begun)


def say_layouts(server: PostgresServer, days: int) -> None:
    """Print other layouts of the full segments: their size, and the time of two questions."""
    end = int((BEGIN + timedelta(days=days)).timestamp())
    months = [int((BEGIN + timedelta(days=30 * month)).timestamp()) for month in range(days // 30 + 2)]
    with server.connect() as session:

        def do(statement: str) -> None:
            session.execute(statement.encode())

        def seconds(table: str, condition: str) -> float:
            begun = time.perf_counter()
            session.execute(f"SELECT count(*), max(steps) FROM {table} WHERE {condition}".encode()).fetchone()
            return time.perf_counter() - begun

        def line(title: str, table: str, parts: str) -> None:
            row = session.execute(f"SELECT sum(pg_total_relation_size(c)) FROM {parts} c".encode()).fetchone()
            size = int(str(row[0])) / 1e6 if row else 0.0
            since, one = (
                f"last_at > {end - 7 * 86_400}",
                f"series_id = {MODELS} AND last_at > {int(BEGIN.timestamp())}",
            )
            times = [1_000 * min(seconds(table, where) for _ in range(TRIES)) for where in (since, one)]
            say(f"| {title} | {size:,.0f} MB | {times[0]:,.1f} ms | {times[1]:,.1f} ms |")

        do("SET search_path = linkdash")
        say("| full segments | size | of all codes, since a week | of one code, a year |")
        say("| --- | ---: | ---: | ---: |")
        line("one table, by code and time", "segments", "unnest(ARRAY['segments'::regclass])")
        do("CREATE INDEX ranges ON segments USING brin (last_at)")
        do("ANALYZE segments")
        line("and ranges of time (BRIN)", "segments", "unnest(ARRAY['segments'::regclass])")
        do("CREATE TABLE months (LIKE segments) PARTITION BY RANGE (last_at)")
        for number, (first, following) in enumerate(itertools.pairwise(months)):
            values = f"FOR VALUES FROM ({first}) TO ({following})"
            do(f"CREATE TABLE month_{number} PARTITION OF months {values}")
        do("INSERT INTO months SELECT * FROM segments")
        do("CREATE INDEX ON months (series_id, first_at, last_at)")
        do("ANALYZE months")
        parts = ", ".join(f"'month_{number}'::regclass" for number in range(len(months) - 1))
        line("partitions by month", "months", f"unnest(ARRAY[{parts}])")


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--codes", type=int, default=10_000)
    parser.add_argument("--layouts", action="store_true", help="other layouts of the tables beside")
    given = parser.parse_args()
    hours = given.days * 24
    server = PostgresServer()
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "history.db"
            engines: dict[str, Open] = {
                "SQLite": lambda: SqliteDatabase.open(path, HISTORY_SCHEMA),
                "PostgreSQL": lambda: PostgresqlDatabase.open(
                    Address.read(server.url()), "history", HISTORY_SCHEMA
                ),
            }
            await fill(path, hours)
            copy_models(path, given.codes)
            async with engines["PostgreSQL"]() as database:
                await database.select("SELECT 1")
            copy_rows(path, server)
            sizes = (path.stat().st_size / 1e6, size_on(server))
            asked = f"{given.codes * hours:,} readings"
            say(f"{given.codes:,} codes, read every hour for {given.days} days: {asked}")
            say("| | SQLite | PostgreSQL |\n| --- | ---: | ---: |")
            say(f"| size | {sizes[0]:,.0f} MB | {sizes[1]:,.0f} MB |")
            times = [await question_times(open_one, hours) for open_one in engines.values()]
            rates = [await insert_rate(open_one, hours) for open_one in engines.values()]
            say(f"| readings kept a second | {rates[0]:,.0f} | {rates[1]:,.0f} |")
            for words in times[0]:
                say(f"| {words} | {times[0][words]:,.0f} ms | {times[1][words]:,.0f} ms |")
            if given.layouts:
                say_layouts(server, given.days)
    finally:
        server.remove()


if __name__ == "__main__":
    asyncio.run(main())
