"""The dashboard on a team's store: while it is away, and beside other people."""

from collections.abc import Iterator

import pytest

from linkdash.demo.server import Running
from linkdash.model import context as context_module
from linkdash.store import postgresql as postgresql_module
from tests.conftest import RunApp
from tests.postgres import PostgresServer
from tests.screens.hand import Hand
from tests.waiting import wait_until


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """A server of these tests' own: they end it."""
    server = PostgresServer()
    yield server
    server.remove()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server is looked for at once when it is away."""
    monkeypatch.setattr(postgresql_module, "_PAUSE", 0.0)
    monkeypatch.setattr(context_module, "_HAND_IN_EVERY", 0.05)


async def test_a_store_that_is_away_is_told_and_works_on_and_is_told_no_more_when_it_is_back(
    demo: Running, run_app: RunApp, server: PostgresServer
) -> None:
    server.kill()
    async with run_app(demo, team=server.url(), place="pixels", size=(140, 40)) as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.see("Team store away: it cannot be reached, 0 kept here")
        await hand.press("d")
        await hand.see("Delete")
        await hand.press("y")
        await hand.see("Done")
        await hand.see("Team store away: it cannot be reached, 2 kept here")
        await hand.press("w")
        await hand.see("1 change")
        server.start()
        await wait_until(lambda: "Team store away" not in driver.text, lambda: driver.text)
        await hand.press("r")
        await hand.see("1 change")
        team = driver.app.session.store.team
        assert team is not None
        assert await team.waiting() == 0
