"""The dashboard on a team's store: while it is away, and beside other people."""

from datetime import UTC, datetime

import pytest

from linkdash.demo.server import Running
from linkdash.model import session_services as context_module
from linkdash.screens.writes import bulk_job as job_module
from linkdash.store import postgresql as postgresql_module
from linkdash.store.jobs import Jobs
from linkdash.store.journal import Journal
from linkdash.store.journal_entry import Author, Outcome, WriteIntent
from tests.conftest import RunApp
from tests.postgres import PostgresServer
from tests.screens.driver import Driver
from tests.screens.hand import Hand
from tests.waiting import wait_until

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server is looked for at once when it is away."""
    monkeypatch.setattr(postgresql_module, "_PAUSE", 0.0)
    monkeypatch.setattr(context_module, "_HAND_IN_EVERY", 0.05)
    monkeypatch.setattr(job_module, "_LOOK_EVERY", 0.05)


@pytest.mark.nightly
async def test_a_store_that_is_away_is_told_and_works_on_and_is_told_no_more_when_it_is_back(
    demo: Running, run_app: RunApp, postgresql: PostgresServer
) -> None:
    postgresql.kill()
    async with run_app(demo, team=postgresql.url(), place="pixels", size=(140, 40)) as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.see("Team store away: it cannot be reached, 0 kept here")
        await hand.press("d")
        await hand.see("Delete")
        await hand.press("y")
        await hand.see("Team store away: it cannot be reached, 1 kept here")
        await wait_until(lambda: any(told.startswith("Done") for told in driver.toasts))
        await hand.press("u")
        await wait_until(lambda: "it cannot be reached" in driver.toasts[-1], lambda: repr(driver.toasts))
        await hand.press("w")
        await hand.see("1 change to be handed in")
        await hand.see("not handed in yet")
        for key in ("u", "f"):
            await hand.press(key)
            assert driver.toasts[-1] == "It is handed in first.", key
        postgresql.start()
        await wait_until(lambda: "Team store away" not in driver.text, lambda: driver.text)
        await hand.press("r")
        await wait_until(lambda: "handed in" not in driver.text, lambda: driver.text)
        await hand.see("1 change")
        team = driver.app.session.store.team
        assert team is not None
        assert await team.waiting() == 0


async def test_the_journal_shows_whose_changes_a_person_wants(
    demo: Running, run_app: RunApp, postgresql: PostgresServer
) -> None:
    url = postgresql.url(postgresql.new_database())
    intent = WriteIntent("pixels", "delete", (7,), {})
    async with run_app(demo, team=url, machine="desk", place="pixels", size=(140, 40)) as desk:
        await desk.settled()
        for host in ("desk", "laptop", "laptop"):
            other = Journal(journal_of(desk)._database, "tests", author=Author("ada", host))
            await other.close_entry(
                await other.open_entry(intent, "DELETE", "/api/pixel/7/delete"), Outcome.DONE
            )
        hand = Hand(desk)
        await hand.press("w")
        await hand.see("3 changes")
        await hand.see("ada@laptop")
        await hand.press("p")
        await hand.see("Changes by")
        await hand.press("down", "down", "down", "enter")
        await hand.see("2 changes on laptop")


async def test_a_job_that_runs_elsewhere_is_shown_and_taken_over_when_that_machine_is_gone(
    demo: Running, run_app: RunApp, postgresql: PostgresServer
) -> None:
    database = postgresql.new_database()
    deletions = [WriteIntent("pixels", "delete", (id,), {}) for id in (1, 2)]
    async with run_app(
        demo, team=postgresql.url(database), machine="desk", place="pixels", size=(140, 40)
    ) as desk:
        await desk.settled()
        elsewhere = Jobs(journal_of(desk)._database, "tests", Author("ada", "laptop"))
        job = await elsewhere.create("Delete 2 pixels", deletions, NOON)
        assert await elsewhere.hold(job.id)
        hand = Hand(desk)
        await hand.press("B")
        await hand.see("ada@laptop is running it")
        await hand.press("p")
        assert "it can be taken over once that one is gone" in desk.toasts[-1]
        with postgresql.connect(database) as session:
            session.execute("UPDATE linkdash.jobs SET runner_seen = 0")
        await hand.see("p resumes it")
        await hand.press("p")
        await hand.see("2 done")
        assert sum("DELETE" in line for line in desk.asked) == 2


def journal_of(driver: Driver) -> Journal:
    return driver.app.session.store.journal
