"""Regular expressions that the user types, none of which searches for long."""

import regex

MAX_PATTERN = 200
"""Characters of a pattern."""
MAX_SEARCHED = 256
"""Characters of a text that are searched, from its beginning."""
_LONGEST = 0.02
"""Seconds for one text: most take microseconds, and `(a+)+$` can double with each letter."""


class Pattern:
    """A regular expression. Raises ValueError with a sentence for the user if it cannot be used."""

    def __init__(self, text: str) -> None:
        if len(text) > MAX_PATTERN:
            raise ValueError(f"the expression is longer than {MAX_PATTERN} characters")
        try:
            self._expression = regex.compile(text, regex.IGNORECASE | regex.FULLCASE | regex.DOTALL)
        except (regex.error, OverflowError, RecursionError) as error:
            raise ValueError(f"the expression is not complete: {error}") from None

    def found_in(self, text: str) -> bool:
        """Return whether it matches anywhere in the first `MAX_SEARCHED` characters of `text`.

        Raises TimeoutError where that takes too long.
        """
        return self._expression.search(text, 0, MAX_SEARCHED, timeout=_LONGEST) is not None
