"""Two people of a team, each with the app on a machine of their own, at the same list."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from linkdash.demo.server import Running
from tests.conftest import RunApp
from tests.postgres import PostgresServer
from tests.screens.hand import Hand


@asynccontextmanager
async def two_desks(
    demo: Running, run_app: RunApp, postgresql: PostgresServer, place: str
) -> AsyncIterator[tuple[Hand, Hand]]:
    """Run the app twice on one team's store, as `desk` and as `laptop`."""
    url = postgresql.url(postgresql.new_database())
    async with (
        run_app(demo, team=url, machine="desk", place=place, size=(140, 40)) as desk,
        run_app(demo, team=url, machine="laptop", place=place, size=(140, 40)) as laptop,
    ):
        await desk.settled()
        await laptop.settled()
        yield Hand(desk), Hand(laptop)
