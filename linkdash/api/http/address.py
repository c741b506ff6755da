"""The address of the service and the key, checked before the first byte leaves; and the state folder."""

import hashlib
import ipaddress
import re
from functools import lru_cache
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from linkdash.api.errors import Misconfigured

LONGEST_KEY = 512

_KEY = re.compile(rf"[\x21-\x7e]{{1,{LONGEST_KEY}}}")
_NAME = re.compile(r"(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*\.?")
_DEFAULT_PORTS = {"http": 80, "https": 443}


def base_address(text: str | None) -> str:
    """The service's base address in one spelling, without a trailing slash and without `/api`.

    Taken with or without either, and with or without a sub-path. Raises Misconfigured for what is no
    http(s) address, for credentials, queries or fragments in it, and for plain http to another machine.
    """
    parts, port = _split(text.strip() if isinstance(text, str) else "")
    host = _ascii(parts.hostname or "")
    if parts.scheme not in _DEFAULT_PORTS or not (_NAME.fullmatch(host) or _is_ip(host)):
        raise _no_address()
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise Misconfigured(
            "The service's address contains more than an address.", "Leave out user, password, ? and #."
        )
    if parts.scheme == "http" and not is_loopback(host):
        raise Misconfigured(f"Plain http to {host} would expose the key to the network.", "Use https.")
    path = parts.path.rstrip("/").removesuffix("/api").rstrip("/")
    shown_host = f"[{host}]" if ":" in host else host
    shown_port = "" if port in (None, _DEFAULT_PORTS[parts.scheme]) else f":{port}"
    return f"{parts.scheme}://{shown_host}{shown_port}{path}"


def _split(text: str) -> tuple[SplitResult, int | None]:
    """The parts of an address and its port, as far as it has the form of one."""
    if re.search(r"[\s\\]", text) or not text.isprintable():
        raise _no_address()
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise _no_address() from None
    if port == 0:
        raise _no_address()
    return parts, port


def _ascii(host: str) -> str:
    """The host name as the network knows it: `müller.de` is `xn--mller-kva.de`."""
    if host.isascii():
        return host
    from linkdash.api.http.bare_httpx import httpx  # few addresses need it

    try:
        return httpx.URL(scheme="https", host=host).raw_host.decode()
    except httpx.InvalidURL:
        raise _no_address() from None


def _no_address() -> Misconfigured:
    return Misconfigured(
        "The service's address is not a web address.", "Write it as https://links.example.org"
    )


def is_loopback(host: str) -> bool:
    """Return whether a host name or address is this machine itself."""
    if host.lower() == "localhost":
        return True
    return _is_ip(host) and ipaddress.ip_address(host).is_loopback


def _is_ip(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return "%" not in host


_ROUNDS = 20_000  # about 10 ms: no key can be tried out on the name


@lru_cache(maxsize=8)
def profile_key(address: str, api_key: str) -> str:
    """The name under which what belongs to one key at one service is kept, made slowly and salted.

    That is its budget; and all else, until it is known which account the key is of.

    Neither the key nor the address can be told from it.
    """
    secret, salt = (text.encode("utf-8", "surrogatepass") for text in (api_key, address))
    return hashlib.pbkdf2_hmac("sha256", secret, salt, _ROUNDS).hex()[:32]


def account_key(address: str, account: int) -> str:
    """The name under which what belongs to an account of a service is kept, whichever its key is."""
    return hashlib.sha256(f"{address} account {account}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def checked_key(text: str | None) -> str:
    """The API key without surrounding space. Raises Misconfigured, without the key in it, for no key."""
    key = text.strip() if isinstance(text, str) else ""
    if not key:
        raise Misconfigured("No API key is set.", "Set LINKDASH_API_KEY or api_key in the profile.")
    if len(key) > LONGEST_KEY:
        raise Misconfigured(f"The API key is longer than {LONGEST_KEY} characters.", "Copy it again.")
    if not _KEY.fullmatch(key):
        raise Misconfigured(
            "The API key contains a character that is not allowed.",
            "Copy it again, as one line without spaces.",
        )
    return key


def state_folder() -> Path:
    """Return the folder for what must not be lost, the shared budget among it. Not yet made."""
    from platformdirs import user_state_path

    return user_state_path("linkdash", appauthor=False)
