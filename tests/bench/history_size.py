"""The size of a year of statistics, and the time to open it.

    python -m tests.bench.history_size [--days 365] [--codes 400]

Some codes, from hardly to heavily scanned, are read every hour through `History.record`; copies of their
rows then stand for the others. Prints the size of the file, and the time to open it and to ask of it what
the screens ask. Two runs: codes as they are in life, and a worst case, in which no reading is like the last.
"""

import argparse
import asyncio
import math
import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from linkdash.store.history import History
from linkdash.store.reading import Reading
from linkdash.store.schemas import HISTORY_SCHEMA
from linkdash.store.sqlite import SqliteDatabase

BEGIN = datetime(2025, 1, 1, tzinfo=UTC)
LABELS = {"countries": 25, "referrers": 25, "browsers": 10, "systems": 8, "social": 3}
MODELS = 8
"""Codes that are really read; each stands for as many others."""
TRIES = 3
"""The shortest counts: the others met other programs."""
FEWEST_A_DAY, MOST_A_DAY = 0.2, 100.0


def visits_an_hour(model: int) -> float:
    """Visits of a model code, from the fewest to the most, evenly on a logarithmic scale."""
    share = model / (MODELS - 1)
    return FEWEST_A_DAY * math.pow(MOST_A_DAY / FEWEST_A_DAY, share) / 24


def readings(seed: int, hours: int, visits: Callable[[random.Random], int]) -> Iterator[Reading]:
    """A year of one code, read every hour with a few seconds' jitter."""
    chance = random.Random(seed)
    choices = {name: [f"{name} {number}" for number in range(count)] for name, count in LABELS.items()}
    weights = {name: [1 / (number + 1) for number in range(count)] for name, count in LABELS.items()}
    counts: dict[str, dict[str, int]] = {name: {} for name in LABELS}
    clicks = unique = 0
    for hour in range(hours):
        new = visits(chance)
        clicks += new
        unique += sum(chance.random() < 0.7 for _ in range(new))
        for name, known in counts.items():
            for label in chance.choices(choices[name], weights[name], k=new):
                known[label] = known.get(label, 0) + 1
        at = BEGIN + timedelta(hours=hour, seconds=chance.randrange(5))
        yield Reading(at, clicks, unique, clicks, {name: dict(known) for name, known in counts.items()})


def poisson(chance: random.Random, mean: float) -> int:
    count, left = 0, chance.expovariate(1)
    while left < mean:
        count, left = count + 1, left + chance.expovariate(1)
    return count


def in_life(model: int) -> Callable[[random.Random], int]:
    return lambda chance: poisson(chance, visits_an_hour(model))


def worst(_model: int) -> Callable[[random.Random], int]:
    return lambda chance: 1 + (chance.random() < 0.5)


async def fill(path: Path, hours: int, kind: Callable[[int], Callable[[random.Random], int]]) -> float:
    """Record the model codes; return the milliseconds one reading took."""
    spent, recorded = 0.0, 0
    async with SqliteDatabase.open(path, HISTORY_SCHEMA) as database:
        history = History(database, "bench")
        for model in range(MODELS):
            for snapshot in readings(model, hours, kind(model)):
                start = time.perf_counter()
                await history.record(model, snapshot)
                spent, recorded = spent + time.perf_counter() - start, recorded + 1
    return spent / recorded * 1000


def copy_models(path: Path, codes: int) -> None:
    """Make `codes` codes out of the models; what is full lies in the order in which it became so."""
    connection = sqlite3.connect(path)
    connection.execute(
        "WITH RECURSIVE codes(id) AS (SELECT :first UNION ALL SELECT id + 1 FROM codes WHERE id + 1 < :last)"
        " INSERT INTO series (profile, code_id, first_at, last_at, newest, steps, scans)"
        " SELECT profile, codes.id, first_at, last_at, newest, steps, scans"
        " FROM codes JOIN series ON code_id = codes.id % :first",
        {"first": MODELS, "last": codes},
    )
    connection.execute(
        "CREATE TEMP TABLE copies AS SELECT copy.id AS series_id, segments.id AS segment_id"
        " FROM series AS copy JOIN series AS model ON model.code_id = copy.code_id % :first"
        " JOIN segments ON segments.series_id = model.id"
        " WHERE model.code_id < :first AND copy.code_id >= :first ORDER BY segments.last_at, copy.id",
        {"first": MODELS},
    )
    connection.execute(
        "INSERT INTO segments (series_id, first_at, last_at, newest, steps, scans)"
        " SELECT copies.series_id, first_at, last_at, newest, steps, scans"
        " FROM copies JOIN segments ON segments.id = copies.segment_id ORDER BY copies.rowid"
    )
    connection.commit()
    connection.close()


async def measure(path: Path, hours: int) -> None:
    """Print how long a newly opened file takes to answer what the screens ask."""
    end = BEGIN + timedelta(hours=hours)
    questions: dict[str, Callable[[History], Awaitable[object]]] = {
        "open, when last looked": lambda history: history.last_look(1),
        "the latest of all codes": lambda history: history.latest(),
        "a week of the busiest code": lambda history: history.readings(MODELS - 1, end - timedelta(days=7)),
        "all of the busiest code": lambda history: history.readings(MODELS - 1),
        "scans of all codes in a week": lambda history: history.scans(end - timedelta(days=7)),
    }
    for words, ask in questions.items():
        say(f"  {words:<32}{min([await answer(path, ask) for _ in range(TRIES)]) * 1000:7.0f} ms")


async def answer(path: Path, ask: Callable[[History], Awaitable[object]]) -> float:
    """Seconds from opening the file to the answer."""
    start = time.perf_counter()
    async with SqliteDatabase.open(path, HISTORY_SCHEMA) as database:
        await ask(History(database, "bench"))
        return time.perf_counter() - start


def say(line: str) -> None:
    sys.stdout.write(line + "\n")


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--codes", type=int, default=400)
    given = parser.parse_args()
    hours = given.days * 24
    say(f"{given.codes} codes, read every hour for {given.days} days")
    for words, kind in (("as in life", in_life), ("no reading like the last", worst)):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "history.db"
            cost = await fill(path, hours, kind)
            copy_models(path, given.codes)
            say(f"{words}: {path.stat().st_size / 1e6:.1f} MB, {cost:.2f} ms to record a reading")
            await measure(path, hours)


if __name__ == "__main__":
    asyncio.run(main())
