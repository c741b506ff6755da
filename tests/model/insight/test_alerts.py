"""Findings of the rules: each alert is raised once, and again only after it has ceased."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkdash.api.resources.qr import QrCode
from linkdash.api.resources.users import User
from linkdash.model.configuration_file import AlertSetting
from linkdash.model.insight.alert_rules import RULES, rule_of
from linkdash.model.insight.alerts import AlertFacts, Findings, find
from linkdash.store.alerts import Alert
from linkdash.store.reading import Reading

NOW = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
SERVICE_NOW = datetime(2026, 11, 20, 17, 30)
"""The same moment by a service's clock in another zone."""
MIDNIGHT = NOW.replace(hour=0, minute=0)


def daily(added: Sequence[int]) -> list[Reading]:
    """A reading at each midnight, the last one today's."""
    return [
        Reading(MIDNIGHT - timedelta(days=len(added) - day), scans=sum(added[:day]))
        for day in range(len(added) + 1)
    ]


def told(when: str, *codes: tuple[QrCode, Sequence[Reading]], only: Sequence[int | str] = ()) -> Findings:
    setting = AlertSetting(when=when, codes=list(only))
    return find({"rule": setting}, AlertFacts(NOW, SERVICE_NOW, codes))


def of(added: Sequence[int], id: int = 1, name: str = "Harbor · Table 1") -> tuple[QrCode, list[Reading]]:
    return QrCode(id=id, name=name), daily(added)


# ---- rules ----


@pytest.mark.parametrize("example", [example for _, example, _ in RULES])
def test_every_example_is_a_rule_however_it_is_spaced(example: str) -> None:
    assert rule_of(f"  {example.replace(' ', '   ')} ") == rule_of(example)


@pytest.mark.parametrize(("when", "days"), [("silent 7d", 7), ("silent 2w", 14), ("user expires 1w", 7)])
def test_a_week_is_seven_days(when: str, days: int) -> None:
    assert rule_of(when).days == days


@pytest.mark.parametrize(
    "wrong",
    ["", "silent", "silent 0d", "silent 7h", "scans drop 0% in 7d", "scans drop 101% in 7d", "silent ٣d",
     "requests left < 0", "requests left < -1", "new country please"],
)  # fmt: skip
def test_what_is_no_rule_names_the_rules_there_are(wrong: str) -> None:
    with pytest.raises(ValueError, match="new country"):
        rule_of(wrong)


# ---- codes ----


def test_a_drop_is_raised_from_its_percent_on() -> None:
    week = [100] * 7
    assert [alert.subject for alert in told("scans drop 50% in 7d", of([*week, *[50] * 7])).holding] == [
        "qr 1"
    ]
    assert told("scans drop 51% in 7d", of([*week, *[50] * 7])).holding == []
    assert told("scans drop 50% in 7d", of([*week, *[200] * 7])).holding == []


@pytest.mark.parametrize(
    ("only", "count"),
    [([1], 1), (["Harbor"], 1), (["Harbor · Table 1"], 1), (["Harbor · Table 2"], 0), ([2], 0), ([], 1)],
)
def test_a_rule_is_about_the_codes_that_are_named_by_id_or_name_or_group(
    only: Sequence[int | str], count: int
) -> None:
    found = told("scans drop 50% in 7d", of([100] * 7 + [50] * 7), only=only)
    assert len(found.holding) == count


def test_a_drop_of_next_to_nothing_is_noise() -> None:
    assert told("scans drop 50% in 7d", of([1] * 7 + [0] * 7)) == Findings()


def test_a_history_that_is_too_short_raises_nothing_and_ends_nothing() -> None:
    for when in ("scans drop 50% in 7d", "silent 7d", "new country"):
        found = told(when, of([0, 0]))
        assert (found.holding, found.undecided) == ([], {("rule", "qr 1")})
        standing = Alert("rule", "qr 1", "", NOW)
        assert found.settled([standing]) == ([], [])


def test_a_code_without_scans_is_silent() -> None:
    assert told("silent 7d", of([5, *[0] * 7])).holding[0].message == (
        "Harbor · Table 1: no scans in the last 7 days"
    )
    assert told("silent 7d", of([5, *[0] * 6, 1])) == Findings()
    assert told("silent 7d", of([300, 9, -200, *[9] * 5])) == Findings(), "its counter went back"
    assert told("silent 7d", of([300, 0, -200, *[0] * 5])).holding, "and nothing came since"


def test_a_country_is_new_for_a_week() -> None:
    def readings(day: int) -> list[Reading]:
        first = Reading(NOW - timedelta(days=30), scans=1, breakdowns={"countries": {"Norway": 1}})
        counts = {"Norway": 2, "Chile": 1, "Peru": 0}
        return [first, Reading(NOW - timedelta(days=day), scans=3, breakdowns={"countries": counts})]

    code = QrCode(id=1, name="Flyer")
    assert [alert.subject for alert in told("new country", (code, readings(2))).holding] == ["qr 1: Chile"]
    assert told("new country", (code, readings(8))).holding == []


def test_a_rule_is_told_to_ids_to_groups_or_to_all() -> None:
    codes = [of([0] * 8, 1), of([0] * 8, 2, "Museum"), of([0] * 8, 3, "Harbor · Table 2")]

    def subjects(*only: int | str) -> list[str]:
        return [alert.subject for alert in told("silent 7d", *codes, only=only).holding]

    assert subjects() == ["qr 1", "qr 2", "qr 3"]
    assert subjects(2) == ["qr 2"]
    assert subjects("Harbor") == ["qr 1", "qr 3"]
    assert subjects("Harb") == []


# ---- users and the budget ----


def test_users_who_expire_and_what_is_left() -> None:
    users = [
        User(id=number, username=f"user{number}", expires=SERVICE_NOW + timedelta(hours=hours))
        for number, hours in enumerate((-1, 72, 7 * 24 + 1), 1)
    ]
    rules = {"soon": AlertSetting(when="user expires 7d"), "few": AlertSetting(when="requests left < 5")}
    found = find(rules, AlertFacts(NOW, SERVICE_NOW, users=users, requests_left=4))
    assert [alert.key for alert in found.holding] == [("soon", "user 2"), ("few", "requests")]
    assert find(rules, AlertFacts(NOW, SERVICE_NOW, users=[], requests_left=5)) == Findings()
    unknown = find(rules, AlertFacts(NOW, SERVICE_NOW))
    assert unknown.settled(list(found.holding)) == ([], [])


# ---- once, and again only after it ceased ----

KEYS = st.tuples(st.sampled_from("ab"), st.sampled_from(["qr 1", "qr 2", "qr 1: Norway"]))
MOMENTS = st.lists(st.tuples(st.sets(KEYS), st.sets(KEYS)), max_size=8)


@given(MOMENTS)
def test_an_alert_is_new_once_until_it_has_ceased(
    moments: list[tuple[set[tuple[str, str]], set[tuple[str, str]]]],
) -> None:
    raised: dict[tuple[str, str], Alert] = {}
    for minute, (keys, undecided) in enumerate(moments):
        now = NOW + timedelta(minutes=minute)
        found = Findings([Alert(*key, "", now) for key in keys], undecided)
        holding, ceased = found.settled(list(raised.values()))
        before = set(raised)
        raised = {key: alert for key, alert in raised.items() if alert not in ceased}
        raised |= {alert.key: alert for alert in holding}
        assert {alert.key for alert in holding} == keys
        assert all((alert.since == now) == (alert.key not in before) for alert in holding)
        assert not {alert.key for alert in ceased} & (keys | undecided)
        assert found.settled(list(raised.values()))[1] == []
