"""The last exchanges: kept in memory, bounded, and shown without a secret."""

from pydantic import SecretStr

from linkdash.api.http.recent_exchanges import EXCHANGES_KEPT, LARGEST_KEPT, Exchanges
from linkdash.api.http.request import Request, Response
from linkdash.api.http.secrecy import MASK
from linkdash.model.raw_answer import exchange_text

BASE, KEY = "https://links.example.org", SecretStr("the-key")


def test_only_the_last_are_kept_and_each_is_found_by_its_moment() -> None:
    exchanges = Exchanges()
    made = [
        exchanges.note_request(Request("GET", "/api/qr"), float(number))
        for number in range(EXCHANGES_KEPT + 1)
    ]
    assert exchanges.at("GET /api/qr", 0.0) is None
    assert exchanges.at("GET /api/qr", 1.0) is made[1]
    assert exchanges.at("GET /api/users", 1.0) is None
    assert exchanges.of(made[5].request) is made[5], "equal requests are not the same"


def test_text_that_is_no_json_and_headers_hold_no_secret_and_are_inert() -> None:
    exchange = Exchanges().note_request(
        Request("PUT", "/api/account/update", body={"password": "geheim"}), 1.0
    )
    headers = {"Set-Cookie": "sid=1", "X-Echo": "Bearer the-key"}
    exchange.end(Response(500, headers, b"<p>the-key\x1b[2J</p>\ngeheim"), 0.5, ValueError("geheim"))
    text = exchange_text(exchange, BASE, KEY)
    assert "the-key" not in text
    assert "geheim" not in text
    assert "sid=1" not in text
    assert "\x1b" not in text
    assert f"<p>{MASK}\N{REPLACEMENT CHARACTER}[2J</p>\n{MASK}" in text


def test_what_is_large_is_told_and_not_kept_and_what_is_under_way_is_said() -> None:
    exchange = Exchanges().note_request(Request("GET", "/api/users"), 1.0)
    assert exchange_text(exchange, BASE, KEY).endswith("No answer came yet.")
    exchange.end(Response(200, {}, b"x" * (LARGEST_KEPT + 1)), 0.5, None)
    text = exchange_text(exchange, BASE, KEY)
    assert exchange.body is None
    assert text.endswith("HTTP 200 after 0.50 s, 262,145 bytes\n\n(too large to be kept)")
