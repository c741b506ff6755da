"""The key is shown nowhere: in no repr, log, message or traceback, whatever happens."""

import html
import logging
import pickle
from collections.abc import Awaitable, Callable

import pytest
from rich.traceback import Traceback

from linkdash.api import Client
from linkdash.api.errors import LinkdashError, Misconfigured, NotAnAnswer, Rejected, ServiceError
from linkdash.api.http.connection import Connection
from tests.api.conftest import KEY
from tests.api.raw_service import RawService, http_answer

ECHO = f"The key <b>{KEY}</b> is wrong."


def with_locals(error: BaseException) -> str:
    """Return what a crash would print of an error, locals and all, but for those of the test."""
    assert error.__traceback__ is not None
    trace = Traceback.extract(
        type(error),
        error,
        error.__traceback__.tb_next,
        show_locals=True,
        locals_max_length=10_000,
        locals_max_string=10_000,
    )
    lines = [f"{stack.exc_type}: {stack.exc_value}" for stack in trace.stacks]
    for frame in (frame for stack in trace.stacks for frame in stack.frames):
        lines += [f"{name} = {node.render()}" for name, node in (frame.locals or {}).items()]
    return "\n".join(lines)


async def test_no_repr_has_the_key(odd: RawService, odd_client: Client) -> None:
    connection = odd_client.connection
    parts = [odd_client, connection, odd_client.gate, odd_client.domains, *vars(connection).values()]
    assert all(KEY not in f"{part!r} {part!s}" for part in parts)


@pytest.mark.parametrize(
    "answer",
    [
        http_answer(f'{{"error":1,"message":"{ECHO}"}}'.encode()),
        http_answer(f'{{"error":"{KEY}"}}'.encode()),
        http_answer(f'{{"error":1,"message":"{"x" * 490} {KEY}"}}'.encode()),
        http_answer(f'{{"error":1,"message":["{KEY}"]}}'.encode(), 401),
        http_answer(f'{{"error":1,"msg":"{KEY}"}}'.encode(), 502),
        http_answer(b"", 302, {"Location": f"/login?key={KEY}"}),
        http_answer(b"", 302, {"Location": f"/{'x' * 195}{KEY}"}),
        http_answer(f"<html>{KEY}</html>".encode(), 500),
        f"HTTP/1.1 200 {KEY}\r\nBroken {KEY}\r\n\r\n".encode(),
        f"HTTP/1.1 200 OK\r\nContent-Length: {KEY}\r\n\r\n".encode(),
        b"",
    ],
)
async def test_no_error_repeats_the_key(answer: bytes, odd: RawService, odd_client: Client) -> None:
    odd.answer_raw(answer)
    for call in (odd_client.users.list, lambda: odd_client.domains.delete(1)):
        with pytest.raises(LinkdashError) as raised:
            await call()
        assert KEY[:8] not in f"{raised.value} {raised.value!r} {raised.value.args}"
    assert KEY not in with_locals(raised.value)


async def test_a_success_does_not_repeat_the_key(odd: RawService, odd_client: Client) -> None:
    odd.answer({"error": 0, "message": ECHO})
    done = await odd_client.domains.delete(1)
    assert done.message == "The key •••••••• is wrong."


PASSWORD = 'Zx/9"<b>pä&ß'


@pytest.mark.parametrize("text", [PASSWORD, html.escape(PASSWORD)])
@pytest.mark.parametrize(("error", "status"), [(0, 200), (1, 400), (1, 500)])
async def test_the_password_that_was_sent_is_not_repeated(
    text: str, error: int, status: int, odd: RawService, odd_client: Client
) -> None:
    odd.answer({"error": error, "id": 5, "message": f"Made with {text}.", "note": [text]}, status)
    try:
        made = await odd_client.users.create(username="ann", email="a@b.example", password=PASSWORD)
        shown = f"{made!r} {made.model_dump()}"
    except LinkdashError as failed:
        shown = f"{failed} {failed!r}"
    assert "Zx/" not in shown
    assert "••••••••" in shown


async def test_a_record_does_not_repeat_the_key(odd: RawService, odd_client: Client) -> None:
    odd.answer({"error": 0, "data": [{"id": 1, "domain": f"https://x.example/?k={KEY}", "extra": [KEY]}]})
    page = await odd_client.domains.list()
    assert KEY not in f"{page.items} {page.raw}"


@pytest.mark.parametrize("key", [f"{KEY}\n{KEY}", f"{KEY} {KEY}", f"{KEY}é", "x" * 600, f"{KEY}\x00", "  "])
def test_a_key_that_cannot_be_used_is_not_repeated(key: str) -> None:
    with pytest.raises(Misconfigured) as raised:
        Connection("http://127.0.0.1:9", key)
    assert KEY not in str(raised.value)
    assert "xxx" not in str(raised.value)
    assert raised.value.__cause__ is None


async def test_no_log_has_the_key(
    odd: RawService, odd_client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    odd.answer({"error": 0, "data": []})
    odd.answer({"error": 1, "message": ECHO})
    odd.answer_raw(f"HTTP/1.1 302 {KEY}\r\nLocation: /?k={KEY}\r\nContent-Length: 0\r\n\r\n".encode())
    with caplog.at_level(1):
        for name in list(logging.root.manager.loggerDict):
            caplog.set_level(1, logger=name)
        await odd_client.domains.list()
        with pytest.raises(Rejected):
            await odd_client.domains.delete(1)
        with pytest.raises(NotAnAnswer):
            await odd_client.domains.list()
    assert {"httpx", "httpcore.http11"} <= {record.name for record in caplog.records}
    for record in caplog.records:
        assert KEY not in f"{record.getMessage()} {vars(record)}"


@pytest.mark.parametrize(
    "place",
    [
        "h11.Connection.send",
        "h11.Connection.next_event",
        "httpcore._async.http11.AsyncHTTP11Connection._send_request_headers",
        "httpx._client.AsyncClient._send_single_request",
        "linkdash.api.http.transport._read_body",
        "linkdash.api.http.connection.judge_answer",
    ],
)
async def test_no_traceback_has_the_key(
    place: str, odd: RawService, odd_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault in the middle of a request, printed with the locals of every frame."""

    def fail(*args: object, **given: object) -> object:
        raise ZeroDivisionError

    odd.answer({"error": 0, "data": []})
    monkeypatch.setattr(place, fail)
    calls: list[Callable[[], Awaitable[object]]] = [
        odd_client.domains.list,
        lambda: odd_client.domains.delete(1),
    ]
    for call in calls:
        with pytest.raises((ServiceError, ZeroDivisionError)) as raised:
            await call()
        shown = with_locals(raised.value)
        assert type(raised.value).__name__ in shown
        assert KEY not in shown


def test_an_error_can_be_handed_to_another_process() -> None:
    error = pickle.loads(pickle.dumps(Rejected("No.", "Try another.", status=400)))  # noqa: S301
    assert (str(error), error.what, error.advice) == ("No. Try another.", "No.", "Try another.")
