"""Secrets in data of any shape are masked, and nothing else is."""

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr
from rich.pretty import pretty_repr

from linkdash.api.http.secrecy import MASK, excerpt, hidden, is_secret, masked, occurs_in, secrets_in
from linkdash.api.inert_text import inert
from linkdash.api.records import Unreadable
from linkdash.api.resources.users import User, UserCreate

SECRET = "s3cr3t-0f-ann"

json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "name", "password"]), inner)
    ),
    max_leaves=10,
)


@pytest.mark.parametrize(
    "member",
    [
        "apikey",
        "api_key",
        "apiKey",
        "API-KEY",
        "apikeys",
        "password",
        "newPassword",
        "password_confirmation",
        "passwd",
        "pass",
        "PWD",
        "key",
        "passphrase",
        "access_token",
        "tokens",
        "client_secret",
        "secret_2",
        "Authorization",
        "auth-key",
        "private_key",
        "PrivateKey",
        *("auth", "X-Auth", "bearer", "credentials", "jwt", "session", "sessionId", "cookie", "Set-Cookie"),
        *("otp", "pin", "PIN code", "passcode", "access_key", "accessKeyId", "psk", "wifi_pw", "user.pwd"),
    ],
)
def test_members_that_hold_secrets(member: str) -> None:
    assert is_secret(member)


@pytest.mark.parametrize(
    "member",
    [
        *(
            "",
            "id",
            "name",
            "tag",
            "keyword",
            "monkey",
            "description",
            "passes",
            "compass",
            "author",
            "authors",
        ),
        *("pinterest", "pins", "sessions", "spin", "opt", "option", "authority", "topOs", "uniqueClicks"),
    ],
)
def test_members_that_hold_none(member: str) -> None:
    assert not is_secret(member)


def test_a_value_that_is_named_beside_it_is_masked() -> None:
    headers = [{"name": "Authorization", "value": "Bearer x"}, {"key": "api_key", "value": "y"}]
    assert masked(headers) == [{"name": "Authorization", "value": MASK}, {"key": "api_key", "value": MASK}]
    assert [secret.get_secret_value() for secret in secrets_in(headers)] == ["Bearer x", "y"]
    assert masked({"name": "color", "value": "red"}) == {"name": "color", "value": "red"}


@given(json_like)
def test_masking_keeps_the_shape_and_can_be_repeated(data: object) -> None:
    once = masked(data)
    assert masked(once) == once
    assert _shape(once) == _shape(data)


def _shape(data: object) -> object:
    if isinstance(data, dict):
        return {name: None if name == "password" else _shape(value) for name, value in data.items()}
    return [_shape(item) for item in data] if isinstance(data, list) else type(data)


@given(json_like)
def test_nothing_is_left_under_a_secret_name(data: object) -> None:
    hidden = masked({"deep": [{"password": data}]})
    assert hidden == {"deep": [{"password": data if data in (None, "") else MASK}]}


@pytest.mark.parametrize("value", [[SECRET], {"value": SECRET}, [{"deep": [SECRET]}]])
def test_a_list_or_map_under_a_secret_name_is_masked_whole(value: object) -> None:
    assert masked({"apiKeys": value}) == {"apiKeys": MASK}


def test_the_secrets_of_a_body_are_found_at_any_depth() -> None:
    body = {"name": "ann", "password": "a", "deep": [{"token": ["b", {"x": "c"}]}], "secret": "", "pin": 5}
    assert [secret.get_secret_value() for secret in secrets_in(body)] == ["a", "b", "c"]


def test_a_secret_that_is_part_of_another_leaves_nothing_of_it() -> None:
    secrets = [SecretStr("pass"), SecretStr("passport")]
    assert hidden("a passport, a pass", secrets) == f"a {MASK}, a {MASK}"


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("escape_slashes", [True, False])
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_a_secret_is_found_however_it_is_escaped(ascii_only: bool, escape_slashes: bool, text: str) -> None:
    body = json.dumps({"message": f"no {text} here"}, ensure_ascii=ascii_only)
    escaped = body.replace("/", "\\/") if escape_slashes else body
    assert occurs_in(escaped.encode(), SecretStr(text))


def test_no_way_to_show_a_user_shows_a_secret() -> None:
    user = User.read({"id": 1, "apikey": SECRET, "session_token": SECRET, "more": {"password": SECRET}})
    assert isinstance(user, User)
    assert user.apikey is not None
    assert user.apikey.get_secret_value() == SECRET
    ways = [
        repr(user),
        str(user),
        user.model_dump_json(),
        str(user.model_dump()),
        str(user.model_dump(mode="json")),
    ]
    ways += [pretty_repr(user), repr([user]), f"{user}"]
    assert all(SECRET not in way for way in ways)
    assert MASK in user.model_dump_json()


def test_an_odd_secret_is_masked_too() -> None:
    user = User.read({"id": 1, "apikey": [SECRET]})
    assert isinstance(user, User)
    assert user.odd == {"apikey": MASK}
    assert SECRET not in repr(User.read({"apikey": SECRET}))


def test_a_password_is_shown_only_to_the_service() -> None:
    body = UserCreate(username="ann", email="ann@example.org", password=SECRET)
    assert SECRET not in f"{body!r} {body} {body.model_dump()}"
    assert body.given()["password"] == SECRET


@given(json_like, st.integers(1, 40))
def test_an_excerpt_is_the_beginning_of_what_is_masked(data: object, longest: int) -> None:
    whole = inert(str(masked(data)))
    shown = excerpt(data, longest)
    assert len(shown) <= longest
    assert shown == whole if len(whole) <= longest else whole.startswith(shown[:-1])


def test_an_excerpt_of_what_is_huge_looks_at_its_beginning_only() -> None:
    looked: list[int] = []

    class Watched(list[int]):
        def __iter__(self) -> Iterator[int]:
            for item in range(10**9):
                looked.append(item)
                yield item

    assert excerpt({"id": 1, "blob": Watched()}, 50).startswith("{'id': 1, 'blob': [0, 1, 2")
    assert len(looked) < 100
    record = User.read({"id": 1, "registered": [[0] * 1_000] * 100_000, "blob": Watched([1])})
    assert isinstance(record, User)
    assert len(record.odd["registered"]) <= 2_000
    assert isinstance(User.read({"id": 1} | {f"m{number}": number for number in range(100_000)}), Unreadable)
