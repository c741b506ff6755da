"""The proxy of a service, as the environment sets it: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`.

`NO_PROXY` is written in many ways: names, addresses and nets of both kinds, in brackets or not, with a port.
"""

import ipaddress
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import urlsplit
from urllib.request import getproxies

from linkdash.api.http.address import is_loopback

_NAME = re.compile(r"[\w-]+(\.[\w-]+)*\.?")
_ENTRY = re.compile(r"(?P<host>\[[^\]]*\](?:/\d+)?|[^:]*|.*:.*:.*?)(?::(?P<port>\d+))?")
Net = ipaddress.IPv4Network | ipaddress.IPv6Network
_PORTS = {"http": 80, "https": 443}


class _Exception(NamedTuple):
    """An exception from the proxy: a name with all below it, or a net; "" is every name."""

    host: str | Net
    port: int | None


def proxy_of(address: str) -> str | None:
    """The proxy that leads to an address; None where there is none, or it is not to be used.

    None leads to this machine itself.
    """
    parts, known = urlsplit(address), getproxies()
    proxy = known.get(parts.scheme) or known.get("all")
    host, port = (parts.hostname or "").rstrip("."), parts.port or _PORTS.get(parts.scheme)
    if not proxy or is_loopback(host):
        return None
    if any(_is_meant(found, host, port) for _, found in _exceptions() if found is not None):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def unreadable_exceptions() -> list[str]:
    """The parts of `NO_PROXY` that are neither name nor address nor net: they are left out."""
    return [text for text, found in _exceptions() if found is None]


def _exceptions() -> Iterator[tuple[str, _Exception | None]]:
    for text in getproxies().get("no", "").split(","):
        if text.strip():
            yield text.strip(), _read(text.strip())


def _read(text: str) -> _Exception | None:
    if text == "*":
        return _Exception("", None)
    match = _ENTRY.fullmatch(text.rpartition("://")[2].rstrip("/"))
    if match is None:
        return None
    port = int(match["port"]) if match["port"] else None
    bare = match["host"].replace("[", "").replace("]", "")
    with suppress(ValueError):
        return _Exception(ipaddress.ip_network(bare, strict=False), port)
    name = match["host"].removeprefix("*").removeprefix(".").lower()
    return _Exception(name.rstrip("."), port) if _NAME.fullmatch(name) else None


def _is_meant(exception: _Exception, host: str, port: int | None) -> bool:
    if exception.port not in (None, port):
        return False
    if isinstance(exception.host, str):
        return not exception.host or f".{host}".endswith(f".{exception.host}")
    with suppress(ValueError):
        return ipaddress.ip_address(host) in exception.host
    return False
