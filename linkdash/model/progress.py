"""The progress of work that takes a while."""

from typing import NamedTuple


class Progress(NamedTuple):
    """So many of so many, what it is about, and what else there is to say."""

    over: int
    total: int
    title: str
    notes: tuple[str, ...] = ()
