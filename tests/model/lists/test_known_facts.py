"""Facts of records beside their fields, counted in what is loaded or was kept."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from linkdash.api.client import Client
from linkdash.api.records import Record
from linkdash.demo.server import Running
from linkdash.model.declaration import declaration
from linkdash.model.lists.known_facts import known_facts
from linkdash.model.resources.campaigns import RESOURCE as CAMPAIGNS
from linkdash.model.resources.campaigns import link_assignment
from linkdash.model.resources.channels import ITEMS
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


async def fact(session: Session, resource: str, name: str, **members: int) -> object:
    told = declaration(resource)
    (column,) = [one for one in await known_facts(session, told) if one.name == name]
    record = told.record.read(members)
    assert isinstance(record, Record)
    assert column.rank is not None
    return column.rank(record)


async def load(session: Session, resource: str) -> None:
    collection = session.collection(resource)
    await collection.open()
    if (plan := collection.plan()) is not None:
        await collection.load_all(plan)


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
    assert [await fact(session, CAMPAIGNS.id, "assigned", id=campaign) for campaign in (3, 4, 5)] == [1, 1, 0]
    assert link_assignment(3, 12).is_kept, "no list shows it"


async def test_what_was_made_after_a_list_was_read_is_not_lost(session: Session, demo: Running) -> None:
    await load(session, "qr")
    await load(session, "plans")
    async with Client(demo.base_url, demo.api_key) as other:
        made = await other.qr.create(type="link", data="https://example.org/x")
        await other.channels.assign(1, "qr", made.id)
    await session.collection("channels").open()
    await session.collections.of(ITEMS, 1).open()
    assert await fact(session, "channels", "lost", id=1) == 0
    assert await fact(session, "users", "lost", id=1, planid=10**6) == 0


async def test_what_is_older_than_a_list_and_not_in_it_is_lost(session: Session, demo: Running) -> None:
    async with Client(demo.base_url, demo.api_key) as other:
        gone = await other.qr.create(type="link", data="https://example.org/x")
        await other.channels.assign(1, "qr", gone.id)
        await session.collection("channels").open()
        await session.collections.of(ITEMS, 1).open()
        await other.qr.create(type="link", data="https://example.org/y")
        await other.qr.delete(gone.id)
    await load(session, "qr")
    assert await fact(session, "channels", "lost", id=1) == 1
