"""Readings written into the history that linkdash finds when it is started in a test."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from linkdash.api.http.address import profile_key, state_folder
from linkdash.demo.server import Running
from linkdash.model.local_time import local_zone
from linkdash.model.statistics.readings import start_of
from linkdash.store.folders import cache_folder
from linkdash.store.reading import Reading
from linkdash.store.store import Store


def keep(service: Running, readings: Mapping[int, Sequence[Reading]]) -> None:
    """Keep readings of codes, each code's in the order of time."""

    async def record() -> None:
        key = profile_key(service.base_url, service.api_key)
        store = Store(state_folder(), cache_folder(), key)
        await store.history.record_all(readings)
        await store.close()

    asyncio.run(record())


def daily(added: Sequence[int], countries: Sequence[Mapping[str, int]] = ()) -> list[Reading]:
    """A reading at the end of each of the last days, today left out, with so many scans added in each."""
    zone, now, scans = local_zone(), datetime.now(UTC), 0
    found = [Reading(start_of("day", now, zone, len(added)), 0, 0, 0, {"countries": {}})]
    for index, count in enumerate(added):
        scans += count
        told = {"countries": countries[index]} if countries else {}
        at = start_of("day", now, zone, len(added) - index - 1)
        found.append(Reading(at, scans, scans, scans, told))
    return found
