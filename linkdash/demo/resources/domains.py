"""Branded domains (reference: Branded domains)."""

from linkdash.demo.endpoint import (
    Answer,
    Call,
    Endpoint,
    Refusal,
    created,
    done,
    optional,
    or_empty,
    paged,
    pattern,
    required,
    url,
)

TABLES = """
CREATE TABLE domains (
    id INTEGER PRIMARY KEY AUTOINCREMENT, domain TEXT NOT NULL UNIQUE,
    redirectroot TEXT NOT NULL DEFAULT '', redirect404 TEXT NOT NULL DEFAULT '');
"""


def index(call: Call) -> Answer:
    """Return a page of domains."""
    return paged(call, "domains", "domains", dict)


def add(call: Call) -> Answer:
    """Create a domain. Hosts under `.invalid` stand for those that do not point to the service."""
    domain = str(call.body["domain"]).lower().rstrip("/")
    host = domain.partition("://")[2]
    if host.endswith(".invalid"):
        raise Refusal(400, f"{host} does not point to this service.")
    spellings = (f"http://{host}", f"https://{host}")
    if any(call.taken("domains", {"domain": spelling}) for spelling in spellings):
        raise Refusal(400, f"{host} is already in use.")
    return created(call.insert("domains", {**call.body, "domain": domain}))


def update(call: Call) -> Answer:
    """Change the redirects."""
    call.find("domains", call.id(), "Domain")
    call.update("domains", call.id(), call.body)
    return done("Domain has been successfully updated.")


def delete(call: Call) -> Answer:
    """Delete a domain."""
    call.remove("domains", call.id(), "Domain")
    return done("Domain has been successfully deleted.")


domain_url = pattern(r"(?i)https?://[^\s/?#@]+/?", "a domain with http:// or https:// before it and no path")
REDIRECTS = {"redirectroot": optional(or_empty(url)), "redirect404": optional(or_empty(url))}

ENDPOINTS = (
    Endpoint("GET", "/api/domains", index),
    Endpoint("POST", "/api/domain/add", add, {"domain": required(domain_url), **REDIRECTS}),
    Endpoint("PUT", "/api/domain/{id:int}/update", update, REDIRECTS),
    Endpoint("DELETE", "/api/domain/{id:int}/delete", delete),
)
