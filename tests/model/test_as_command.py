"""Commands that do the same: a shell makes of one the write it was made of, and no secret is in it."""

import argparse
import shlex

import pytest

from linkdash.commands.parser import parser
from linkdash.model.as_command import curl, get_command, list_command, request_for, write_command
from linkdash.model.lists.order import orders_of
from linkdash.store.journal_entry import WriteIntent

BASE = "https://links.example.org"
WRITES = [
    (
        WriteIntent("pixels", "create", (), {"type": "bing", "name": "it's $(me)", "tag": "1"}),
        "/api/pixel/add",
    ),
    (WriteIntent("pixels", "update", (7,), {"name": "-x", "tag": "1 2"}), "/api/pixel/7/update"),
    (WriteIntent("account", "update", (), {"email": "a@example.org"}), "/api/account/update"),
    (WriteIntent("pixels", "delete", (7,), {}), "/api/pixel/7/delete"),
    (WriteIntent("channels", "assign", (3, 12), {"type": "qr"}), "/api/channel/3/assign/qr/12"),
    (WriteIntent("qr", "assign", (12, 3), {}), "/api/channel/3/assign/qr/12"),
    (WriteIntent("campaigns", "assign", (3, 12), {}), "/api/campaign/3/assign/12"),
    (
        WriteIntent("users", "subscribe", (5, 2), {"type": "yearly", "expiration": "2027-01-01 00:00:00"}),
        "/api/plan/2/user/5",
    ),
]


def parsed(command: str) -> argparse.Namespace:
    program, *words = shlex.split(command)
    assert program == "linkdash"
    return parser().parse_args(words)


@pytest.mark.parametrize(("intent", "path"), WRITES)
async def test_a_write_is_a_command_and_a_request(intent: WriteIntent, path: str) -> None:
    flags = vars(parsed(write_command(intent)))
    given = dict(member.partition("=")[::2] for member in flags.get("members", ()))
    if flags.get("id") and "=" in str(flags["id"]):
        given |= dict([flags["id"].partition("=")[::2]])
    assert given == (intent.params if intent.action in ("create", "update") else {})
    request = await request_for(intent)
    assert request.path == path
    words = shlex.split(curl(BASE, request))
    assert words[:3] == ["curl", "-X", request.method]
    assert "Authorization: Bearer $LINKDASH_API_KEY" in words
    assert words[-1] == BASE + path


def test_what_is_shown_is_a_command() -> None:
    flags = parsed(list_command("qr", '-x scans>100 "it\'s"', [("scans", True), ("name", False)]))
    assert (flags.resource, flags.filter, flags.all) == ("qr", '-x scans>100 "it\'s"', True)
    assert orders_of(flags.sort) == [("scans", True), ("name", False)]
    assert get_command("users", 5) == "linkdash get users 5"
    assert get_command("account", 5) == "linkdash get account"
    edit = WriteIntent("account", "update", (5,), {"email": "a@example.org"})
    assert write_command(edit) == "linkdash update account email=a@example.org"


async def test_no_command_holds_a_secret() -> None:
    params = {"username": "x", "email": "x@example.org", "password": "hunter22"}
    intent = WriteIntent("users", "create", (), params)
    request = await request_for(intent)
    for command in (write_command(intent), curl(BASE, request)):
        assert "hunter22" not in command
    assert "password=-" in write_command(intent)
    assert "PASSWORD" in curl(BASE, request)
