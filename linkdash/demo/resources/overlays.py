"""CTA overlays (reference: CTA overlay); they can only be listed."""

from linkdash.demo.answers import Answer
from linkdash.demo.endpoint import Call, Endpoint
from linkdash.demo.paging import paged


def index(call: Call) -> Answer:
    """One page of overlays."""
    return paged(call, "cta", "overlays", dict)


ENDPOINTS = (Endpoint("GET", "/api/overlay", index),)
