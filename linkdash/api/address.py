"""The service's address and the key, checked before the first byte is sent."""

import ipaddress
import re
from urllib.parse import SplitResult, urlsplit

from linkdash.api.errors import Misconfigured

_KEY = re.compile(r"[\x21-\x7e]{1,512}")
_HOST = re.compile(r"[A-Za-z0-9._-]+|[0-9A-Fa-f:.]+")


def base_address(text: str) -> str:
    """The service's base address, without a trailing slash and without `/api`.

    Taken with or without either, and with or without a sub-path. Raises Misconfigured for what is no
    http(s) address, for credentials, queries or fragments in it, and for plain http to another machine.
    """
    parts = _split(text.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname or not _HOST.fullmatch(parts.hostname):
        raise Misconfigured(
            "The service's address is not a web address.", "Write it as https://links.example.org"
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise Misconfigured(
            "The service's address holds more than an address.", "Leave out user, password, ? and #."
        )
    if parts.scheme == "http" and not is_loopback(parts.hostname):
        raise Misconfigured(
            f"Plain http to {parts.hostname} would show the key to the network.", "Use https."
        )
    path = re.sub(r"(/api)?/*$", "", parts.path.rstrip("/"))
    return f"{parts.scheme}://{parts.netloc}{path}"


def _split(text: str) -> SplitResult:
    try:
        parts = urlsplit(text)
        parts.port  # noqa: B018  reading it is what checks it
    except ValueError:
        raise Misconfigured(
            "The service's address is not a web address.", "Write it as https://links.example.org"
        ) from None
    return parts


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine itself."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def checked_key(text: str) -> str:
    """The API key without surrounding space. Raises Misconfigured, without the key in it, for no key."""
    key = text.strip()
    if not key:
        raise Misconfigured("There is no API key.", "Set LINKDASH_API_KEY or api_key in the profile.")
    if not _KEY.fullmatch(key):
        raise Misconfigured(
            "The API key holds a character that no key has.",
            "Copy it again: one line, no spaces, no line ends inside.",
        )
    return key
