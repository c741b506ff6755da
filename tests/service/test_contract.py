"""The embedded service against the table of the contract."""

import json
import re

import httpx
import pytest

from linkdash.demo.server import Running
from linkdash.demo.service import ENDPOINTS
from tests.service.contract import VALID, Endpoint, Row, invalid
from tests.service.visitor import Visitor


def ask(visitor: Visitor, running: Running, row: Row) -> httpx.Response:
    """Send the request of a row, with the keys of this service in its headers."""
    keys = {"key": running.api_key, "plain_key": running.plain_key}
    headers = {name: value.format(**keys) for name, value in row.headers.items()}
    content = row.body if isinstance(row.body, bytes) else json.dumps(row.body).encode()
    return visitor.request(
        row.method, row.path, content=content if row.body is not None else None, headers=headers
    )


def name_of(endpoint: Endpoint) -> str:
    return f"{endpoint.method} {endpoint.path}"


@pytest.mark.parametrize("endpoint", VALID, ids=name_of)
def test_what_the_reference_does_not_allow_is_refused(
    endpoint: Endpoint, shared: Running, reader: Visitor
) -> None:
    for row in invalid(endpoint):
        response = ask(reader, shared, row)
        assert response.status_code in row.statuses, row
        answer = response.json()
        assert set(answer) == {"error", "message"}, row
        assert answer["error"] == 1
        assert answer["message"]
        assert row.told in answer["message"], (row, answer)
        assert "x-ratelimit-remaining" in response.headers, row


@pytest.mark.parametrize("endpoint", VALID, ids=name_of)
def test_what_the_reference_allows_is_done_and_answered_as_documented(
    endpoint: Endpoint, admin: Visitor
) -> None:
    response = admin.ask(endpoint.method, endpoint.path, endpoint.body)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "application/json"
    assert response.json().keys() == endpoint.members
    assert response.json()["error"] in (0, "0")


def test_the_table_is_whole() -> None:
    for declared in ENDPOINTS:
        shape = re.sub(r"\{\w+\}", "(links|bio|qr)", re.sub(r"\{\w+:int\}", "[0-9]+", declared.path))
        (endpoint,) = [
            one for one in VALID if one.method == declared.method and re.fullmatch(shape, one.path)
        ]
        assert all(row.sentence for row in invalid(endpoint))
        required = {name for name, member in (declared.body or {}).items() if member.required}
        assert required == {*endpoint.required}
        assert (declared.body or {}).keys() == (endpoint.bad or {}).keys() & (declared.body or {}).keys()
        assert declared.admin is ("/plan" in endpoint.path or "/user" in endpoint.path)
    assert len(VALID) == len(ENDPOINTS) == 34
