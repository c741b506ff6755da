"""Facts of records beside their fields, counted in what is loaded or was kept."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from linkdash.api.records import Record
from linkdash.demo.server import Running
from linkdash.model.declaration import declaration
from linkdash.model.lists.known_facts import known_facts
from linkdash.model.resources.campaigns import RESOURCE as CAMPAIGNS
from linkdash.model.resources.campaigns import link_assignment
from linkdash.model.session import Session
from linkdash.model.settings import Settings
from linkdash.store.journal_entry import Outcome
from linkdash.store.store import Store


@pytest.fixture
async def session(demo: Running, tmp_path: Path) -> AsyncIterator[Session]:
    settings = Settings("tests", demo.base_url, SecretStr(demo.api_key))
    opened = Session(settings, Store(tmp_path / "state", tmp_path / "cache", "tests"))
    yield opened
    await opened.close()


async def fact(session: Session, resource: str, name: str, id: int) -> object:
    told = declaration(resource)
    (column,) = [one for one in await known_facts(session, told) if one.name == name]
    record = told.record.read({"id": id})
    assert isinstance(record, Record)
    assert column.rank is not None
    return column.rank(record)


async def test_a_campaign_has_the_links_that_may_have_come_into_it_each_once(session: Session) -> None:
    journal = session.store.journal
    for campaign, link, outcome in (
        (3, 12, Outcome.DONE),
        (3, 12, Outcome.DONE),
        (4, 12, Outcome.UNKNOWN),
        (5, 12, Outcome.REJECTED),
    ):
        opened = await journal.open_entry(link_assignment(campaign, link), "POST", "/")
        await journal.close_entry(opened, outcome)
    assert [await fact(session, CAMPAIGNS.id, "assigned", campaign) for campaign in (3, 4, 5)] == [1, 1, 0]
    assert link_assignment(3, 12).is_kept, "no list shows it"
