"""Every endpoint of the reference, asked for by the client and answered by the embedded service."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime

import pytest

from linkdash.api import Client
from linkdash.api.endpoints import Created, Done
from linkdash.api.errors import InvalidBody, Misconfigured
from linkdash.api.paging import Page
from linkdash.api.resources.account import Account
from linkdash.api.resources.campaigns import Campaign, CampaignSaved
from linkdash.api.resources.channels import Channel, ChannelCreated, ChannelItem
from linkdash.api.resources.domains import Domain
from linkdash.api.resources.overlays import Overlay
from linkdash.api.resources.pixels import Pixel
from linkdash.api.resources.plans import FEATURES, Plan
from linkdash.api.resources.qr import QrCode, QrCreated, QrReading
from linkdash.api.resources.splash import SplashPage
from linkdash.api.resources.users import User, UserCreated
from linkdash.demo.server import Running
from tests.service.contract import VALID

Call = Callable[[Client], Awaitable[object]]

CALLS: tuple[tuple[Call, type], ...] = (
    (lambda c: c.account.get(), Account),
    (lambda c: c.account.update(email="me@example.org"), Done),
    (lambda c: c.domains.list(page=1, limit=5), Page),
    (lambda c: c.domains.create(domain="https://go.example.org"), Created),
    (lambda c: c.domains.update(3, redirect404=""), Done),
    (lambda c: c.domains.delete(3), Done),
    (lambda c: c.overlays.list(), Page),
    (lambda c: c.campaigns.list(), Page),
    (lambda c: c.campaigns.create(name="Spring", slug="spring"), CampaignSaved),
    (lambda c: c.campaigns.assign(4, 9), Done),
    (lambda c: c.campaigns.update(4, name="Autumn"), CampaignSaved),
    (lambda c: c.campaigns.delete(4), Done),
    (lambda c: c.channels.list(), Page),
    (lambda c: c.channels.items(4), Page),
    (lambda c: c.channels.create(name="News", color="#abc"), ChannelCreated),
    (lambda c: c.channels.assign(4, "qr", 7), Done),
    (lambda c: c.channels.update(4, starred=True), Done),
    (lambda c: c.channels.delete(4), Done),
    (lambda c: c.splash.list(), Page),
    (lambda c: c.pixels.list(), Page),
    (lambda c: c.pixels.create(type="bing", name="B", tag="T-1"), Created),
    (lambda c: c.pixels.update(5, tag="T-2"), Done),
    (lambda c: c.pixels.delete(5), Done),
    (lambda c: c.qr.list(), Page),
    (lambda c: c.qr.get(6), QrReading),
    (lambda c: c.qr.create(type="text", data="hello"), QrCreated),
    (lambda c: c.qr.update(6, data="https://example.org"), Done),
    (lambda c: c.qr.delete(6), Done),
    (lambda c: c.plans.list(), Page),
    (lambda c: c.plans.subscribe(3, 9, type="yearly"), Done),
    (lambda c: c.users.list(filter="admin"), Page),
    (lambda c: c.users.get(9), User),
    (lambda c: c.users.create(username="ann", email="ann@example.org", password="secret"), UserCreated),
    (lambda c: c.users.delete(9), Done),
)
"""A call for each line of the contract's table, in its order."""


async def test_every_endpoint_of_the_reference_is_asked_as_documented(
    client: Client, embedded: Running
) -> None:
    for endpoint, (call, kind) in zip(VALID, CALLS, strict=True):
        before = len(embedded.service.log)
        assert isinstance(await call(client), kind), endpoint
        (entry,) = list(embedded.service.log)[before:]
        assert (entry.method, entry.path, entry.status) == (endpoint.method, endpoint.path, 200)
        assert (entry.content_type, entry.key_class) == ("application/json", "admin")


@pytest.mark.parametrize(
    ("name", "model", "count"),
    [
        ("domains", Domain, 12),
        ("overlays", Overlay, 18),
        ("splash", SplashPage, 14),
        ("campaigns", Campaign, 45),
        ("channels", Channel, 30),
        ("pixels", Pixel, 130),
        ("qr", QrCode, 400),
    ],
)
async def test_paged_lists_give_records_and_numbers(
    client: Client, embedded: Running, name: str, model: type, count: int
) -> None:
    resource = getattr(client, name)
    page = await resource.list(page=2, limit=7)
    assert (page.result, page.perpage, page.currentpage) == (count, 7, 2)
    assert (page.nextpage, page.maxpage) == (min(3, page.maxpage), -(-count // 7))
    assert len(page.rows) == len(page.items) == min(7, count - 7)
    assert all(type(record) is model for record in page)
    ids = [record.id async for record in resource.iter(limit=100)]
    assert len(ids) == len(set(ids)) == count
    asked = [entry.query for entry in embedded.service.log][1:]
    assert asked == [f"limit=100&page={number}" for number in range(1, -(-count // 100) + 1)]


async def test_a_list_without_numbers_asks_without_them(client: Client, embedded: Running) -> None:
    await client.domains.list()
    assert [entry.query for entry in embedded.service.log] == [""]


async def test_iter_items_gives_every_item_of_a_channel(client: Client) -> None:
    first = await client.channels.items(1, limit=1)
    items = [item async for item in client.channels.iter_items(1, limit=10)]
    assert all(isinstance(item, ChannelItem) for item in items)
    assert len({item.key for item in items}) == len(items) == first.result


async def test_what_is_created_can_be_read_changed_and_deleted(client: Client) -> None:
    made = await client.domains.create(domain="https://go.example.org", redirectroot="https://example.org")
    await client.domains.update(made.id, redirect404="https://example.org/404")
    (domain,) = [record async for record in client.domains.iter() if record.id == made.id]
    assert domain.domain == "https://go.example.org"
    assert (domain.redirectroot, domain.redirect404) == ("https://example.org", "https://example.org/404")
    await client.domains.update(made.id, redirectroot="")
    (domain,) = [record async for record in client.domains.iter() if record.id == made.id]
    assert (domain.redirectroot, domain.redirect404) == ("", "https://example.org/404")
    await client.domains.delete(made.id)
    assert made.id not in [record.id async for record in client.domains.iter()]


async def test_a_campaign_is_answered_whole(client: Client) -> None:
    made = await client.campaigns.create(name="Spring", slug="spring-1", public=True)
    assert (made.name, made.public, made.rotator) == ("Spring", True, "https://lnk.example/r/spring-1")
    assert made.links.startswith("https://lnk.example/list/")
    changed = await client.campaigns.update(made.id, name="Summer", slug="")
    assert (changed.id, changed.name, changed.rotator) == (made.id, "Summer", "")
    assert not changed.model_extra


async def test_a_qr_code_has_its_statistics(client: Client) -> None:
    reading = await client.qr.get(10)
    assert isinstance(reading.code, QrCode)
    statistics = reading.statistics
    assert statistics is not None
    assert statistics.clicks
    assert statistics.unique_clicks
    assert set(statistics.social) == {"facebook", "twitter", "instagram"}
    assert all(isinstance(count, int) for count in statistics.countries.values())


async def test_a_qr_code_without_statistics_says_so(client: Client) -> None:
    assert (await client.qr.get(7)).statistics is None


async def test_plans_read_as_plans(client: Client) -> None:
    plans = (await client.plans.list()).items
    assert all(isinstance(plan, Plan) for plan in plans)
    assert [plan.free for plan in plans] == [True, False, False, False]
    assert plans[0].prices is None
    assert plans[1].prices is not None
    assert plans[1].prices.monthly
    limits = plans[1].limits
    assert limits is not None
    assert set(limits.features) == set(FEATURES)
    assert limits.features["team"].count is not None
    assert limits.features["api"].count is None


async def test_a_new_user_is_told_and_found(client: Client) -> None:
    made = await client.users.create(
        username="ann", email="ann@example.org", password="secret", planid=2, expiration="2030-01-31 10:00:00"
    )
    assert (made.username, made.email) == ("ann", "ann@example.org")
    found = await client.users.get(made.id)
    assert (found.username, found.planid, found.expires) == ("ann", 2, datetime(2030, 1, 31, 10))
    await client.plans.subscribe(3, made.id, type="monthly", expiration=datetime(2031, 1, 1))
    found = await client.users.get(made.id)
    assert (found.planid, found.expires) == (3, datetime(2031, 1, 1))


async def test_the_class_filter_is_passed_on(client: Client, embedded: Running) -> None:
    everyone = await client.users.list()
    admins = await client.users.list(filter="admin")
    assert 0 < len(admins) < len(everyone) == 1200
    assert [entry.query for entry in embedded.service.log] == ["", "filter=admin"]


async def test_the_budget_is_what_the_service_said(client: Client, embedded: Running) -> None:
    assert client.budget.known is False
    await client.account.get()
    assert client.budget.limit == embedded.service.settings.rate
    assert client.budget.remaining == embedded.service.settings.rate - 1


async def test_list_calls_can_be_made_tasks_of(client: Client, embedded: Running) -> None:
    async with asyncio.TaskGroup() as group:
        domains = group.create_task(client.domains.list(limit=2))
        pixels = group.create_task(client.pixels.list(limit=3))
    assert (len(domains.result().rows), len(pixels.result().rows)) == (2, 3)


async def test_a_task_of_a_list_call_can_be_cancelled(client: Client, embedded: Running) -> None:
    task = asyncio.create_task(client.qr.list())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert client.budget.in_flight == 0


async def test_an_update_of_nothing_is_not_sent(client: Client, embedded: Running) -> None:
    with pytest.raises(InvalidBody):
        await client.domains.update(3)
    assert not [entry for entry in embedded.service.log if entry.method == "PUT"]


@pytest.mark.parametrize(("address", "key"), [(None, "a-key"), ("https://links.example.org", None)])
def test_a_client_of_no_address_or_no_key_says_which(address: str, key: str) -> None:
    with pytest.raises(Misconfigured):
        Client(address, key)


@pytest.mark.parametrize("given", [None, "", 3, b"https://x.example"])
def test_what_is_no_address_or_no_key_is_an_error_of_its_own(given: str) -> None:
    with pytest.raises(Misconfigured):
        Client(given, "key")
    with pytest.raises(Misconfigured):
        Client("https://links.example.org", given)
