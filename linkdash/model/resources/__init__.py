"""The declarations of the resources, one file each, found by the id that `linkdash.model.places` gives."""

from functools import cache
from importlib import import_module

from linkdash.model.places import PLACES, place
from linkdash.model.resource import AnyResource


@cache
def declaration(id: str) -> AnyResource:
    """The declaration of a resource. Raises KeyError for an unknown id."""
    found: AnyResource = import_module(f"{__name__}.{place(id).id}").RESOURCE
    return found


def declarations() -> list[AnyResource]:
    """Every declaration, in the order of the keys."""
    return [declaration(place.id) for place in PLACES]
