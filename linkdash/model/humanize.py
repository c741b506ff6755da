"""Values in words: by the user's own clock, with badges, or as what can be drawn."""

from calendar import monthrange
from collections.abc import Sequence
from datetime import MAXYEAR, datetime, timedelta
from typing import Literal, NamedTuple, TypeAlias
from unicodedata import normalize

from rich.cells import cell_len, set_cell_size

# ---- in words ----

UNKNOWN = "–"
ATTENTION = "!"
"""The sign of what has to be looked at; `▲` and `▼` are more and less, and nothing else."""
ESTIMATED = "\N{ALMOST EQUAL TO}"
"""The first character of a text for a value which only the service knows, and has not said yet."""


def shortened(text: str, width: int) -> str:
    """`text` in one line of at most `width` cells."""
    line = " ".join(text[: width * 4].split())
    return line if cell_len(line) <= width else set_cell_size(line, width - 1) + "…"


_FILE_LETTERS = 48  # with a day and an ending not too long for any system, in any script


def file_words(text: str) -> str:
    """`text` as a part of a file's name, of letters and digits alone: `atlas-books-flyer-16`."""
    words = "".join(letter if letter.isalnum() else " " for letter in normalize("NFC", text).lower())
    return "-".join(words.split())[:_FILE_LETTERS].rstrip("-")


def numbered(id: int, name: str) -> str:
    """A record by its id, with its name where that is known: `31 (katarzyna)`."""
    return f"{id} ({name})" if name else str(id)


def size_words(bytes: int) -> str:
    """The size of what is kept: `1.4 MB`, `12 kB`."""
    return f"{bytes / 1e6:,.1f} MB" if bytes >= 100_000 else f"{bytes / 1e3:,.0f} kB"


def ago(seconds: float) -> str:
    """An age: `now`, `14 s ago`, `3 min ago`, `2 h ago`, `5 days ago`."""
    return "now" if seconds < 1 else f"{lasting(seconds)} ago"


def lasting(seconds: float) -> str:
    """A while in its largest unit: `14 s`, `3 min`, `2 h`, `5 days`."""
    if seconds < 60:
        return f"{int(seconds)} s"
    if seconds < 3600:
        return f"{int(seconds // 60)} min"
    if seconds < 2 * 86400:
        return f"{int(seconds // 3600)} h"
    return f"{int(seconds // 86400):,} days"


def age_words(seconds: float) -> str:
    """An age to the minute, so that a line that tells it changes no more often."""
    return "now" if seconds < 60 else ago(seconds)


def span(days: int) -> str:
    """A long time in two words: `today`, `23 d`, `4 mo`, `2 y`."""
    if days < 1:
        return "today"
    if days < 60:
        return f"{days} d"
    return f"{days // 30} mo" if days < 730 else f"{days // 365} y"


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 request`, `12 requests`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def first_of(names: Sequence[str], most: int) -> str:
    """`hugo.obrien, soren.keller and 26 more`: so many names of several."""
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest:,} more" if rest > 0 else "")


def with_article(noun: str) -> str:
    """`a domain`, `an overlay`."""
    return f"{'an' if noun[0] in 'aeio' else 'a'} {noun}"


def exact(value: float | None) -> str:
    """A number with its thousands separated, as exact as 17 characters allow."""
    if value is None:
        return UNKNOWN
    if abs(value) >= 1e13:
        return f"{value:.1e}".replace("e+", "e")
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def compact(value: float | None) -> str:
    """A number in at most 6 characters: 1.2k, 34k, 5.6M."""
    if value is None or abs(value) < 1000:
        return exact(value)
    for unit, size in (("k", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12)):
        scaled = value / size
        if abs(scaled) < 9.95:
            return f"{scaled:.1f}{unit}"
        if abs(scaled) < 999.5:
            return f"{scaled:.0f}{unit}"
    return f"{value:.0e}".replace("e+", "e")


def share(part: float | None, whole: float | None) -> str:
    """A share in percent that never rounds something to nothing or less than all to all."""
    if part is None or part < 0 or not whole or whole < 0:
        return UNKNOWN
    percent = part / whole * 100
    if 0 < percent < 0.5:
        return "<1 %"
    if 99.5 <= percent < 100:
        return ">99 %"
    return f"{percent:.0f} %"


def months_later(moment: datetime, months: int) -> datetime:
    """The same day `months` later, or the last of a month that is too short. Raises OverflowError."""
    years, month = divmod(moment.month - 1 + months, 12)
    year = moment.year + years
    if year > MAXYEAR:
        raise OverflowError("after the last year there is")
    day = min(moment.day, monthrange(year, month + 1)[1])
    return moment.replace(year=year, month=month + 1, day=day)


# ---- values that are best drawn, as plain numbers ----

TELLING_PERCENT = 15
"""The least by which a number has to rise or fall for that to be worth a color."""
TELLING_COUNT = 40
"""The least both periods have to have together for a share of them to mean anything."""


class CountChange(NamedTuple):
    """A number of a period and of the one before it."""

    now: int
    before: int
    quiet_days: int = 0
    """The last days of the period in which there was none, where that is more than chance."""

    @property
    def is_small(self) -> bool:
        """Return whether both are too small to speak of a share."""
        return self.now + self.before < TELLING_COUNT

    @property
    def share(self) -> float | None:
        """By which part of what was before it changed; None of nothing, or where a count went back."""
        return (self.now - self.before) / self.before if self.before > 0 <= self.now else None

    @property
    def telling_percent(self) -> int:
        """By how many percent it changed: 0 for a few, and for a rise from nothing as if it was from 1."""
        if self.is_small or self.before < 0:
            return 0
        return round(100 * (self.now - self.before) / max(self.before, 1))

    @property
    def direction(self) -> int:
        """1 for a rise, -1 for a fall that are worth a color, else 0."""
        if self.quiet_days:
            return 0 if self.is_small else -1
        percent = self.telling_percent
        return (percent >= TELLING_PERCENT) - (percent <= -TELLING_PERCENT)

    @property
    def sign(self) -> str:
        """`▲`, `▼` or `=`: of the percent that `words` has, where it has them."""
        has_percent = not self.is_small and self.share is not None
        return sign_of(round((self.share or 0) * 100) if has_percent else self.now - self.before)

    @property
    def words(self) -> str:
        """`▼ 81 %`, `= 0 %`; `-3` where both are small or nothing was before, `none` where both are 0.

        Where it came to nothing, since when: `none 3 d`.
        """
        difference = self.now - self.before
        if self.quiet_days:
            blank = " " if self.quiet_days < 10 else ""  # in a column of 8 cells
            return f"none {self.quiet_days}{blank}d"
        if not difference:
            return percent_words(0) if self.now else "none"
        if self.is_small or self.share is None:
            return f"{difference:+,}"
        return percent_words(round(self.share * 100))

    def than(self, before: str) -> str:
        """`81 % less than the day before`, beside the sign: `before` is the period before, in words."""
        difference, share = self.now - self.before, None if self.is_small else self.share
        if share is None and difference:
            return f"{abs(difference):,} {'more' if difference > 0 else 'fewer'} than {before}"
        percent = round(abs(share or 0) * 100)
        if percent:
            return f"{percent:,} % {'more' if difference > 0 else 'less'} than {before}"
        return f"about as many as {before}" if difference else f"as many as {before}"


def percent_words(percent: int) -> str:
    """A change with its sign: `▼ 81 %`."""
    return f"{sign_of(percent)} {abs(percent):,} %"


def sign_of(change: int) -> str:
    """`▲` for more, `▼` for less, `=` for as many."""
    return "▲" if change > 0 else "▼" if change < 0 else "="


class Trend(NamedTuple):
    """A number day by day, the latest last, and how it changed; where there is little room, the last days.

    None where no reading tells a day.
    """

    days: tuple[int | None, ...]
    change: CountChange | None = None
    most: int = 7
    """How many of the days a table draws."""


class CountedTrend(NamedTuple):
    """A number, None where it is not known, and beside it the days that it is of."""

    value: int | None
    trend: Trend


class ScanStrip(NamedTuple):
    """Scans step by step, the latest last; None where no reading tells them."""

    scans: tuple[int | None, ...]
    live: int
    """How many of the last steps are since the watch began."""


Ending: TypeAlias = Literal["done", "failed", "unknown", "under way", "waiting"]


class TermEnd(NamedTuple):
    """The end of something, in words, and what that means."""

    words: str
    how: Ending


class KnownHost(str):
    """A web address beside another on the same host, without which it is understood where room is short."""

    __slots__ = ()


class Badge(NamedTuple):
    """A user's status in a word, and how much it allows."""

    word: str
    rank: Literal["low", "usual", "high"]


SOON, LATER = timedelta(days=7), timedelta(days=30)
"""Until when an end is soon, and until when it is worth a look."""


class TimeLeft(NamedTuple):
    """The time from now to an end, both by the same clock; nothing where it never ends."""

    end: datetime | None
    now: datetime
    is_estimate: bool = False
    """True if the end is what linkdash expects, until the service says it."""

    @property
    def time(self) -> timedelta | None:
        """Less than nothing where it is over; None where it never ends."""
        return None if self.end is None else self.end - self.now

    @property
    def length(self) -> str:
        """The time until the end or since it, `11 h` or `3 days`, by the same time as `left<2d` asks for."""
        return "" if self.time is None else lasting(abs(self.time.total_seconds()))

    @property
    def is_over(self) -> bool:
        """Return whether the end has come."""
        return self.time is not None and self.time < timedelta()

    def is_within(self, span: timedelta) -> bool:
        """Return whether it ends from now on and before `span` is over, as the filter `left<7d` asks."""
        return self.time is not None and timedelta() <= self.time < span

    @property
    def words(self) -> str:
        """`11 h left`, `18 days left`, `expired 3 days ago`, `no expiry date`."""
        if self.time is None:
            return "no expiry date"
        length = f"{ESTIMATED} {self.length}" if self.is_estimate else self.length
        return f"expired {length} ago" if self.is_over else f"{length} left"

    @property
    def sign(self) -> str:
        """A glyph that says the same without color."""
        return "✗ " if self.is_over else f"{ATTENTION} " if self.is_within(LATER) else ""
