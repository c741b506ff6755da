"""The screen of the campaigns."""

from linkdash.api.resources.campaigns import Campaign
from linkdash.model.resources.campaigns import RESOURCE
from linkdash.model.session import Session
from linkdash.screens.lists.related import RelatedFacts, alike_facts, name_lines
from linkdash.screens.resource_screen import ResourceScreen
from linkdash.widgets.styled_text import Lines

_FEWEST = 14  # rows of the codes of one name, before the names of all campaigns are told below them


class CampaignsScreen(ResourceScreen[Campaign]):
    """Campaigns, and the scans of codes that are named alike.

    The service does not tell what is in a campaign.
    """

    TITLE = RESOURCE.title
    NAMES_CODES = True

    def __init__(self, session: Session) -> None:
        super().__init__(session, RESOURCE)

    def related(self, record: Campaign) -> RelatedFacts | None:
        """The codes that are named like it; below them, the scans by the names of all campaigns."""
        alike = self.known_codes.alike(record.name)
        if alike is None:
            return None
        facts = alike_facts(alike)
        trends = self.known_codes.trends(one.name for one in self.collection.records)
        has_days = not self.session.settings.linear

        def lines(width: int, height: int) -> Lines:
            others = name_lines(trends, width, height, has_days=has_days)
            left = height - len(others)
            if left < _FEWEST:
                return facts.lines(width, height)
            return [*facts.lines(width, left), *others]

        return facts._replace(lines=lines)
