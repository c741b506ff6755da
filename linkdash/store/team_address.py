"""The address of a team's database, which sends nothing plain over a network."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from linkdash.api.http.address import is_loopback
from linkdash.store.database import StoreUnavailable

_NAME = "linkdash"
_CONNECT_SECONDS = "2"  # the least that libpq takes
_SAFE_MODES = ("verify-ca", "verify-full")


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a team's database."""

    name: str
    """Host and database, for the user."""
    conninfo: str = field(repr=False)
    """The connection string of libpq, with the password."""

    @classmethod
    def read(cls, text: str, password: str | None = None) -> Self:
        """The address in a `postgresql://user@host/database`; `password` beats one that is in it.

        Raises StoreUnavailable for one that is malformed, or that would send anything plain over a network.
        """
        try:
            parameters = conninfo_to_dict(text)
        except psycopg.ProgrammingError:
            raise StoreUnavailable(
                "The address of the team store is malformed.",
                "Write it as postgresql://user@host/database",
            ) from None
        if password is not None:
            parameters["password"] = password
        host = str(parameters.get("host") or parameters.get("hostaddr") or "")
        if not _stays_here(parameters):
            mode = parameters.get("sslmode", "verify-full")
            if mode not in _SAFE_MODES:
                raise StoreUnavailable(
                    f"sslmode={mode} would not protect what is sent to the team store.",
                    "Use sslmode=verify-full, or leave it out.",
                )
            parameters = {"sslrootcert": "system", **parameters, "sslmode": mode}
        place = "local" if not host or host.startswith("/") else host
        parameters = {"connect_timeout": _CONNECT_SECONDS, "application_name": _NAME, **parameters}
        return cls(f"team store {place}/{parameters.get('dbname', '')}", make_conninfo("", **parameters))


def _stays_here(parameters: Mapping[str, object]) -> bool:
    """Return whether every place that libpq may connect to is on this machine.

    It takes lists of hosts, connects to `hostaddr` whatever the host is called, and adds what the environment
    or a file of services has of them.
    """
    if parameters.get("service") or os.environ.get("PGSERVICE"):
        return False
    named = (parameters.get(name) or os.environ.get(f"PG{name.upper()}") for name in ("host", "hostaddr"))
    return all(_is_local(place) for places in named for place in str(places or "").split(","))


def _is_local(host: str) -> bool:
    """Return whether nothing leaves the machine on the way to a host, or a socket."""
    return not host or host.startswith(("/", "@")) or is_loopback(host)
