"""Branded domains and where their bare and broken visits go."""

from linkdash.api.client import Endpoints
from linkdash.api.domains import Domain, DomainCreate, DomainUpdate
from linkdash.api.resource import Source
from linkdash.screens import places
from linkdash.screens.writing.writable import WritableScreen
from linkdash.screens.writing.writes import Deleting, creating, updating
from linkdash.widgets.columns import column


def losses_of(domain: Domain) -> str:
    """What stops with a domain."""
    redirects = [address for address in (domain.redirectroot, domain.redirect404) if address]
    stopped = f" So do its redirects to {' and '.join(redirects)}." if redirects else ""
    return f"Short links on it stop working.{stopped}"


class DomainsScreen(WritableScreen[Domain]):
    """Branded domains and where their bare and broken visits go."""

    name_of_place = places.DOMAINS.id
    TITLE = places.DOMAINS.title
    record_type = Domain
    singular = "domain"
    columns = (
        column(Domain, "id"),
        column(Domain, "domain", grow=True, essential=True),
        column(Domain, "redirectroot", grow=True),
        column(Domain, "redirect404", grow=True),
    )
    creating = creating(DomainCreate, lambda at, body: at.domains.create(body))
    updating = updating(DomainUpdate, lambda at, id, body: at.domains.update(id, body))
    deleting = Deleting(lambda at, id: at.domains.delete(id), losses_of, typed=True)

    def source(self, endpoints: Endpoints) -> Source[Domain]:
        return endpoints.domains.source
