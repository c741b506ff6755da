"""Other facts about a record or its list, beside the strip of details; nothing is asked for them."""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain
from typing import Generic, NamedTuple, TypeVar

from rich.cells import cell_len
from textual.geometry import Size

from linkdash.api.records import Record
from linkdash.model.humanize import Trend, counted
from linkdash.model.insight.related import MostOfScans, Tally, by_label, most_of_scans, usage
from linkdash.model.insight.review import expiry
from linkdash.model.lists.collection import Collection
from linkdash.model.lists.loaded_pages import AT_ONCE
from linkdash.model.local_time import local_zone
from linkdash.model.statistics.chart_data import Columns
from linkdash.model.statistics.charts import pulse_chart
from linkdash.model.statistics.scan_activity import Activity, pulse
from linkdash.model.statistics.sentences import quiet_words
from linkdash.screens.lists.record_list import RecordList
from linkdash.widgets.charts.cell_pictures import NONE, change_pieces
from linkdash.widgets.charts.chart import Chart
from linkdash.widgets.charts.ranked_bars import BAR, bar_length
from linkdash.widgets.charts.sparkline import TREND_CELLS, trend_pieces
from linkdash.widgets.details import DetailLine
from linkdash.widgets.panel import Panel
from linkdash.widgets.styled_text import DrawnLines, Lines, Piece, Tone, cells, fitted

T = TypeVar("T", bound=Record)
Key = TypeVar("Key", bound=Hashable)

BY_NAME = "by name only · real use not reported"
"""A remark about the scans of codes that share a name with a record and, for all we know, nothing else."""

_ROOM_FOR_CODES = 9  # rows from which on single codes are told under a heading, below what they are together
_LEAST_KEPT = 2  # rows for what they are together
_ROOM_FOR_FIRST = 5  # from which on the first of them are told there, instead of their names alone
_NAME_ROWS = 2  # at most, for numbers and the names behind them
_LOW_ROWS = 3  # at most in a low panel, with what else is known of them
_ALL = 10_000  # rows: as many as there are lines
_BETWEEN = 3  # cells between two columns
_LEAST_NAMES = 5  # rows of the names that codes share, with their heading and the row above it
_LISTED = 3  # names below one another of the codes with most of the scans
_LEAST_CHART = 7  # rows of the chart of their days, with its title
_SHORTEST_BAR, _LONGEST_BAR = 8, 20  # cells of the bar of the largest number; in fewer, numbers look alike


class RelatedFacts(NamedTuple):
    """A title, of what it holds, and the lines in so many cells and rows."""

    title: str
    of: str
    lines: Callable[[int, int], Lines]
    chart: Columns | None = None
    """Drawn below the lines where they leave room for it."""
    below: str = ""
    """A remark about all of it."""


class RelatedPanel(Panel):
    """The facts beside the strip of details; it is away where there are none."""

    def __init__(self, id: str = "related") -> None:
        self._drawn = _FactLines()
        self._chart = Chart()
        super().__init__(self._drawn, self._chart, id=id, classes="-empty")

    def show(self, facts: RelatedFacts | None) -> None:
        """Show other facts."""
        self.set_class(facts is None, "-empty")
        if facts is not None:
            above, below = ([Piece(words, Tone.MUTED)] if words else () for words in (facts.of, facts.below))
            self.say(facts.title, above=above, below=below)
            self._drawn.show(facts)
            self._chart.show(facts.chart)
            self._share_room()

    def on_resize(self) -> None:
        self._share_room()

    def _share_room(self) -> None:
        """Leave to the chart what the lines do not need, if that is enough."""
        is_charted = self._chart.data is not None
        is_charted = is_charted and self.size.height - self._drawn.wanted(self.size.width) >= _LEAST_CHART
        self.set_class(is_charted, "-charted")


class _FactLines(DrawnLines):
    def __init__(self) -> None:
        super().__init__()
        self._facts: RelatedFacts | None = None

    def show(self, facts: RelatedFacts) -> None:
        self._facts = facts
        self.update_lines()
        if facts.chart is not None:
            self.refresh(layout=True)

    def lines(self, width: int, height: int) -> Lines:
        return self._facts.lines(width, height) if self._facts is not None else ()

    def wanted(self, width: int) -> int:
        """The rows that all lines take in so many cells."""
        return len(self.lines(width, _ALL))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self.wanted(width)


def tally_lines(tallies: Sequence[Tally], width: int, height: int, *, in_numbers: bool = False) -> Lines:
    """The number of each kind, with a bar where that tells them apart; downward, then in the next column.

    `in_numbers` without bars, one below the other.
    """
    if not tallies or height < 1:
        return ()
    if in_numbers:
        told = [[Piece(f"{one.label}: "), Piece(f"{one.number:,}", Tone.MUTED)] for one in tallies]
        return in_columns(told, 0, height)
    most = max(tally.number for tally in tallies)
    label = max(cell_len(tally.label) for tally in tallies)
    number = len(f"{most:,}")
    wanted = -(-len(tallies) // height)
    room = (width + _BETWEEN) // wanted - _BETWEEN - label - number - 2
    bar = min(_LONGEST_BAR, room) if room >= _SHORTEST_BAR else 0
    told = []
    for tally in tallies:
        drawn = f" {BAR * bar_length(tally.number, most, bar):<{bar}}" if bar else ""
        name = Piece(tally.label + " " * (label - cell_len(tally.label)))
        told.append([name, Piece(drawn, Tone.TREND), Piece(f" {tally.number:>{number},}", Tone.MUTED)])
    return in_columns(told, width, height)


def in_columns(told: Sequence[Sequence[Piece]], width: int, height: int) -> Lines:
    """Rows of the same width: downward, then in the next column, as far as they fit."""
    if not told or height < 1:
        return ()
    columns = max(1, (width + _BETWEEN) // (cells(told[0]) + _BETWEEN))
    wanted = -(-len(told) // height)
    rows = height if wanted > columns else -(-len(told) // wanted)
    shown = [*told]
    if wanted > columns:
        first = rows * columns - 1
        shown = [*told[:first], [Piece(f"and {len(told) - first:,} more", Tone.FAINT)]]
    gap = Piece(" " * _BETWEEN)
    return [[*chain.from_iterable((gap, *one) for one in shown[row::rows])][1:] for row in range(rows)]


class UsedCodes:
    """QR codes that belong together: how they were scanned this week and before, together and each."""

    def __init__(
        self, codes: Mapping[int, str], activities: Mapping[int, Activity], icon: str, *, in_numbers: bool
    ) -> None:
        """`codes` are names by their ids; `in_numbers` leaves pictures out."""
        self._codes, self._activities = _told_apart(codes), activities
        self._icon = Piece(f"{icon} ", Tone.ICON)
        self._usage = usage(self._codes, activities)
        self._in_numbers = in_numbers

    def lines(self, width: int, height: int, *also: Sequence[Piece]) -> Lines:
        """The codes together, what else is known, then each of them where there is room for a few."""
        if not self._codes or height < _ROOM_FOR_FIRST:
            return [*self._with_names(width), *also]
        lines = [*self._in_few_rows(width), *also]
        each = code_lines(self._codes, self._activities, width, has_days=not self._in_numbers)
        if height < min(_ROOM_FOR_CODES, len(lines) + 2 + len(each)):
            return [*lines, *each][:height]
        if self._in_numbers:  # one below the other
            width = cells(each[0])
        lines += [[], heading("Codes, 7 days", width)]
        return [*lines, *in_columns(each, width, height - len(lines))]

    def as_a_whole(self, width: int, height: int) -> Lines:
        """The codes together, and how few of them have most of the scans, where rows tell of each."""
        most = most_of_scans(self._codes, self._activities)
        lines = self._in_few_rows(width)
        return [*lines, *(_most_lines(most, width, height - len(lines)) if most is not None else ())]

    def chart(self, now: datetime) -> Columns | None:
        """The scans of all of them a day, this week and the one before; None where that is not kept."""
        if self._in_numbers or not self._usage.told:
            return None
        found = [self._activities[id] for id in self._codes if id in self._activities]
        drawn = pulse_chart(pulse([one for one in found if one.change is not None], most=0), now)
        captions = ("7 days before", "last 7 days")  # the lines above tell the numbers
        return replace(drawn, title="Scans a day", caption_before=captions[0], caption_now=captions[1])

    def in_one_line(self, shared: str = "") -> Sequence[Piece]:
        """Their number, the part of their names that they share, and their scans of this week."""
        number, *week = self.together(0)
        if shared:
            number = [self.number, Piece(f" named {shared}")]
        return [*number, *(week[0] if week else ())]

    @property
    def number(self) -> Piece:
        """The number of them."""
        return Piece(f"{self._usage.codes:,}", Tone.HERO)

    def _in_few_rows(self, width: int) -> list[Sequence[Piece]]:
        """The lines of what they are together, in each as much as it has room for."""
        rows: list[Sequence[Piece]] = []
        for line in self.together(width):
            beside = [*rows[-1], *line] if rows else []
            if beside and cells(beside) <= width:
                rows[-1] = beside
            else:
                rows.append(line)
        return rows

    def _with_names(self, width: int) -> Lines:
        """The sum of them, and behind the first numbers some names, in that row and the next."""
        first, *others = self.together(width)
        if others and cells([*first, *others[0]]) <= width:
            first = [*first, *others.pop(0)]
        names = self._usage.names
        for shown in range(len(names), 0, -1):
            told = [f"{name}," for name in names[:shown]]
            told[-1] = names[shown - 1] + _and_more([*self._codes.values()], shown)
            rows = _followed(first, told, width)
            if len(rows) <= _NAME_ROWS and len(rows) + len(others) <= _LOW_ROWS:
                return [*rows, *others]
        return [first, *others]

    def together(self, width: int) -> Lines:
        """Their number, and their scans of this week and of the one before."""
        used = self._usage
        if not used.codes:
            return [[self._icon, Piece("no QR code", Tone.MUTED)]]
        codes = [self._icon, Piece(counted(used.codes, "QR code"), Tone.HERO)]
        if not used.told:
            return [codes, [Piece("  their week is not kept yet", Tone.FAINT)]]
        of = f", {used.told:,} of them" if used.told < used.codes else ""
        change = change_pieces(used.change, len(used.change.words))
        week = [Piece(f"  {used.change.now:,}", Tone.HERO), Piece(f" scans in 7 days{of}  "), *change]
        before = Piece(f"  {used.change.before:,} in the 7 days before  ", Tone.MUTED)
        return [codes, week, [before, *self._days(width - cells([before]))]]

    def _days(self, width: int) -> Sequence[Piece]:
        """Their days as a picture, where there is room for all of them: the sums beside it are of those."""
        trend = self._usage.trend
        if trend is None or self._in_numbers or width < len(trend.days):
            return ()
        return trend_pieces(trend, len(trend.days))


def _told_apart(names: Mapping[int, str]) -> Mapping[int, str]:
    """The names of records by their ids; of those that are called the same each with its id."""
    often = Counter(names.values())
    return {id: name if often[name] == 1 else f"{name} ({id})" for id, name in names.items()}


def _most_lines(most: MostOfScans, width: int, height: int) -> Lines:
    """`3 codes have 80 %: Flyer 2, Table 4 and 1 more`; some names below it where none has room beside it."""
    names, verb = most.names, "have" if len(most.names) > 1 else "has"
    said = Piece(f"  {counted(len(names), 'code')} {verb} {most.percent} %: ")
    for shown in range(len(names), 0, -1):
        beside = Piece(f"{', '.join(names[:shown])}{_and_more(names, shown)}", Tone.MUTED)
        if cells([said, beside]) <= width:
            return [[said, beside]]
    shown = max(0, min(_LISTED, height - 1, len(names)))
    rows = [*names[:shown]]
    if rows:
        rows[-1] += _and_more(names, shown)
    return [[said], *(fitted([Piece(f"    {row}", Tone.MUTED)], width) for row in rows)]


def _followed(first: Sequence[Piece], words: Sequence[str], width: int) -> list[Sequence[Piece]]:
    """A row with words behind it, and what of them has no room there below it, each of them whole."""
    rows: list[Sequence[Piece]] = [first]
    for number, word in enumerate(words):
        beside = [*rows[-1], Piece(f"{' ' if number else '  '}{word}", Tone.MUTED)]
        if cells(beside) <= width:
            rows[-1] = beside
        else:
            rows.append(fitted([Piece(f"  {word}", Tone.MUTED)], min(width, cell_len(word) + 2)))
    return rows


def _and_more(names: Sequence[str], shown: int) -> str:
    return f" and {len(names) - shown:,} more" if shown < len(names) else ""


def code_lines(
    codes: Mapping[int, str], activities: Mapping[int, Activity], width: int, *, has_days: bool
) -> list[list[Piece]]:
    """Each of some codes, given as names by their ids, with what it was scanned last week, the most first."""
    found = ((id, activities[id].trend) for id in codes if id in activities)
    trends = {id: trend for id, trend in found if trend is not None}
    return trend_lines(codes, trends, width, has_days=has_days)


def trend_lines(
    names: Mapping[Key, str], trends: Mapping[Key, Trend], width: int, *, has_days: bool
) -> list[list[Piece]]:
    """Names, each with its scans of the last week and how they changed, as far as known, the most first.

    The last days of each are drawn beside it where that cuts no name. All rows have the same width.
    """
    weeks = {key: trend.change for key, trend in trends.items() if trend.change is not None}
    number = max((len(f"{week.now:,}") for week in weeks.values()), default=1)
    change = max((len(week.words) for week in weeks.values()), default=0)
    facts = 2 + number + bool(weeks) + change
    widest = max(map(cell_len, names.values()), default=0)
    room = width - widest - facts - 2
    known = max((len(trends[key].days) for key in weeks), default=0)
    days = min(known, room) if has_days and room >= TREND_CELLS else 0
    beside = facts + 2 + days if days else facts
    name = min(widest, width - beside)
    lines: list[list[Piece]] = []
    for key in sorted(names, key=lambda key: -weeks[key].now if key in weeks else 1):
        told = [Piece(f"  {NONE:>{number}}", Tone.FAINT)]
        if key in weeks:
            told = [Piece(f"  {weeks[key].now:>{number},} "), *change_pieces(weeks[key], change)]
            told += [Piece("  "), *trend_pieces(trends[key], days)] if days else []
        lines.append([*fitted([Piece(names[key])], name), *fitted(told, beside)])
    return lines


def week_lines(activity: Activity, *, in_numbers: bool) -> list[DetailLine]:
    """The last week against the one before, and the last 14 days, beside the fields of a code."""
    lines = []
    change = activity.change
    if activity.quiet_since is not None:
        since = quiet_words(activity.quiet_since, local_zone())
        tone = Tone.BAD if change is not None and change.direction < 0 else Tone.PLAIN
        lines.append(DetailLine("None", (Piece(f"since {since}", tone),)))
    if change is not None:
        is_quiet = activity.quiet_since is not None
        said = () if is_quiet else (*change_pieces(change, len(change.words)), Piece(" "))
        was = Piece(f"was {change.before:,}", Tone.MUTED)
        lines.append(DetailLine("7 days", (Piece(f"{change.now:,} ", Tone.HERO), *said, was), beyond=(was,)))
    if (trend := activity.trend) is not None:
        drawn = trend_pieces(trend, len(trend.days))
        numbers = (Piece(" ".join(f"{day:,}" for day in trend.days if day is not None)),)
        lines.append(DetailLine(f"{len(trend.days)} days", numbers if in_numbers else drawn))
    return lines


class TallyOf(NamedTuple, Generic[T]):
    """A way to sort records into kinds, under a title."""

    title: str
    tally: Callable[[Sequence[T]], Sequence[Tally]]


def type_tally(records: RecordList[T]) -> TallyOf[T]:
    """The records of a list by their type, in the words of its column."""
    typed = next(column for column in records.columns if column.name == "type")
    return TallyOf("By type", lambda found: by_label(str(typed.shown(one) or "no type") for one in found))


def tally_facts(
    collection: Collection[T],
    *ways: TallyOf[T],
    alike: tuple[str, UsedCodes] | None = None,
    in_numbers: bool = False,
) -> RelatedFacts | None:
    """The loaded records of a list by their kinds; None where they are too many, or one tells nothing.

    The first way is told; the others below it, where they tell two kinds apart and all of each has room. What
    is left of the room tells of the codes that are named `alike`.
    """
    if not ways or not 1 < len(collection.listing.loaded_rows()) <= AT_ONCE:
        return None
    records = collection.records
    first, *others = ((way.title, way.tally(records)) for way in ways)

    def lines(width: int, height: int) -> Lines:
        kept = _ROOM_FOR_CODES + 2 if alike is not None else 0
        drawn = several_tallies(first[1], others, width, height, kept, in_numbers=in_numbers)
        return [*drawn, *alike_lines(alike, width, height - len(drawn))]

    below = BY_NAME if alike is not None else ""
    return RelatedFacts(first[0], f"of {len(records):,} loaded", lines, below=below)


def alike_lines(alike: tuple[str, UsedCodes] | None, width: int, height: int) -> Lines:
    """The codes of a name, as much of them as there is room for."""
    if alike is None or height < 2:
        return []
    name, used = alike
    if height > _ROOM_FOR_FIRST:
        return [[], heading(named(name), width), *used.lines(width, height - 2)]
    return [[Piece(f"{named(name)}  ", bold=True), used.number], *used.together(width)[1:]][:height]


def alike_facts(alike: tuple[str, UsedCodes]) -> RelatedFacts:
    """The codes of a name alone."""
    name, used = alike
    return RelatedFacts(named(name), "", used.lines, below=BY_NAME)


def name_lines(trends: Mapping[str, Trend], width: int, height: int, *, has_days: bool) -> Lines:
    """The scans by the names that codes share, where there is room for two of several."""
    if len(trends) < 2 or height < _LEAST_NAMES:
        return []
    told = trend_lines({name: name for name in trends}, trends, width, has_days=has_days)
    return [[], heading("QR codes by client name, 7 days", width), *in_columns(told, width, height - 2)]


def named(name: str) -> str:
    """The title of codes that share a name and nothing else with what they stand beside."""
    return f"QR codes named {name}"


def several_tallies(
    first: Sequence[Tally],
    others: Sequence[tuple[str, Sequence[Tally]]],
    width: int,
    height: int,
    kept: int = 0,
    *,
    in_numbers: bool = False,
) -> list[Sequence[Piece]]:
    """The first tallies, and those of the others that tell two kinds apart and leave `kept` rows, titled.

    Where something is kept room for, the first leave two rows of it in any case.
    """
    for_first = height - _LEAST_KEPT if kept and height > 2 * _LEAST_KEPT else height
    drawn: list[Sequence[Piece]] = [*tally_lines(first, width, for_first, in_numbers=in_numbers)]
    for title, tallies in others:
        if len(tallies) > 1 and len(drawn) + 2 + len(tallies) + kept <= height:
            told = tally_lines(tallies, width, len(tallies), in_numbers=in_numbers)
            drawn += [[], heading(title, width), *told]
    return drawn


def end_piece(expires: datetime, now: datetime) -> Piece:
    """The time that is left until an end, to stand behind a name."""
    ends = expiry(expires, now)
    return Piece(f"  {ends.sign}{ends.words}", Tone.WARNING if ends.is_soon else Tone.MUTED)


def heading(title: str, width: int) -> list[Piece]:
    """A title within a panel, with a rule behind it."""
    return [Piece(f"{title} ", bold=True), Piece("─" * max(0, width - cell_len(title) - 1), Tone.FAINT)]
