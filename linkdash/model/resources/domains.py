"""Branded domains and where their bare and broken visits go."""

from linkdash.api.resources.domains import Domain, DomainCreate, DomainUpdate
from linkdash.model.declaration import Deletion, Resource
from linkdash.model.lists.columns import column


def losses_of(domain: Domain) -> str:
    """Return what stops with a domain."""
    redirects = [address for address in (domain.redirectroot, domain.redirect404) if address]
    stopped = f" So do its redirects to {' and '.join(redirects)}." if redirects else ""
    return f"Short links on it stop working.{stopped}"


RESOURCE = Resource(
    "domains",
    singular="domain",
    record=Domain,
    columns=(
        column(Domain, "domain", grow=True, essential=True),
        column(Domain, "redirectroot", grow=True),
        column(Domain, "redirect404", grow=True),
        column(Domain, "id"),
    ),
    create=DomainCreate,
    update=DomainUpdate,
    delete=Deletion(losses_of, "Short links on {} domains stop working.", typed=True),
)
