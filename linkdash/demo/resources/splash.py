"""Splash pages (reference: Custom splash page)."""

from linkdash.demo.endpoint import Answer, Call, Endpoint, paged

TABLES = """
CREATE TABLE splash (id INTEGER PRIMARY KEY, name TEXT NOT NULL, date TEXT NOT NULL);
"""


def splash(call: Call) -> Answer:
    """Return a page of splash pages."""
    return paged(call, "splash", "splash", dict)


ENDPOINTS = (Endpoint("GET", "/api/splash", splash),)
