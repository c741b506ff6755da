"""The embedded service against the table of the contract."""

import json

import httpx
import pytest

from linkdash.demo.server import Running
from linkdash.demo.service import ENDPOINTS
from tests.service.contract import VALID, Endpoint, Row, invalid, rows
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
        assert "x-ratelimit-remaining" in response.headers, row


def test_what_the_reference_allows_is_done(running: Running, admin: Visitor) -> None:
    for row in rows():
        if row.statuses == (200,):
            response = ask(admin, running, row)
            assert response.status_code == 200, (row, response.text)
            assert response.json()["error"] in (0, "0"), row


def test_the_table_is_whole() -> None:
    table = list(rows())
    assert all(row.sentence for row in table)
    assert len(VALID) == len(ENDPOINTS) == 34
    assert min(len(list(invalid(endpoint))) for endpoint in VALID) >= 10
