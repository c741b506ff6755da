"""Options of a call: retries, deadlines, lanes, the moment of leaving; hooks and the log."""

import asyncio
import logging
from datetime import UTC, datetime, timedelta, timezone

import pytest

from linkdash.api import (
    AnswerLost,
    Client,
    Closed,
    Hooks,
    InvalidBody,
    Lane,
    NotAnAnswer,
    NotSent,
    Observed,
    Options,
    OutcomeUnknown,
    ReadOnly,
    Request,
    ServiceError,
    TimedOut,
    WrongLoop,
)
from linkdash.api.http import retries as connections
from linkdash.api.resources.pixels import PixelUpdate
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from tests.api.conftest import KEY
from tests.api.raw_service import RawService, Received
from tests.waiting import wait_until

ACCOUNT = {"error": 0, "data": {"id": 1, "username": "ann"}}
FAST = Options(deadline=5)


@pytest.fixture(autouse=True)
def hardly_any_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask for reads again almost at once."""
    monkeypatch.setattr(connections, "_FIRST_PAUSE", 0.001)


def passing(odd: RawService, status: int) -> None:
    """The next answer is a failure in passing; 0 is a connection that breaks."""
    if status:
        odd.answer({"error": 1, "message": "Later."}, status, {"Retry-After": "0", "X-RateLimit-Limit": "30"})
    else:
        odd.answer_raw(b"")


# ---- retries ----


@pytest.mark.parametrize("status", [0, 429, 502, 503, 504])
async def test_a_read_that_failed_in_passing_is_asked_again(odd: RawService, status: int) -> None:
    passing(odd, status)
    odd.answer(ACCOUNT)
    async with Client(odd.base_url, KEY) as client:
        assert (await client.account.get(options=FAST)).username == "ann"
    assert len(odd.requests) == 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 408, 500, 501])
async def test_what_was_refused_or_broken_for_good_is_not_asked_again(odd: RawService, status: int) -> None:
    passing(odd, status)
    async with Client(odd.base_url, KEY) as client:
        with pytest.raises(ServiceError) as raised:
            await client.account.get()
    assert raised.value.status == status
    assert len(odd.requests) == 1


async def test_retries_are_counted_and_can_be_turned_off(odd: RawService) -> None:
    passing(odd, 503)
    async with Client(odd.base_url, KEY) as client:
        for options, count in ((Options(), 3), (Options(retries=0), 1), (Options(retries=4), 5)):
            odd.requests.clear()
            with pytest.raises(NotAnAnswer):
                await client.account.get(options=options)
            assert len(odd.requests) == count
    odd.requests.clear()
    async with Client(odd.base_url, KEY, retries=0) as client:
        with pytest.raises(NotAnAnswer):
            await client.account.get()
    assert len(odd.requests) == 1


@pytest.mark.parametrize("status", [0, 429, 502, 503, 504])
async def test_a_write_is_sent_once_whatever_comes_back(odd: RawService, status: int) -> None:
    passing(odd, status)
    async with Client(odd.base_url, KEY, retries=5) as client:
        with pytest.raises(ServiceError):
            await client.domains.delete(1, options=Options(retries=5))
    assert len(odd.requests) == 1


async def test_every_attempt_waits_for_a_turn_of_its_own(odd: RawService) -> None:
    passing(odd, 503)
    passing(odd, 0)
    odd.answer(ACCOUNT)
    async with Client(odd.base_url, KEY) as client:
        await client.account.get()
        entries = client.gate.ledger.entries(client.gate.now())
    assert [entry.label for entry in entries] == ["GET /api/account"] * 3


# ---- deadlines ----


async def silent(_writer: asyncio.StreamWriter, _received: Received) -> None:
    """Never answers."""
    await asyncio.get_running_loop().create_future()


async def test_a_deadline_ends_a_read_under_way(odd: RawService) -> None:
    odd.behave(silent)
    async with Client(odd.base_url, KEY) as client:
        with pytest.raises(TimedOut, match=r"0\.2 s"):
            await client.account.get(options=Options(deadline=0.2))
        await wait_until(lambda: client.budget.in_flight == 0)


async def test_a_deadline_leaves_a_write_under_way_unknown(odd: RawService) -> None:
    odd.behave(silent)
    async with Client(odd.base_url, KEY) as client:
        with pytest.raises(OutcomeUnknown):
            await client.domains.delete(1, options=Options(deadline=0.2))
    assert len(odd.requests) == 1


async def test_a_deadline_in_the_queue_sends_nothing(odd: RawService) -> None:
    odd.behave(silent)
    async with Client(odd.base_url, KEY) as client:
        first = asyncio.ensure_future(client.account.get())  # finds out what is left: all others wait for it
        await wait_until(lambda: odd.requests)
        with pytest.raises(NotSent, match="queue"):
            await client.domains.delete(1, options=Options(deadline=0.05))
        with pytest.raises(TimedOut):
            await client.domains.list(options=Options(deadline=0.05))
        await wait_until(lambda: not client.budget.queued)
        first.cancel()
    assert len(odd.requests) == 1


async def test_a_deadline_bounds_retries(odd: RawService) -> None:
    passing(odd, 503)
    async with Client(odd.base_url, KEY) as client:
        with pytest.raises(TimedOut):
            await client.account.get(options=Options(deadline=0.3, retries=10**9))


# ---- leaving ----


async def test_what_is_to_be_done_before_a_request_leaves_is_done_in_its_turn(odd: RawService) -> None:
    odd.answer(ACCOUNT)
    seen: list[tuple[str, int, int]] = []

    async def note(request: Request) -> None:
        seen.append((str(request), client.budget.in_flight, len(odd.requests)))

    async with Client(odd.base_url, KEY) as client:
        await client.connection.send(Request("DELETE", "/api/domain/3/delete"), at_turn=note)
        await client.connection.send(Request("GET", "/api/account"), at_turn=note)
    assert seen == [("DELETE /api/domain/3/delete", 1, 0), ("GET /api/account", 1, 1)]


async def test_where_that_fails_nothing_leaves(odd: RawService) -> None:
    async def refuse(_request: Request) -> None:
        raise NotSent("Not today.")

    async with Client(odd.base_url, KEY) as client:
        with pytest.raises(NotSent, match="today"):
            await client.connection.send(Request("DELETE", "/api/domain/3/delete"), at_turn=refuse)
        assert (odd.requests, client.budget.in_flight) == ([], 0)


async def test_a_lane_can_be_named(odd: RawService) -> None:
    odd.answer(ACCOUNT)
    async with Client(odd.base_url, KEY) as client:
        await client.account.get(options=Options(lane=Lane.BACKGROUND))
        await client.account.update(email="a@b.example")
        assert [entry.lane for entry in client.gate.ledger.entries(client.gate.now())] == [
            Lane.BACKGROUND,
            Lane.WRITE,
        ]


# ---- reading only, closing, event loops ----


async def test_a_read_only_client_sends_no_write_whoever_calls(odd: RawService) -> None:
    odd.answer(ACCOUNT)
    async with Client(odd.base_url, KEY, read_only=True) as client:
        with pytest.raises(ReadOnly):
            await client.domains.delete(1)
        with pytest.raises(ReadOnly):
            await client.connection.send(Request("POST", "/api/pixel/add", body={}))
        await client.account.get()
        assert [entry.label for entry in client.gate.ledger.entries(client.gate.now())] == [
            "GET /api/account"
        ]
    assert [request.method for request in odd.requests] == ["GET"]


async def test_closing_leaves_a_write_under_way_unknown(odd: RawService) -> None:
    odd.behave(silent)
    client = Client(odd.base_url, KEY)
    write = asyncio.ensure_future(client.domains.delete(1))
    await wait_until(lambda: odd.requests)
    async with asyncio.timeout(2):
        await client.close()
    with pytest.raises(OutcomeUnknown):
        await write
    with pytest.raises(Closed):
        await client.account.get()


def test_a_second_event_loop_is_told_in_one_sentence(odd_free_client: Client) -> None:
    async def ask() -> None:
        await odd_free_client.account.get(options=Options(deadline=5))

    with pytest.raises(NotSent):
        asyncio.run(ask())
    with pytest.raises(
        WrongLoop, match=r"^A client works in one event loop only\. Create a new client for each\.$"
    ):
        asyncio.run(ask())


@pytest.fixture
def odd_free_client() -> Client:
    """A client of an address at which connection refused."""
    return Client("http://127.0.0.1:9", KEY)


# ---- bodies ----


async def test_a_body_that_was_made_before_is_used_as_it_is(odd: RawService, odd_client: Client) -> None:
    body = PixelUpdate.model_construct(tag="")  # no check would let it through
    odd.answer({"error": 0, "message": "Done."})
    assert (await odd_client.pixels.update(1, body)).message == "Done."
    assert odd.requests[0].members == {"tag": ""}


async def test_a_zone_is_converted_where_the_services_own_is_known_and_refused_elsewhere(
    odd: RawService,
) -> None:
    odd.answer({"error": 0, "message": "Done."})
    zone = timezone(timedelta(hours=2))
    moment = datetime(2030, 1, 2, 3, 4, 5, tzinfo=timezone(timedelta(hours=5)))
    async with Client(odd.base_url, KEY, timezone=zone) as client:
        for given in (moment, moment.astimezone(UTC), "2030-01-02T03:04:05+05:00", "2030-01-02 00:04:05"):
            await client.plans.subscribe(1, 2, type="yearly", expiration=given)
    assert [request.members for request in odd.requests] == [
        {"type": "yearly", "expiration": "2030-01-02 00:04:05"}
    ] * 4
    async with Client(odd.base_url, KEY) as client:
        with pytest.raises(InvalidBody, match="expiration: leave out the time zone"):
            await client.plans.subscribe(1, 2, type="yearly", expiration=moment)


# ---- what comes back ----


async def test_documented_members_reach_the_caller(odd: RawService, odd_client: Client) -> None:
    odd.answer({"error": 0, "id": "8", "link": "https://lnk.example/qr/8"})
    code = await odd_client.qr.create(type="text", data="x")
    assert (code.id, code.link) == (8, "https://lnk.example/qr/8")
    odd.answers.clear()
    odd.answer({"error": 0, "id": 3, "name": "News", "description": "d", "color": "#FF0000", "starred": "1"})
    channel = await odd_client.channels.create(name="News")
    assert (channel.id, channel.name, channel.description) == (3, "News", "d")
    assert (channel.color, channel.starred) == ("#FF0000", True)
    odd.answers.clear()
    odd.answer(
        {"error": 0, "domain": "Spring", "public": 1, "rotator": False, "list": "https://lnk.example/l"}
    )
    saved = await odd_client.campaigns.update(5, name="Spring")
    assert (saved.id, saved.name, saved.public, saved.rotator) == (5, "Spring", True, "")
    assert (saved.links, saved.raw["domain"]) == ("https://lnk.example/l", "Spring")


async def test_an_answer_can_be_had_with_its_status_and_headers(odd: RawService, odd_client: Client) -> None:
    odd.answer({"error": 0, "data": {"id": 1, "uniqueClicks": 3}}, 201, {"X-Served-By": "web-3"})
    for found in (
        await odd_client.account.get(),
        await odd_client.domains.list(),
        await odd_client.domains.delete(1),
        await odd_client.qr.get(1),
    ):
        answer = found.answer
        assert answer is not None
        assert (answer.status, answer.headers["x-served-by"]) == (201, "web-3")
        assert answer.members["error"] == 0
        assert "web-3" not in repr(found)
    reading = await odd_client.qr.get(1)
    assert reading.statistics is not None
    assert reading.statistics.raw["uniqueClicks"] == 3


async def test_a_list_is_awaited_or_iterated(client: Client, embedded: Running) -> None:
    page = await client.qr.list(page=3, limit=50)
    assert (page.currentpage, len(page)) == (3, 50)
    ids = [code.id async for code in client.qr.list(page=7, limit=50)]
    assert len(ids) == 100
    assert [len(page) async for page in client.qr.list(limit=100).pages()] == [100] * 4
    assert len([user.id async for user in client.users.list(filter="admin")]) == len(
        (await client.users.list(filter="admin")).items
    )
    before = len(embedded.service.log)
    async for _ in client.qr.iter():
        break
    assert len(embedded.service.log) == before + 1


# ---- what is told ----


async def test_hooks_and_the_log_are_told_of_every_request_without_secrets(
    odd: RawService, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "linkdash.api")
    sent: list[tuple[str, object]] = []
    ended: list[Observed] = []
    odd.answer({"error": 0, "message": "Done."}, headers={"Set-Cookie": "session=abc", "X-Api-Key": KEY})
    odd.answer_raw(b"")
    hooks = Hooks(request=lambda line, body: sent.append((line, body)), answer=ended.append)
    async with Client(odd.base_url, KEY, hooks=hooks, retries=0) as client:
        await client.account.update(password="hunter-22")
        with pytest.raises(AnswerLost):
            await client.account.get()
    assert [line for line, _ in sent] == ["PUT /api/account/update", "GET /api/account"]
    assert [(each.request, each.status, each.error) for each in ended] == [
        ("PUT /api/account/update", 200, None),
        ("GET /api/account", None, "AnswerLost"),
    ]
    assert all(each.seconds >= 0 for each in ended)
    told = f"{sent} {ended} {caplog.text}"
    assert "PUT /api/account/update" in caplog.text
    assert not [secret for secret in ("hunter-22", KEY, "session=abc") if secret in told]


async def test_a_hook_that_fails_changes_nothing(odd: RawService, caplog: pytest.LogCaptureFixture) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    odd.answer(ACCOUNT)
    async with Client(odd.base_url, KEY, hooks=Hooks(request=fail, answer=fail)) as client:
        assert (await client.account.get()).username == "ann"
    assert [record.levelname for record in caplog.records if record.name == "linkdash.api"] == ["ERROR"] * 2


# ---- cookies and sharing ----


async def test_no_cookie_is_kept_or_stops_what_comes_after(odd: RawService) -> None:
    odd.answer_raw(
        b"HTTP/1.1 200 OK\r\nSet-Cookie: lang=fran\xc3\xa7ais\r\nSet-Cookie: a=b; Path=/\r\n"
        b'Connection: close\r\nContent-Length: 21\r\n\r\n{"error":0,"data":[]}'
    )
    async with Client(odd.base_url, KEY) as client:
        for _ in range(3):
            await client.domains.list()
    assert [request.headers.get("cookie") for request in odd.requests] == [None] * 3


async def test_programs_on_one_key_share_their_budget_by_one_argument(embedded: Running) -> None:
    async with Client(embedded.base_url, embedded.api_key, share=True) as first:
        await first.account.get()
        spent = first.budget.remaining
        async with Client(embedded.base_url, embedded.api_key, share=True) as second:
            before = second.budget.remaining
            await second.account.get()
            after = second.budget.remaining
            assert (first.gate.sharing, second.gate.sharing) == (None, None)
    assert before is None
    assert spent is not None
    assert after == spent - 1
    async with Client(embedded.base_url, embedded.api_key) as alone:
        assert alone.gate.sharing is not None


async def test_a_fault_of_the_service_in_passing_is_not_seen(client: Client, embedded: Running) -> None:
    embedded.service.faults.next("GET", "/api/qr", Fault(status=503, handled=False))
    assert len([code async for code in client.qr.iter()]) == 400
