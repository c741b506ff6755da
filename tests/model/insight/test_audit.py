"""Findings of the audit, and what it could not see."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TypeVar

from linkdash.api.records import Record, Unreadable
from linkdash.api.resources.campaigns import Campaign
from linkdash.api.resources.channels import Channel, ChannelItem
from linkdash.api.resources.domains import Domain
from linkdash.api.resources.pixels import Pixel
from linkdash.api.resources.plans import Plan
from linkdash.api.resources.qr import QrCode
from linkdash.api.resources.users import User
from linkdash.model.insight.audit import AuditFacts, Check, Loaded, audit
from linkdash.model.statistics.period_comparison import Amount

T = TypeVar("T", bound=Record)
NOW = datetime(2026, 11, 21, 12)
LONG_AGO = f"{NOW - timedelta(days=200):%Y-%m-%d %H:%M:%S}"


def all_of(model: type[T], *rows: Mapping[str, object]) -> Loaded[T]:
    read = [model.read(row) for row in rows]
    return Loaded([record for record in read if not isinstance(record, Unreadable)], True, len(rows))


EVERYTHING = AuditFacts(
    NOW,
    domains=all_of(Domain),
    campaigns=all_of(Campaign),
    channels=all_of(Channel),
    pixels=all_of(Pixel),
    codes=all_of(QrCode),
    plans=all_of(Plan),
    users=all_of(User),
)


def check(known: AuditFacts, title: str) -> Check:
    return next(one for one in audit(known) if one.title.startswith(title))


def found(known: AuditFacts, title: str) -> dict[int, str]:
    return {suspect.id: suspect.why for suspect in check(known, title).found}


def test_pixels_that_send_the_same_visits_twice_name_each_other() -> None:
    rows = [
        {"id": 1, "type": "bing", "name": "Spring", "tag": "A"},
        {"id": 2, "type": "bing", "name": "Summer", "tag": "A"},
        {"id": 3, "type": "reddit", "name": "Other vendor", "tag": "A"},
        {"id": 4, "type": "bing", "name": "No tag", "tag": ""},
        {"id": 5, "type": "bing", "name": "No tag either", "tag": ""},
    ]
    known = replace(EVERYTHING, pixels=all_of(Pixel, *rows))
    told = found(known, "Pixels")
    assert told == {1: "bing A, as in Summer (2)", 2: "bing A, as in Spring (1)"}
    assert not check(known, "Pixels").unseen


def test_domains_say_which_redirect_they_lack() -> None:
    there = "https://example.org/"
    rows = [
        {"id": 1, "domain": "https://a.example", "redirectroot": there, "redirect404": there},
        {"id": 2, "domain": "https://b.example", "redirectroot": "", "redirect404": there},
        {"id": 3, "domain": "https://c.example", "redirectroot": None, "redirect404": ""},
    ]
    told = found(replace(EVERYTHING, domains=all_of(Domain, *rows)), "Domains")
    assert told == {2: "no root redirect", 3: "no root, no 404 redirect"}


def test_a_campaign_is_unused_without_a_rotator_and_without_a_link_from_here() -> None:
    rows = [
        {"id": 1, "name": "Rotates", "rotator": "https://example.org/r"},
        {"id": 2, "name": "Assigned", "rotator": False},
        {"id": 3, "name": "Forgotten", "rotator": False},
    ]
    known = replace(EVERYTHING, campaigns=all_of(Campaign, *rows), assigned={2})
    assert [*found(known, "Campaigns")] == [3]
    assert check(known, "Campaigns").unseen == "links are not listed"


def test_codes_in_no_channel_are_told_only_when_every_channel_was_opened() -> None:
    codes = all_of(QrCode, {"id": 1, "name": "In"}, {"id": 2, "name": "Out"})
    channels = all_of(Channel, {"id": 7, "name": "Shops"}, {"id": 8, "name": "Web"})
    items = all_of(ChannelItem, {"id": 1, "type": "qr"}, {"id": 2, "type": "links"})
    known = replace(EVERYTHING, codes=codes, channels=channels, items={7: items, 8: all_of(ChannelItem)})
    assert [*found(known, "Codes in no channel")] == [2], "a link with the id of a code is no code"
    unopened = replace(known, items={7: items, 8: Loaded()})
    assert (found(unopened, "Codes in no"), check(unopened, "Codes in no").unseen) == (
        {},
        "1 channel not opened",
    )
    unknown = replace(known, channels=Loaded([*channels.records], False, 30))
    assert check(unknown, "Codes in no").unseen == "2 of 30 channels are loaded"


def test_a_code_is_silent_only_where_the_history_reaches_back() -> None:
    codes = all_of(
        QrCode,
        {"id": 1, "scans": 9, "date": LONG_AGO},
        {"id": 2, "scans": 9, "date": LONG_AGO},
        {"id": 3, "scans": 9, "date": LONG_AGO},
        {"id": 4, "scans": 0, "date": LONG_AGO},
        {"id": 5, "scans": 0, "date": f"{NOW:%Y-%m-%d %H:%M:%S}"},
        {"id": 6, "scans": 9, "date": LONG_AGO},
    )
    scanned = {1: Amount(0), 2: Amount(1, is_partial=True), 3: Amount(0, is_partial=True)}
    known = replace(EVERYTHING, codes=codes, scanned=scanned)
    assert found(known, "Codes silent") == {1: "9 scans, none in 30 days", 4: "never scanned"}
    assert check(known, "Codes silent").unseen == "2 codes with less than 30 days of history"
    facts = {suspect.id: suspect.facts for suspect in check(known, "Codes silent").found}
    assert facts[1] == f"made {datetime.fromisoformat(LONG_AGO):%b %Y}", "an arrow leads to something"
    linked = all_of(QrCode, {"id": 1, "scans": 0, "date": LONG_AGO, "link": "https://a.example/qr/1"})
    (suspect,) = check(replace(known, codes=linked), "Codes silent").found
    assert suspect.facts == f"{facts[1]} · a.example/qr/1"
    assert check(replace(known, days=7), "Codes silent").title == "Codes silent for 7 days"


def test_links_to_nothing_are_addresses_and_records_that_are_not_there() -> None:
    known = replace(
        EVERYTHING,
        codes=all_of(QrCode, {"id": 1, "link": "https://example.org/1"}, {"id": 2, "link": ""}),
        domains=all_of(Domain, {"id": 3, "domain": "https://a.example", "redirect404": "nowhere"}),
        channels=all_of(Channel, {"id": 4, "name": "Shops"}),
        items={4: all_of(ChannelItem, {"id": 1, "type": "qr"}, {"id": 99, "type": "qr"})},
        plans=all_of(Plan, {"id": 1, "name": "Free"}),
        users=all_of(User, {"id": 5, "username": "a", "planid": 1}, {"id": 6, "username": "b", "planid": 9}),
    )
    assert found(known, "Links") == {
        2: "its link is empty",
        3: "its 404 redirect is nowhere",
        4: "its QR code 99 does not exist",
        6: "its plan 9 does not exist",
    }
    partly = replace(known, codes=Loaded(known.codes.records, False, 400), plans=Loaded())
    assert [*found(partly, "Links")] == [2, 3], "what is not loaded may be there"
    assert check(partly, "Links").unseen == "2 of 400 QR codes are loaded; no plans are loaded"


def test_nothing_is_found_in_nothing_and_everything_is_said_to_be_unseen() -> None:
    checks = audit(AuditFacts(NOW))
    assert not [suspect for one in checks for suspect in one.found]
    assert all(one.unseen for one in checks)
