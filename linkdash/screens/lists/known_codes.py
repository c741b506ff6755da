"""The QR codes that are loaded or kept whose names begin alike, with their scans."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from linkdash.model.humanize import CountChange, Trend
from linkdash.model.insight.related import usage
from linkdash.model.lists.columns import Computed, Row
from linkdash.model.lists.computed_columns import WEEK_TITLES, week_columns
from linkdash.model.resources import place
from linkdash.model.resources.qr import RESOURCE
from linkdash.model.session import Session
from linkdash.model.statistics.code_statistics import StatisticsReader
from linkdash.model.statistics.scan_activity import Activity, by_prefix, without_prefix
from linkdash.screens.lists.related import UsedCodes
from linkdash.widgets.details import DetailLine

BY_NAME_TITLES: Mapping[str, str] = {**WEEK_TITLES, "days": "By name"}
"""The titles of the columns that tell the scans of codes named alike, by their names."""


class KnownCodes:
    """All that is known of codes, read when a screen is shown again; nothing is asked for it."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._activities: Mapping[int, Activity] = {}
        self._groups: Mapping[str, Mapping[int, str]] = {}
        """What is behind the beginning that names share, by that and by the ids of the codes."""
        self._parts: dict[str, str] = {}
        """The parts of names, which every row is asked for."""
        self.weeks: Mapping[str, CountChange] = {}
        """The scans of the codes of each beginning, where they are kept."""

    async def read(self) -> None:
        """Read what is known by now."""
        codes = await self._session.collection_of(RESOURCE).known_records()
        self._activities = await StatisticsReader(self._session).activities()
        groups = await asyncio.to_thread(by_prefix, codes)
        self._groups = {
            name: {code.id: without_prefix(code.name) for code in found} for name, found in groups.items()
        }
        self._parts = {}
        self.weeks = await asyncio.to_thread(_weeks, self._groups, self._activities)

    def columns(self, name_of: Callable[[Row], str]) -> tuple[Computed[Row], Computed[Row]]:
        """The scans of the codes whose names begin with a part of a row's name, and their change."""

        def change_of(row: Row) -> CountChange | None:
            return self.weeks.get(self._part_of(name_of(row)))

        scans, change = week_columns(change_of)
        return replace(scans, title=BY_NAME_TITLES[scans.name]), change

    def alike(self, name: str) -> tuple[str, UsedCodes] | None:
        """The codes whose names begin with a part of this name, with that part: the longest, if several."""
        found = self._part_of(name)
        return (found, self._used(self._groups[found])) if found else None

    def _part_of(self, name: str) -> str:
        if name not in self._parts:
            text = name.casefold()
            found = (one for one in self._groups if one.casefold() in text)
            self._parts[name] = max(found, key=len, default="")
        return self._parts[name]

    def trends(self, names: Iterable[str]) -> dict[str, Trend]:
        """The scans of the codes whose names begin with a part of these, by that part, as far as kept."""
        parts = sorted({part for name in names if (part := self._part_of(name))})
        found = ((part, usage(self._groups[part], self._activities).trend) for part in parts)
        return {part: trend for part, trend in found if trend is not None}

    def in_details(self, name: str) -> list[DetailLine]:
        """The codes whose names begin with a part of this name, as a line of details; none where none do."""
        alike = self.alike(name)
        return [DetailLine("QR codes", (*alike[1].in_one_line(alike[0]),))] if alike is not None else []

    def _used(self, names: Mapping[int, str]) -> UsedCodes:
        linear = self._session.settings.linear
        return UsedCodes(names, self._activities, place("qr").icon, in_numbers=linear)


def _weeks(
    groups: Mapping[str, Mapping[int, str]], activities: Mapping[int, Activity]
) -> dict[str, CountChange]:
    used = {name: usage(codes, activities) for name, codes in groups.items()}
    return {name: one.change for name, one in used.items() if one.told}
