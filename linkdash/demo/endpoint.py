"""What an endpoint declares, and what its handler is called with."""

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from linkdash.demo.answers import Answer
from linkdash.demo.settings import Settings
from linkdash.demo.validation import Body


@dataclass(frozen=True)
class Call:
    """One request that passed the checks of key, rate, admin rights and body.

    `now` is in epoch seconds; `seed` is what the records were made from, at the moment `made`.
    """

    db: sqlite3.Connection
    settings: Settings
    seed: int
    made: float
    now: float
    user: sqlite3.Row
    path: Mapping[str, str | int]
    query: Mapping[str, str]
    body: Mapping[str, object]

    def id(self, name: str = "id") -> int:
        """An identifier from the path."""
        return int(self.path[name])


@dataclass(frozen=True)
class Endpoint:
    """One line of the reference's summary: its handler, its body's rules, whether it is admin only."""

    method: str
    path: str
    handle: Callable[[Call], Answer]
    body: Body | None = None
    admin: bool = False
