"""The async client of the service, usable as a library of its own.

`Client` and httpx are imported when they are first asked for, so that the models alone stay light.
"""

from typing import TYPE_CHECKING

from linkdash.api.errors import LinkdashError, ServiceError

if TYPE_CHECKING:
    from linkdash.api.client import Client

__all__ = ["Client", "LinkdashError", "ServiceError"]


def __getattr__(name: str) -> type["Client"]:
    if name != "Client":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from linkdash.api.client import Client

    return Client
