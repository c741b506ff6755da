"""CTA overlays and splash pages, which can only be listed (reference: CTA overlay, Custom splash page)."""

from linkdash.demo.endpoint import Answer, Call, Endpoint, paged

TABLES = """
CREATE TABLE overlays (id INTEGER PRIMARY KEY, type TEXT NOT NULL, name TEXT NOT NULL, date TEXT NOT NULL);
CREATE TABLE splash (id INTEGER PRIMARY KEY, name TEXT NOT NULL, date TEXT NOT NULL);
"""


def overlays(call: Call) -> Answer:
    """One page of overlays."""
    return paged(call, "cta", "overlays", dict)


def splash(call: Call) -> Answer:
    """One page of splash pages."""
    return paged(call, "splash", "splash", dict)


ENDPOINTS = (Endpoint("GET", "/api/overlay", overlays), Endpoint("GET", "/api/splash", splash))
