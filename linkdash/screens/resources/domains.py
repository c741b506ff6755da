"""The screen of the domains."""

import asyncio
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace

from linkdash.api.resources.domains import Domain
from linkdash.model.humanize import CountChange, KnownHost
from linkdash.model.insight.code_usage import codes_by_host, host_of, usage
from linkdash.model.lists.columns import drawn, is_few, value_of
from linkdash.model.lists.computed_columns import WEEK_TITLES, week_columns
from linkdash.model.resources.domains import RESOURCE
from linkdash.model.resources.qr import RESOURCE as CODES
from linkdash.model.session import Session
from linkdash.model.statistics.code_statistics import StatisticsReader
from linkdash.model.statistics.scan_activity import Activity
from linkdash.screens.resource_screen import ResourceScreen

_PATH_CELLS = 26  # of `…/not-found?from=link`, or of another host and an end: else the details tell it


class DomainsScreen(ResourceScreen[Domain]):
    """Domains, and the week of the known codes that lead to each."""

    TITLE = RESOURCE.title
    COLUMN_TITLES = WEEK_TITLES

    def __init__(self, session: Session) -> None:
        super().__init__(session, RESOURCE)
        domain, root, broken, id = self.records.columns
        broken = replace(drawn(broken, _beside_root, width=_PATH_CELLS), grow=False)
        self.records.columns = (domain, root, *week_columns(self._week_of), broken, id)
        self.collection.arrangement.use(self.records.columns, ())
        self._weeks: Mapping[str, CountChange] = {}
        """The scans of the codes that lead to a host."""

    def _week_of(self, domain: Domain) -> CountChange | None:
        return self._weeks.get(host_of(domain.domain))

    @property
    def notes(self) -> Mapping[Hashable, str]:
        """Those that are http carry a sign, where most are not."""
        plain = {one.key for one in self.collection.records if one.domain.startswith("http://")}
        few = plain if is_few(plain, self.collection.records) else set()
        return {**dict.fromkeys(few, "http"), **super().notes}

    async def read_known(self) -> None:
        codes = await self.session.collections.of(CODES).known_records()
        activities = await StatisticsReader(self.session).activities()
        by_host = await asyncio.to_thread(codes_by_host, codes)
        weeks = await asyncio.to_thread(_weeks, by_host, activities)
        if weeks != self._weeks:
            self._weeks = weeks
            self.show_columns_anew()


def _weeks(codes: Mapping[str, Iterable[int]], activities: Mapping[int, Activity]) -> dict[str, CountChange]:
    """The scans of the codes of each host, where they are kept."""
    used = {host: usage(ids, activities) for host, ids in codes.items()}
    return {host: one.change for host, one in used.items() if one.told}


def _beside_root(domain: Domain) -> object:
    """The address for broken visits; that its host is the one for bare visits, where it is, too."""
    root, broken = value_of(domain, "redirectroot"), value_of(domain, "redirect404")
    if not isinstance(root, str) or not isinstance(broken, str):
        return broken
    host, _, path = broken.partition("://")[2].partition("/")
    is_known = path and host == root.partition("://")[2].partition("/")[0]
    return KnownHost(broken) if is_known else broken
