"""Suggestions for names that do not exist."""

from collections.abc import Iterable


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """` (did you mean X?)` with the known name that is nearest; empty where none is near."""
    from difflib import get_close_matches  # only who mistypes waits for it

    nearest = get_close_matches(given, [*known], n=1)
    return f" (did you mean {nearest[0]}?)" if nearest else ""
