from datetime import UTC, date, datetime, timedelta

from linkdash.api.resources.campaigns import Campaign
from linkdash.api.resources.qr import QrCode
from linkdash.model.humanize import CountChange
from linkdash.model.insight.related import Tally, by_age, by_label, campaigns_on, codes_by_host, usage
from linkdash.model.statistics.scan_activity import activities

NOW = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)


def test_kinds_are_counted_the_most_first_and_ages_from_the_youngest() -> None:
    assert by_label(["b", "a", "b"]) == [Tally("b", 2), Tally("a", 1)]
    today = date(2026, 11, 23)
    found = by_age([date(2020, 1, 1), None, today], today)
    assert found == [Tally("last month", 1), Tally("older than a year", 1), Tally("without a date", 1)]


def test_what_is_on_a_domain_is_found_by_its_host_whatever_the_scheme() -> None:
    codes = [
        QrCode(id=1, name="Poster", link="https://go.a.example/x"),
        QrCode(id=2, link="https://a.example"),
    ]
    assert codes_by_host(codes)["go.a.example"] == {1: "Poster"}
    campaigns = [Campaign(id=1, name="Spring", rotator="https://go.a.example/r/spring"), Campaign(id=2)]
    assert campaigns_on("go.a.example", campaigns) == ["Spring"]


def test_codes_are_summed_where_both_of_their_weeks_are_kept() -> None:
    kept = [(NOW - timedelta(days=16 - day), 10 * day) for day in range(17)]
    known = activities({1: kept, 2: kept, 3: [(NOW, 5)]}, NOW)
    found = usage({1: "one", 2: "two", 3: "three", 4: "four"}, known)
    assert (found.codes, found.told) == (4, 2)
    assert found.change == CountChange(140, 140)
