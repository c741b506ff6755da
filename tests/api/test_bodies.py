"""Bodies carry what was given and nothing else; what breaks the rules is refused before anything is sent."""
# ruff: noqa: E501  a row that is folded is no row

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from linkdash.api import Client
from linkdash.api.errors import InvalidBody
from linkdash.api.records import Body
from linkdash.api.resources.account import AccountUpdate
from linkdash.api.resources.campaigns import CampaignCreate, CampaignUpdate
from linkdash.api.resources.channels import ChannelCreate, ChannelUpdate
from linkdash.api.resources.domains import DomainCreate, DomainUpdate
from linkdash.api.resources.pixels import PixelCreate, PixelUpdate
from linkdash.api.resources.plans import Subscription
from linkdash.api.resources.qr import QrCreate, QrUpdate
from linkdash.api.resources.users import UserCreate
from tests.api.raw_service import RawService

Send = Callable[[Any], Awaitable[object]]  # what no type checker lets through is called, too

# What is called and the very members that must arrive.
SENT: list[tuple[str, Send, dict[str, object] | None]] = [
    ("cleared", lambda c: c.domains.update(1, redirectroot=""), {"redirectroot": ""}),
    ("one of two", lambda c: c.domains.update(1, redirect404="https://a.example"), {"redirect404": "https://a.example"}),
    ("false", lambda c: c.campaigns.update(1, name="A", public=False), {"name": "A", "public": False}),
    ("its default", lambda c: c.channels.update(1, starred=False, description=""), {"starred": False, "description": ""}),
    ("a model", lambda c: c.pixels.update(1, PixelUpdate(tag="T-1")), {"tag": "T-1"}),
    ("required members", lambda c: c.pixels.create(type="bing", name="B", tag="T"), {"type": "bing", "name": "B", "tag": "T"}),
    ("a color as HEX", lambda c: c.channels.update(1, color="rgb(255, 0, 16)"), {"color": "#FF0010"}),
    ("a color as rgb", lambda c: c.qr.update(1, data="x", foreground="#f00"), {"data": "x", "foreground": "rgb(255,0,0)"}),
    ("an object", lambda c: c.qr.create(type="wifi", data={"ssid": "A", "encryption": "none"}), {"type": "wifi", "data": {"ssid": "A", "encryption": "none"}}),
    ("a moment", lambda c: c.plans.subscribe(1, 2, type="monthly", expiration=datetime(2030, 1, 2, 3)), {"type": "monthly", "expiration": "2030-01-02 03:00:00"}),
    ("no moment", lambda c: c.plans.subscribe(1, 2, type="monthly", expiration=None), {"type": "monthly"}),
    ("a password", lambda c: c.account.update(password="s3cret"), {"password": "s3cret"}),
    ("space around", lambda c: c.account.update(email=" a@b.example "), {"email": "a@b.example"}),
    ("an assignment", lambda c: c.channels.assign(1, "bio", 2), None),
    ("a delete", lambda c: c.users.delete(2), None),
]  # fmt: skip

# What is called and the words of the refusal.
REFUSED: list[tuple[Send, str]] = [
    (lambda c: c.domains.create(), "domain"),
    (lambda c: c.domains.create(domain="go.example.org"), "use a full address"),
    (lambda c: c.domains.create(domain=" "), "cannot be empty"),
    (lambda c: c.domains.update(1, domain="https://a.example"), "domain"),
    (lambda c: c.domains.update(1, redirectroot=None), "redirectroot"),
    (lambda c: c.campaigns.update(1, slug="x"), "name"),
    (lambda c: c.campaigns.update(1, name=""), "cannot be empty"),
    (lambda c: c.channels.create(name="x", color="red"), "use #RRGGBB"),
    (lambda c: c.channels.update(1, starred="perhaps"), "starred"),
    (lambda c: c.channels.assign(1, "../../user/1/delete?", 2), "type"),
    (lambda c: c.channels.assign(1, "qr", 0), "item_id"),
    (lambda c: c.pixels.create(type="mastodon", name="x", tag="x"), "type"),
    (lambda c: c.pixels.update(1, name="x"), "tag"),
    (lambda c: c.qr.create(type="text"), "data"),
    (lambda c: c.qr.update(1, background="#fff"), "data"),
    (lambda c: c.plans.subscribe(1, 2, type="weekly"), "type"),
    (lambda c: c.plans.subscribe(1, 2, type="monthly", expiration="soon"), "expiration"),
    (lambda c: c.users.create(username="ann", email="ann", password="secret"), "e-mail"),
    (lambda c: c.users.create(username="ann", email="a@b.example", password="1234"), "password"),
    (lambda c: c.account.update(email=""), "e-mail"),
    (lambda c: c.account.update(password=""), "password"),
    (lambda c: c.campaigns.create(name=" "), "name"),
    (lambda c: c.channels.create(name="x", color=""), "color"),
    (lambda c: c.channels.create(name="x", colour="#fff"), "colour"),
    (lambda c: c.pixels.update(1, tag="x", name=""), "name"),
    (lambda c: c.qr.create(type="text", data=""), "data"),
    (lambda c: c.qr.create(type="vcard", data=[]), "data"),
    (lambda c: c.qr.create(type="wifi", data={"ssid": " "}), "data"),
    (lambda c: c.qr.update(1, data="x", background=""), "background"),
    (lambda c: c.users.create(username="a", email="a@b.example", password="secret", planid=0), "planid"),
    (lambda c: c.users.create(username="a", email="a@b.example", password="secret", planid=True), "planid"),
    (lambda c: c.plans.subscribe(1, 2, type="monthly", expiration="2030-01-02T03:04:05+05:00"), "expiration"),
    (lambda c: c.plans.subscribe(1, 2, type="monthly", expiration=1893456000), "expiration"),
    (lambda c: c.users.list(filter="owner"), "filter"),
    (lambda c: c.domains.list(page=0), "page"),
    (lambda c: c.domains.list(page=True), "page"),
    (lambda c: c.domains.list(limit="x"), "limit"),
    (lambda c: c.channels.items(1, limit=-1), "limit"),
    (lambda c: c.domains.delete("3/../../domain/7"), "id"),
    (lambda c: c.domains.update(None, redirectroot=""), "id"),
    (lambda c: c.users.get(True), "id"),
    (lambda c: c.qr.get(2**63), "id"),
    (lambda c: c.channels.items(0), "channel_id"),
    (lambda c: c.campaigns.assign(1, -1), "link_id"),
    (lambda c: c.plans.subscribe(1.5, 2, type="monthly"), "plan_id"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "send", "members"), SENT, ids=lambda value: value if isinstance(value, str) else ""
)
async def test_a_body_carries_what_was_given(
    name: str, send: Send, members: dict[str, object] | None, odd: RawService, odd_client: Client
) -> None:
    odd.answer({"error": 0, "id": 1})
    await send(odd_client)
    (request,) = odd.requests
    if members is None:
        assert request.body == b""
    else:
        assert request.members == members


@pytest.mark.parametrize(("send", "words"), REFUSED)
async def test_what_breaks_the_rules_is_not_sent(
    send: Send, words: str, odd: RawService, odd_client: Client
) -> None:
    odd.answer({"error": 0, "id": 1})
    with pytest.raises(InvalidBody, match="Nothing was sent") as raised:
        await send(odd_client)
    assert words in str(raised.value)
    assert str(raised.value).isprintable()
    assert odd.requests == []


async def test_a_refusal_does_not_repeat_a_secret(odd_client: Client) -> None:
    with pytest.raises(InvalidBody) as raised:
        await odd_client.users.create(username="ann", email="a@b.example", password="abcd")
    assert "abcd" not in f"{raised.value!r}"


BODIES: tuple[type[Body], ...] = (
    AccountUpdate,
    CampaignCreate,
    CampaignUpdate,
    ChannelCreate,
    ChannelUpdate,
    DomainCreate,
    DomainUpdate,
    PixelCreate,
    PixelUpdate,
    QrCreate,
    QrUpdate,
    Subscription,
    UserCreate,
)
EXAMPLES: dict[str, object] = {
    "email": "a@b.example",
    "password": "secret",
    "name": "x",
    "slug": "x",
    "public": True,
    "description": "",
    "color": "#AABBCC",
    "starred": False,
    "domain": "https://a.example",
    "redirectroot": "",
    "redirect404": "https://a.example/404",
    "tag": "x",
    "data": "x",
    "background": "rgb(1,2,3)",
    "foreground": "rgb(0,0,0)",
    "logo": "",
    "username": "x",
    "planid": 2,
    "expiration": "2030-01-01 00:00:00",
}
TYPES: dict[type[BaseModel], str] = {PixelCreate: "bing", QrCreate: "text", Subscription: "yearly"}


@given(st.data())
@pytest.mark.parametrize("model", BODIES)
def test_any_choice_of_members_is_sent_as_it_is(model: type[Body], data: st.DataObject) -> None:
    examples = {**EXAMPLES, "type": TYPES.get(model, "")}
    required = {name for name, field in model.model_fields.items() if field.is_required()}
    chosen = required | data.draw(st.sets(st.sampled_from(sorted(model.model_fields))))
    members = {name: examples[name] for name in chosen}
    assert model.model_validate(members).given() == members
