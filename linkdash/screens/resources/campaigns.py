"""The screen of the campaigns."""

from linkdash.api.resources.campaigns import Campaign
from linkdash.model.resources.campaigns import RESOURCE
from linkdash.model.session import Session
from linkdash.screens.lists.related import RelatedFacts, alike_facts, change_lines, heading
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
        weeks = self.known_codes.weeks(one.name for one in self.collection.records)
        by_number = dict(enumerate(weeks))
        told = {number: weeks[name] for number, name in by_number.items()}

        def lines(width: int, height: int) -> Lines:
            others = [heading("All names, 7 days", width), *change_lines(by_number, told, width)]
            left = height - len(others) - 1
            if len(weeks) < 2 or left < _FEWEST:
                return facts.lines(width, height)
            return [*facts.lines(width, left), [], *others]

        return facts._replace(lines=lines)
