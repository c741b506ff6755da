"""The host of a link in letters that cannot be taken for others."""

import re
from urllib.parse import urlsplit

from linkdash.api.inert_text import inert

_PLAIN_HOST = re.compile(r"[a-z0-9.-]+(:[0-9]+)?|\[[0-9a-f:.]+\](:[0-9]+)?", re.IGNORECASE)


def hidden_host(link: str) -> str:
    """The host that a link leads to, in ASCII, where the link does not show it plainly; "" where it does.

    It does not with a name before an `@`, and with letters that look like others.
    """
    try:
        parts = urlsplit(link)
        host = parts.hostname or ""
    except ValueError:
        return "nowhere"
    if _PLAIN_HOST.fullmatch(parts.netloc):
        return ""
    try:
        return inert(host.encode("idna").decode())
    except UnicodeError:
        return inert(host.encode("ascii", "backslashreplace").decode())
