"""Custom splash pages (reference: Custom splash page); they can only be listed."""

from linkdash.demo.answers import Answer
from linkdash.demo.endpoint import Call, Endpoint
from linkdash.demo.paging import paged


def index(call: Call) -> Answer:
    """One page of splash pages."""
    return paged(call, "splash", "splash", dict)


ENDPOINTS = (Endpoint("GET", "/api/splash", index),)
