"""The screen of the campaigns."""

from collections.abc import Sequence

from linkdash.api.resources.campaigns import Campaign
from linkdash.model.resources.campaigns import RESOURCE
from linkdash.model.session import Session
from linkdash.screens.lists.known_codes import BY_NAME_TITLES
from linkdash.screens.lists.related import BY_NAME, RelatedFacts, alike_facts, name_lines
from linkdash.screens.resource_screen import ResourceScreen
from linkdash.widgets.styled_text import Lines

_FEWEST = 14  # rows of the codes of one name, before the names of all campaigns are told below them


class CampaignsScreen(ResourceScreen[Campaign]):
    """Campaigns, and the scans of codes that are named alike.

    The service does not tell what is in a campaign.
    """

    TITLE = RESOURCE.title
    COLUMN_TITLES = BY_NAME_TITLES
    NAMES_CODES = True

    def __init__(self, session: Session) -> None:
        super().__init__(session, RESOURCE)
        name, *others = self.records.columns
        self.records.columns = (name, *self.known_codes.columns(RESOURCE.name_of), *others)
        self.collection.arrangement.use(self.records.columns, ())

    def facts(self) -> Sequence[str]:
        """Return whose scans the rows tell, where they tell any: not those of what is in a campaign."""
        drawn = {column.name for column in self.table.columns} - self.table.without_room
        return (f"7 days {BY_NAME}",) if "days" in drawn else ()

    async def read_related(self) -> None:
        before = self.known_codes.weeks
        await super().read_related()
        if self.known_codes.weeks != before:
            self.show_columns_anew()

    def related(self, record: Campaign) -> RelatedFacts | None:
        """The codes that are named like it; below them, the scans by the names of all campaigns."""
        alike = self.known_codes.alike(record.name)
        if alike is None:
            return None
        facts = alike_facts(alike)
        if self.facts():  # the list says it of every row
            facts = facts._replace(below="")
        trends = self.known_codes.trends(one.name for one in self.collection.records)
        has_days = not self.session.settings.linear

        def lines(width: int, height: int) -> Lines:
            others = name_lines(trends, width, height, has_days=has_days)
            left = height - len(others)
            if left < _FEWEST:
                return facts.lines(width, height)
            return [*facts.lines(width, left), *others]

        return facts._replace(lines=lines)
