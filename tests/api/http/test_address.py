"""The service's address in one spelling, and what cannot be one; the key, checked before it is used."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkdash.api.errors import Misconfigured
from linkdash.api.http.address import base_address, checked_key, is_loopback


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("https://links.example.org", "https://links.example.org"),
        ("https://links.example.org/", "https://links.example.org"),
        ("https://links.example.org///", "https://links.example.org"),
        ("https://links.example.org/api", "https://links.example.org"),
        ("https://links.example.org/api/", "https://links.example.org"),
        ("https://links.example.org/sub", "https://links.example.org/sub"),
        ("https://links.example.org/sub/api/", "https://links.example.org/sub"),
        ("https://links.example.org/sub//api", "https://links.example.org/sub"),
        ("https://links.example.org/myapi", "https://links.example.org/myapi"),
        ("https://links.example.org/api/v3", "https://links.example.org/api/v3"),
        ("  https://links.example.org \n", "https://links.example.org"),
        ("HTTPS://Links.Example.ORG/Sub", "https://links.example.org/Sub"),
        ("https://links.example.org:8443/api", "https://links.example.org:8443"),
        ("https://links.example.org:443", "https://links.example.org"),
        ("https://links.example.org:", "https://links.example.org"),
        ("https://links.example.org?", "https://links.example.org"),
        ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
        ("https://B\u00fccher.example/api", "https://xn--bcher-kva.example"),
        ("https://my_host", "https://my_host"),
        ("https://192.0.2.7", "https://192.0.2.7"),
        ("https://[2001:db8::7]:8443/x", "https://[2001:db8::7]:8443/x"),
        ("http://localhost", "http://localhost"),
        ("http://localhost:80/api", "http://localhost"),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000"),
        ("http://127.8.8.8", "http://127.8.8.8"),
        ("http://[::1]:8000", "http://[::1]:8000"),
    ],
)
def test_an_address_has_one_spelling(text: str, address: str) -> None:
    assert base_address(text) == address
    assert base_address(address) == address


NO_ADDRESS = [
    "",
    "links.example.org",
    "localhost:8000",
    "//links.example.org",
    "https://",
    "https:///api",
    "https:/links.example.org",
    "ftp://links.example.org",
    "file:///etc/passwd",
    "https://links example.org",
    "https://links.exa\nmple.org",
    "https://links.example.org/a b",
    "https://links.example.org\\@evil.example",
    "https://links..example.org",
    "https://-\u00fc.example",
    f"https://{'a' * 64}.example",
    f"https://{'a.' * 130}example",
    "https://links.example.org:port",
    "https://links.example.org:99999",
    "https://links.example.org:0",
    "https://links.example.org:1:2",
    "https://[::1",
    "https://[zz]",
    "https://[fe80::1%25eth0]",
    "https://links.example.org/\x1b[2J",
    "https://links.example.org/\u202e",
]


@pytest.mark.parametrize("text", NO_ADDRESS)
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(Misconfigured, match=r"is not a web address.*https://links"):
        base_address(text)


@pytest.mark.parametrize(
    "address",
    [
        "https://ann:pass@links.example.org",
        "https://ann@links.example.org",
        "https://@links.example.org",
        "https://links.example.org/?key=x",
        "https://links.example.org/#top",
    ],
)
def test_more_than_an_address(address: str) -> None:
    with pytest.raises(Misconfigured, match="more than an address"):
        base_address(address)


@pytest.mark.parametrize(
    "host",
    [
        "links.example.org",
        "192.0.2.7",
        "0.0.0.0",
        "[2001:db8::7]",
        "localhost.example.org",
        "xlocalhost",
        "127.0.0.1.example.org",
    ],
)
def test_plain_http_goes_to_this_machine_only(host: str) -> None:
    with pytest.raises(Misconfigured, match="Use https"):
        base_address(f"http://{host}")
    assert not is_loopback(host)


@given(st.text() | st.from_regex(r"https?://[^/]*(/.*)?", fullmatch=True))
def test_any_text_is_an_address_or_a_clear_line(text: str) -> None:
    try:
        address = base_address(text)
    except Misconfigured as error:
        line = str(error)
    else:
        line = base_address(address)
        assert line == address
    assert len(line.splitlines()) == 1


def test_a_key_is_taken_without_the_space_around_it() -> None:
    assert checked_key(" \tkey-1\n") == "key-1"
    assert checked_key("!~" * 256) == "!~" * 256


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("", "No API key"),
        (" \n", "No API key"),
        ("one\ntwo", "one line"),
        ("one two", "without spaces"),
        ("k\u00e9y", "character that is not allowed"),
        ("k\x00", "character that is not allowed"),
        ("x" * 513, "longer than 512"),
    ],
)
def test_what_is_no_key(key: str, words: str) -> None:
    with pytest.raises(Misconfigured, match=words):
        checked_key(key)
