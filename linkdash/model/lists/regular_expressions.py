"""Regular expressions that the user types, bounded so that none searches for ever.

Python's engine tries every way a regular expression can match, which for `(a+)+$` doubles with each letter,
cannot be interrupted and would hold the whole app. So the number of ways is estimated before, for the longest
text that is searched, and a pattern above the limit is refused with a reason.
"""

import re
import warnings

MAX_PATTERN = 200
"""Characters of a pattern."""
MAX_SEARCHED = 256
"""Characters of a text that are searched, from its beginning."""

_MAX_WAYS = 10**8  # two free repeats and two choices; some 50 ms on the worst text, usually microseconds
_ENDLESS = 10**30
_TOKEN = re.compile(
    r"""
      (?P<flags> \(\? [aiLmsux-]+ [:)] )
    | (?P<open> \( (?: \?(?: [:=!>] | <[=!] | P<\w+> ) )? )
    | (?P<close> \) )
    | (?P<either> \| )
    | (?P<repeat> (?: [*+?] | \{\d*(?:,\d*)?\} ) [?+]? )
    | (?P<atom> \\. | \[ \^? \]? (?: \\. | [^\]\\] )* \] | . )
    """,
    re.VERBOSE | re.DOTALL,
)


class Pattern:
    """A checked regular expression. Raises ValueError with a sentence for the user if it cannot be used."""

    def __init__(self, text: str) -> None:
        if len(text) > MAX_PATTERN:
            raise ValueError(f"the expression is longer than {MAX_PATTERN} characters")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._expression = re.compile(text, re.IGNORECASE | re.DOTALL)
        except (re.error, OverflowError, RecursionError) as error:
            raise ValueError(f"the expression is not complete: {error}") from None
        if MAX_SEARCHED * _ways(text) > _MAX_WAYS:
            raise ValueError("the expression could take too long: it repeats within a repeat, or too often")

    def found_in(self, text: str) -> bool:
        """Return whether it matches anywhere in the first `MAX_SEARCHED` characters of `text`."""
        return self._expression.search(text, 0, MAX_SEARCHED) is not None


def _ways(text: str) -> int:
    """At most how many ways a valid pattern can be tried from one place of the longest text.

    A sequence multiplies, a choice adds, a repeat of something with one way has as many ways as it can
    have lengths, and a repeat of something with several ways has their power.
    """
    groups = [_Group()]
    for match in _TOKEN.finditer(text):
        group = groups[-1]
        match match.lastgroup:
            case "flags":
                raise ValueError("the expression needs no flags: case is ignored already")
            case "open":
                groups.append(_Group())
            case "close":
                inner = groups.pop().total
                groups[-1].add(inner)
            case "either":
                group.alternative()
            case "repeat":
                group.repeat(*_bounds(match[0]))
            case _:
                group.add(1)
    return groups[0].total


class _Group:
    """The ways of one group while it is read from left to right."""

    def __init__(self) -> None:
        self._before = 0  # of the alternatives that are complete
        self._sequence = 1  # of this alternative without its last item
        self._last = 1  # of the last item, which a repeat may still change

    @property
    def total(self) -> int:
        return min(_ENDLESS, self._before + self._sequence * self._last)

    def add(self, ways: int) -> None:
        self._sequence, self._last = min(_ENDLESS, self._sequence * self._last), ways

    def alternative(self) -> None:
        self._before, self._sequence, self._last = self.total, 1, 1

    def repeat(self, least: int, most: int) -> None:
        lengths = min(most, MAX_SEARCHED) - least + 1
        times = min(most, 100)  # two ways a hundred times are endless already
        self._last = max(1, lengths) if self._last == 1 else min(_ENDLESS, lengths * self._last**times)


def _bounds(quantifier: str) -> tuple[int, int]:
    """Return how often a quantifier repeats at least and at most."""
    sign = quantifier[0]
    if sign != "{":
        return int(sign == "+"), 1 if sign == "?" else MAX_SEARCHED
    least, comma, most = quantifier.rstrip("?+")[1:-1].partition(",")
    low = int(least or 0)
    return low, int(most or MAX_SEARCHED) if comma else low
