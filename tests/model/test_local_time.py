"""The zone of the user, however it is set, and the service's own time."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from linkdash.api.paging import Page
from linkdash.api.resources.qr import QrCode
from linkdash.model.local_time import distance_of, local_moment, local_zone
from linkdash.model.session_services import SessionServices
from linkdash.model.settings import Settings
from linkdash.model.statistics.readings import start_of
from linkdash.store.store import Store

SETTINGS = Settings("tests", "https://links.example.org", SecretStr("a-key"))
BERLIN = ZoneInfo("Europe/Berlin")


@pytest.fixture(
    params=[
        "Europe/Berlin",
        ":Europe/Berlin",
        ":/usr/share/zoneinfo/Europe/Berlin",
        "/usr/share/zoneinfo/Europe/Berlin",
        "CET-1CEST,M3.5.0,M10.5.0/3",
    ]
)
def in_berlin(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as changed:
        changed.setenv("TZ", request.param)
        time.tzset()
        local_zone.cache_clear()
        yield
    time.tzset()
    local_zone.cache_clear()


@pytest.mark.usefixtures("in_berlin")
def test_days_are_cut_as_the_zone_does_however_it_is_set() -> None:
    for changing in (datetime(2026, 3, 29, tzinfo=UTC), datetime(2026, 10, 25, tzinfo=UTC)):
        for minutes in range(-3 * 1440, 3 * 1440, 20):
            moment = changing + timedelta(minutes=minutes)
            here, there = local_moment(moment.timestamp()), moment.astimezone(BERLIN)
            assert (here.replace(tzinfo=None), here.fold) == (there.replace(tzinfo=None), there.fold)
            assert (here.utcoffset(), f"{here:%z %Z}") == (there.utcoffset(), f"{there:%z %Z}")
            for step in ("hour", "day", "week"):
                cut = start_of(step, moment, local_zone(), back=1).astimezone(UTC)
                assert cut == start_of(step, moment, BERLIN, back=1).astimezone(UTC)


@given(
    st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC)),
    st.integers(-12 * 4, 14 * 4),
    st.integers(-100, 100),
)
def test_how_far_a_service_is_from_utc_is_told_by_what_was_made(
    made: datetime, quarters: int, seconds: int
) -> None:
    away = timedelta(minutes=15 * quarters)
    told = made.replace(tzinfo=None) + away + timedelta(seconds=seconds)
    assert distance_of(made, told) == away
    assert distance_of(made, told + timedelta(minutes=7)) is None
    assert distance_of(made, told - timedelta(days=2)) is None


async def test_the_latest_record_made_here_tells_the_time_of_the_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = {5: datetime(2026, 10, 1, 10, tzinfo=UTC), 9: datetime(2026, 11, 20, 10, tzinfo=UTC)}
    summer, winter = (
        QrCode.model_validate({"id": id, "date": at.astimezone(BERLIN).replace(tzinfo=None)})
        for id, at in made.items()
    )

    async def created(resource: str) -> dict[int, datetime]:
        return made

    services = SessionServices(SETTINGS, Store(tmp_path, tmp_path, "tests"))
    monkeypatch.setattr(services.store.journal, "created", created)
    for rows in ([winter, summer], [summer]):
        await services.learn_distance("qr", Page(rows, None, None, None, None, None))
        assert services.distance == timedelta(hours=1)
    await services.close()
