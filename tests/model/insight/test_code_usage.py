from datetime import UTC, datetime, timedelta

from linkdash.api.resources.qr import QrCode
from linkdash.model.humanize import CountChange
from linkdash.model.insight.code_usage import codes_by_host, usage
from linkdash.model.statistics.scan_activity import activities

NOW = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)


def test_codes_that_lead_to_a_domain_are_found_by_its_host_whatever_the_scheme() -> None:
    codes = [
        QrCode(id=1, name="Poster", link="https://go.a.example/x"),
        QrCode(id=2, link="https://a.example"),
        QrCode(id=3, link="http://go.a.example"),
    ]
    assert codes_by_host(codes)["go.a.example"] == {1, 3}


def test_codes_are_summed_where_both_of_their_weeks_are_kept() -> None:
    kept = [(NOW - timedelta(days=16 - day), 10 * day) for day in range(17)]
    known = activities({1: kept, 2: kept, 3: [(NOW, 5)]}, NOW)
    found = usage([1, 2, 3, 4], known)
    assert (found.codes, found.told) == (4, 2)
    assert found.change == CountChange(140, 140)
