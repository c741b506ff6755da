"""Records of other resources by name, as far as they are loaded: what a form can offer to choose from."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, runtime_checkable

from linkdash.api.fields import fields_of
from linkdash.api.model import Body
from linkdash.model.forms.draft import Options


@runtime_checkable
class NamedList(Protocol):
    """A list of records that are known by name."""

    async def names(self) -> Sequence[tuple[int, str]]:
        """Id and name of every record that is loaded, or was kept of an earlier run; costs nothing."""

    async def load(self) -> None:
        """Loads the first page, which costs one request. Raises ServiceError."""


class Names:
    """The lists of all resources, by resource."""

    def __init__(self) -> None:
        self._lists: dict[str, NamedList] = {}

    def add_all(self, screens: Mapping[str, object]) -> None:
        """Makes the records of those resources known whose screens know them by name."""
        self._lists |= {name: found for name, found in screens.items() if isinstance(found, NamedList)}

    async def of(self, resources: Iterable[str]) -> Options:
        """The records of these resources that can be chosen by name."""
        known = [resource for resource in resources if resource in self._lists]
        return {resource: await self._lists[resource].names() for resource in known}

    async def load(self, resource: str) -> None:
        """Loads the records of a resource, which costs one request. Raises ServiceError."""
        await self._lists[resource].load()


def references(model: type[Body]) -> list[str]:
    """The resources that a request model refers to."""
    return [field.reference for field in fields_of(model) if field.reference is not None]
