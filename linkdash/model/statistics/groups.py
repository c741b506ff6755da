"""Codes that belong together by how their names begin, to be summed. Pure."""

import re
from collections.abc import Iterable

from linkdash.api.qr import QrCode

_SEPARATOR = re.compile(r"\s+[·|/–—-]\s+|:\s+|/")
_FEWEST = 2


def prefix(name: str) -> str:
    """What a name begins with, up to the first separator: `Harbor Coffee` of `Harbor Coffee · Table 4`."""
    found = _SEPARATOR.search(name)
    return name[: found.start()].strip() if found else ""


def by_prefix(codes: Iterable[QrCode]) -> dict[str, list[QrCode]]:
    """The codes of every beginning that several names share, the most codes first."""
    groups: dict[str, list[QrCode]] = {}
    for code in codes:
        if beginning := prefix(code.name):
            groups.setdefault(beginning, []).append(code)
    shared = [(name, found) for name, found in groups.items() if len(found) >= _FEWEST]
    return dict(sorted(shared, key=lambda group: (-len(group[1]), group[0])))
