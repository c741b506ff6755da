"""The state that a demo with a data file keeps beside it: drafts, views, watched codes, the journal."""

import asyncio
from contextlib import suppress
from pathlib import Path

from linkdash.demo import DemoError
from linkdash.store.database import DatabaseConnection, StoreUnavailable
from linkdash.store.files import private_folder
from linkdash.store.schemas import STATE_SCHEMA, STATE_TABLES
from linkdash.store.sqlite import SqliteDatabase

_OF_ONE_RUN = ("history.db*", "budget-*.json", "spending-*.jsonl")
"""What every run makes anew."""


def state_beside(data_file: Path, profile: str) -> Path:
    """Return the folder of the state kept beside a data file, handed over to the profile of this run.

    The service has a port of its own in every run, and so another profile. Raises DemoError.
    """
    try:
        folder = private_folder(data_file.with_name(f"{data_file.name}.state"))
        for pattern in _OF_ONE_RUN:
            for file in folder.glob(pattern):
                file.unlink()
    except OSError as error:
        raise DemoError(f"What is saved beside {data_file} cannot be kept: {error}.") from error
    with suppress(StoreUnavailable):  # the dashboard says that itself
        asyncio.run(_hand_over(folder / "state.db", profile))
    return folder


async def _hand_over(path: Path, profile: str) -> None:
    def rename(connection: DatabaseConnection) -> None:
        for table in STATE_TABLES:
            connection.execute(f"UPDATE {table} SET profile = ?", (profile,))

    async with SqliteDatabase.open(path, STATE_SCHEMA) as database:
        await database.run(rename)
