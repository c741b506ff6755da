"""The embedded service: the whole reference over SQLite, with validation and a rate limit.

`server` assembles the ASGI app and is the way in (`serve`, `serve_in_thread`, `serve_forever`); in
`resources/` are the endpoints, one file a resource. It is a second reading of the reference: no code is
shared with the client, so that a wrong reading cannot agree with itself. Here is what can be set about it.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

Clock = Callable[[], float]
"""Gives now in epoch seconds. Everything that passes with time (rate window, statistics, dates) asks it."""


class DemoError(Exception):
    """The embedded service cannot start; the text is one line for the user."""


@dataclass(frozen=True, kw_only=True)
class DemoSettings:
    """The settings of one embedded service.

    rate, window: requests a key may make, per seconds (reference: Limits).
    page_cap, perpage: the largest `limit` honoured, and the page size when none is asked for.
    admin_key, plain_key: the keys of an admin and of a plain user; None has them made with the records, at
        random.
    seed: what the data is made from; the same seed and clock make the same records.
    records: those of another service, as its database is serialized; None has them made.
    """

    rate: int = 30
    window: float = 60.0
    page_cap: int = 100
    perpage: int = 25
    seed: int = 7
    records: bytes | None = None
    admin_key: str | None = None
    plain_key: str | None = None
    clock: Clock = time.time
