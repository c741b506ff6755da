"""Writes as they are meant: named by their record, and on many records only what was filled in."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from linkdash.api.errors import InvalidBody
from linkdash.api.fields import Kind, fields_of
from linkdash.api.records import Record
from linkdash.api.resources.campaigns import Campaign, CampaignUpdate
from linkdash.api.resources.channels import Channel, ChannelUpdate
from linkdash.api.resources.domains import DomainCreate
from linkdash.api.resources.qr import QrCode, QrCreate, QrUpdate
from linkdash.api.resources.users import UserCreate
from linkdash.model.declaration import AnyResource
from linkdash.model.resources.campaigns import RESOURCE as CAMPAIGNS
from linkdash.model.resources.channels import RESOURCE as CHANNELS
from linkdash.model.resources.domains import RESOURCE as DOMAINS
from linkdash.model.resources.qr import RESOURCE as QR
from linkdash.model.writes.draft import Draft, Problems
from linkdash.model.writes.planned_changes import (
    body_for,
    creation,
    deletion,
    described,
    for_all,
    has_effect,
    values_sent,
)
from linkdash.model.writes.write_words import summary_of
from linkdash.store.journal_entry import WriteIntent


def test_a_record_that_is_created_is_named_by_its_name_not_by_another_member() -> None:
    body = DomainCreate.model_validate(
        {"redirectroot": "https://root.example/", "domain": "https://go.example", "redirect404": ""}
    )
    assert summary_of(creation(DOMAINS, body)) == "create domain 'https://go.example'"


def test_of_a_record_that_is_created_every_value_is_told_but_its_name_and_secrets() -> None:
    given = {"username": "anna", "email": "a@b.example", "password": "geheim-geheim"}
    intent = WriteIntent("users", "create", (), given, ("anna",))
    assert values_sent(intent, UserCreate) == ["E-mail: a@b.example"]
    code = {"type": "wifi", "data": {"ssid": "Lobby", "password": "geheim"}}
    assert values_sent(WriteIntent("qr", "create", (), code), QrCreate) == ["Type: Wi-Fi"]


@pytest.mark.parametrize(
    ("given", "known_by"),
    [
        ({"type": "link", "data": "https://go.example/menu"}, "https://go.example/menu"),
        ({"type": "wifi", "data": {"ssid": "Lobby", "encryption": "WPA", "password": "geheim"}}, "Lobby"),
    ],
)
def test_a_code_that_is_created_is_known_by_its_content(given: Mapping[str, object], known_by: str) -> None:
    assert summary_of(creation(QR, QrCreate.model_validate(given))) == f"create QR code {known_by!r}"


@pytest.mark.parametrize(
    ("resource", "given", "words"),
    [
        (CAMPAIGNS, {"ids": "12"}, "assign link 12 to campaign 3"),
        (CHANNELS, {"items": "qr:7"}, "assign QR code 7 to channel 3"),
        (QR, {"channel_id": 20}, "assign QR code 3 to channel 20"),
    ],
)
def test_a_record_whose_name_is_not_known_is_named_by_its_id_alone(
    resource: AnyResource, given: Mapping[str, object], words: str
) -> None:
    record, assignment = resource.record.read({"id": 3}), resource.assignment
    assert isinstance(record, Record)
    assert assignment is not None
    body = assignment.model.model_validate(given)
    (intent,) = assignment.intents(record, body, lambda resource, id: "")
    assert summary_of(intent) == words
    assert summary_of(deletion(resource, record)) == f"delete {resource.singular} 3"


def campaign(name: str) -> Campaign:
    record = Campaign.read({"id": 1, "domain": name, "public": True})
    assert isinstance(record, Campaign)
    return record


@pytest.mark.parametrize(
    ("model", "record", "needed"),
    [(CampaignUpdate, Campaign, []), (ChannelUpdate, Channel, []), (QrUpdate, QrCode, ["data"])],
)
def test_only_what_no_record_has_of_its_own_is_needed(
    model: type[CampaignUpdate], record: type[Record], needed: list[str]
) -> None:
    fields = fields_of(for_all(model, record))
    assert {field.name for field in fields} == set(model.model_fields)
    assert [field.name for field in fields if field.required] == needed
    assert Kind.FLAG not in {field.kind for field in fields}, "a switch cannot be left alone"


def test_only_what_was_filled_in_is_set_and_checked() -> None:
    model = for_all(CampaignUpdate, Campaign)
    body = Draft.create(model, {"public": "no"}).parse()
    assert not isinstance(body, Problems)
    assert body.given() == {"public": "no"}
    sent = body_for(CampaignUpdate, campaign("Spring"), body.given())
    assert sent.given() == {"name": "Spring", "public": False}
    wrong = Draft.create(for_all(ChannelUpdate, Channel), {"color": "reddish"}).parse()
    assert isinstance(wrong, Problems)
    assert set(wrong.messages) == {"color"}


def test_a_record_without_what_it_must_have_is_refused() -> None:
    with pytest.raises(InvalidBody, match="name"):
        body_for(CampaignUpdate, campaign(""), {"public": "no"})


def test_each_record_is_told_with_what_was_there_and_what_will_be() -> None:
    task = WriteIntent("channels", "update", (7,), {"name": "Shop", "starred": True, "color": "#FF0000"})
    known = replace(task, before={"name": "Shop", "starred": False, "color": None})
    words = ["7", "    Color: not shown by the service → #FF0000", "    Starred: no → yes"]
    assert described(known, ChannelUpdate) == words
    same = replace(task, before=task.params)
    assert described(same, ChannelUpdate) == ["7"]
    assert [has_effect(one, ChannelUpdate) for one in (task, known, same)] == [True, True, False]
    secret = WriteIntent("qr", "update", (7,), {"data": {"password": "geheim"}}, before={"data": None})
    assert described(secret, QrUpdate) == ["7"]
    assert has_effect(secret, QrUpdate)
