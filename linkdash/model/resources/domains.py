"""Branded domains and where their bare and broken visits go."""

from linkdash.api.resources.domains import Domain, DomainCreate, DomainUpdate
from linkdash.model.declaration import Deletion, Resource
from linkdash.model.lists.columns import column
from linkdash.model.lists.views import BROKEN, Finding


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
    findings=(
        Finding(
            name="http",
            filter='domain:"http://"',
            why="Their links are not encrypted.",
            advice="Create the domain with https where its server has a certificate.",
        ),
        Finding(
            name="no redirect",
            filter="redirects<2",
            why="Visits without a link, or of a link that there is not, end at an error.",
            advice="Edit its redirects.",
        ),
        Finding(
            name="nothing uses it",
            filter="codes:0",
            why="No QR code leads to it.",
            advice="Delete it unless links use it; this is known once all QR codes are loaded.",
        ),
        BROKEN,
    ),
)
