from datetime import datetime, timedelta

from linkdash.api.resources.qr import QrCode
from linkdash.api.resources.users import User
from linkdash.model.insight.first_day import by_term, first_day

NOW = datetime(2026, 11, 28, 12)


def code(id: int, days: float | None, scans: int) -> QrCode:
    return QrCode(id=id, date=None if days is None else NOW - timedelta(days=days), scans=scans)


def test_codes_are_told_by_their_scans_a_day_the_newest_first_and_those_never_scanned() -> None:
    codes = [code(1, 10, 100), code(2, 0.5, 30), code(3, 100, 100), code(4, 2, 0), code(5, None, 9)]
    found = first_day(codes, NOW, 2)
    assert [(one.code.id, one.a_day) for one in found.rates] == [(2, 30), (1, 10)]
    assert [one.id for one in found.newest] == [2, 4]
    assert [one.id for one in found.unscanned] == [4]


def test_users_are_counted_by_the_time_they_have_left() -> None:
    ends = [None, NOW - timedelta(days=1), NOW + timedelta(days=3), NOW + timedelta(days=3)]
    ends += [NOW + timedelta(days=20), NOW + timedelta(days=90)]
    users = [User(id=id, expires=end) for id, end in enumerate(ends, 1)]
    assert by_term(users, NOW) == [
        ("expired", 1),
        ("in 7 days", 2),
        ("in 8-30 days", 1),
        ("later", 1),
        ("never", 1),
    ]
