"""Overlays (reference: CTA overlay)."""

from linkdash.demo.endpoint import Answer, Call, Endpoint, paged

TABLES = """
CREATE TABLE overlays (id INTEGER PRIMARY KEY, type TEXT NOT NULL, name TEXT NOT NULL, date TEXT NOT NULL);
"""


def overlays(call: Call) -> Answer:
    """Return a page of overlays."""
    return paged(call, "cta", "overlays", dict)


ENDPOINTS = (Endpoint("GET", "/api/overlay", overlays),)
