"""Branded domains (reference: Branded domains)."""

from linkdash.demo import records
from linkdash.demo.answers import Answer, Refusal, created, done
from linkdash.demo.endpoint import Call, Endpoint
from linkdash.demo.paging import paged
from linkdash.demo.validation import optional, or_empty, pattern, required, url


def index(call: Call) -> Answer:
    """One page of domains."""
    return paged(call, "domains", "domains", dict)


def add(call: Call) -> Answer:
    """Create a domain. Hosts under `.invalid` stand for those that do not point to the service."""
    domain = str(call.body["domain"]).lower().rstrip("/")
    host = domain.partition("://")[2]
    if host.endswith(".invalid"):
        raise Refusal(400, f"{host} does not point to this service.")
    spellings = (f"http://{host}", f"https://{host}")
    if any(records.taken(call.db, "domains", {"domain": spelling}) for spelling in spellings):
        raise Refusal(400, f"{host} is already in use.")
    return created(records.insert(call.db, "domains", {**call.body, "domain": domain}))


def update(call: Call) -> Answer:
    """Change the redirects."""
    records.find(call.db, "domains", call.id(), "Domain")
    records.update(call.db, "domains", call.id(), call.body)
    return done("Domain has been successfully updated.")


def delete(call: Call) -> Answer:
    """Delete a domain."""
    records.remove(call.db, "domains", call.id(), "Domain")
    return done("Domain has been successfully deleted.")


domain_url = pattern(r"(?i)https?://[^\s/?#@]+/?", "a domain with http:// or https:// before it and no path")
REDIRECTS = {"redirectroot": optional(or_empty(url)), "redirect404": optional(or_empty(url))}

ENDPOINTS = (
    Endpoint("GET", "/api/domains", index),
    Endpoint("POST", "/api/domain/add", add, {"domain": required(domain_url), **REDIRECTS}),
    Endpoint("PUT", "/api/domain/{id:int}/update", update, REDIRECTS),
    Endpoint("DELETE", "/api/domain/{id:int}/delete", delete),
)
