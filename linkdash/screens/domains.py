"""Branded domains and where their bare and broken visits go."""

from linkdash.api.domains import Domain
from linkdash.api.endpoints import Endpoints
from linkdash.api.resource import Source
from linkdash.screens.resource import ResourceScreen
from linkdash.widgets.columns import column


class DomainsScreen(ResourceScreen[Domain]):
    """Branded domains and where their bare and broken visits go."""

    name_of_place = "domains"
    TITLE = "Domains"
    record = Domain
    singular = "domain"
    columns = (
        column(Domain, "id"),
        column(Domain, "domain", grow=True, essential=True),
        column(Domain, "redirectroot", grow=True),
        column(Domain, "redirect404", grow=True),
    )

    def source(self, endpoints: Endpoints) -> Source[Domain]:
        return endpoints.domains.paged
