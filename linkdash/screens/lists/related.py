"""Other facts about a record or its list, beside the strip of details; nothing is asked for them."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from itertools import chain, zip_longest
from typing import Generic, NamedTuple, TypeVar

from rich.cells import cell_len

from linkdash.api.records import Record
from linkdash.model.humanize import CountChange, counted, local_zone
from linkdash.model.insight.related import Tally, by_label, usage
from linkdash.model.insight.review import expiry
from linkdash.model.lists.collection import Collection
from linkdash.model.lists.loaded_pages import AT_ONCE
from linkdash.model.statistics.scan_activity import Activity
from linkdash.model.statistics.sentences import quiet_words
from linkdash.screens.lists.record_list import RecordList
from linkdash.widgets.charts.cell_pictures import NONE, change_pieces
from linkdash.widgets.charts.ranked_bars import BAR, bar_length
from linkdash.widgets.charts.sparkline import TREND_CELLS, trend_pieces
from linkdash.widgets.details import DetailLine
from linkdash.widgets.panel import Panel
from linkdash.widgets.styled_text import DrawnLines, Lines, Piece, Tone, cells, fitted

T = TypeVar("T", bound=Record)

_ROOM_FOR_CODES = 9  # rows from which on single codes are told under a heading, below what they are together
_LEAST_KEPT = 2  # rows for what they are together
_ROOM_FOR_FIRST = 5  # from which on the first of them are told there, instead of their names alone
_ROOM_FOR_TWO = 80  # cells from which they stand beside it
_BETWEEN = 3  # cells between two columns
_WEEK_CELLS = 15  # beside a name: the scans of a week, and by how much that is more or less
_SHORTEST_BAR, _LONGEST_BAR = 3, 20  # cells of the bar of the largest number


class RelatedFacts(NamedTuple):
    """A title, of what it holds, and the lines in so many cells and rows."""

    title: str
    of: str
    lines: Callable[[int, int], Lines]


class RelatedPanel(Panel):
    """The facts beside the strip of details; it is away where there are none."""

    def __init__(self, id: str = "related") -> None:
        self._drawn = _FactLines()
        super().__init__(self._drawn, id=id, classes="-empty")

    def show(self, facts: RelatedFacts | None) -> None:
        """Show other facts."""
        self.set_class(facts is None, "-empty")
        if facts is not None:
            self.say(facts.title, above=[Piece(facts.of, Tone.MUTED)] if facts.of else ())
            self._drawn.show(facts)


class _FactLines(DrawnLines):
    def __init__(self) -> None:
        super().__init__()
        self._facts: RelatedFacts | None = None

    def show(self, facts: RelatedFacts) -> None:
        self._facts = facts
        self.update_lines()

    def lines(self, width: int, height: int) -> Lines:
        return self._facts.lines(width, height) if self._facts is not None else ()


def tally_lines(tallies: Sequence[Tally], width: int, height: int, *, in_numbers: bool = False) -> Lines:
    """The number of each kind, with a bar; downward, then in the next column, as far as they fit.

    `in_numbers` without bars, one below the other.
    """
    if not tallies or height < 1:
        return ()
    if in_numbers:
        return _counted_lines(tallies, height)
    most = max(tally.number for tally in tallies)
    label = max(cell_len(tally.label) for tally in tallies)
    number = len(f"{most:,}")
    rows, wanted = min(height, len(tallies)), -(-len(tallies) // height)
    room = (width + _BETWEEN) // wanted - _BETWEEN - label - number - 2
    bar = max(_SHORTEST_BAR, min(_LONGEST_BAR, room))
    columns = max(1, (width + _BETWEEN) // (label + number + bar + 2 + _BETWEEN))
    shown = tallies[: rows * columns - (rows * columns < len(tallies))]
    cells = [
        [
            Piece(tally.label),
            Piece(" " * (label - cell_len(tally.label) + 1)),
            Piece(f"{BAR * bar_length(tally.number, most, bar):<{bar}}", Tone.TREND),
            Piece(f" {tally.number:>{number},}", Tone.MUTED),
        ]
        for tally in shown
    ]
    if left := len(tallies) - len(shown):
        cells.append(_left_out(left))
    gap = Piece(" " * _BETWEEN)
    return [[*chain.from_iterable((gap, *cell) for cell in cells[row::rows])][1:] for row in range(rows)]


def _counted_lines(tallies: Sequence[Tally], height: int) -> Lines:
    shown = tallies if len(tallies) <= height else tallies[: height - 1]
    lines = [[Piece(f"{tally.label}: "), Piece(f"{tally.number:,}", Tone.MUTED)] for tally in shown]
    return [*lines, _left_out(len(tallies) - len(shown))] if len(shown) < len(tallies) else lines


def _left_out(number: int) -> list[Piece]:
    return [Piece(f"and {counted(number, 'other')}", Tone.FAINT)]


class UsedCodes:
    """QR codes that belong together: how they were scanned this week and before, together and each."""

    def __init__(
        self,
        codes: Mapping[int, str],
        activities: Mapping[int, Activity],
        icon: str,
        *,
        in_numbers: bool,
        weeks_told: bool = False,
    ) -> None:
        """`codes` are names by their ids; `in_numbers` leaves pictures out.

        Where the weeks of each are told elsewhere, the pictures of their days are told instead.
        """
        self._codes, self._activities, self._icon = codes, activities, Piece(f"{icon} ", Tone.ICON)
        self._usage = usage(codes, activities)
        self._in_numbers = in_numbers
        self._in_days = weeks_told and not in_numbers

    def lines(self, width: int, height: int, *also: Sequence[Piece]) -> Lines:
        """The codes together, what else is known, then each of them where there is room for a few."""
        if self._in_numbers:  # a number is read out behind its name
            width = min(width, self._widest_name + _WEEK_CELLS)
        if not self._codes or height < _ROOM_FOR_FIRST:
            return [*self.together(width, self._usage.names), *also]
        left = (width - _BETWEEN) // 2
        if width >= _ROOM_FOR_TWO and self._widest_name <= width - left - _BETWEEN - _WEEK_CELLS:
            each = self._each(width - left - _BETWEEN, height)
            rows = zip_longest([*self.together(left), *also], each, fillvalue=())
            return [[*fitted(one, left + _BETWEEN), *other] for one, other in rows]
        lines = [*self.together(width), *also]
        if height < _ROOM_FOR_CODES:
            return [*lines, *self._code_lines(width)][:height]
        return [*lines, [], *self._each(width, height - len(lines) - 1)]

    @property
    def _widest_name(self) -> int:
        return max(map(cell_len, self._codes.values()), default=0)

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

    def _each(self, width: int, height: int) -> Lines:
        """A heading, and as many codes as there is room for, the most scanned first."""
        days = 14 if self._in_days else 7
        lines = [heading(f"Codes, {days} days", width), *self._code_lines(width)]
        if len(lines) <= height:
            return lines
        return [*lines[: height - 1], [Piece(f"and {len(lines) - height + 1:,} more", Tone.FAINT)]]

    def _code_lines(self, width: int) -> list[list[Piece]]:
        lines_of = day_lines if self._in_days else code_lines
        return lines_of(self._codes, self._activities, width)

    def together(self, width: int, names: Sequence[str] = ()) -> Lines:
        """Their number with some names, and their scans of this week and of the one before."""
        used = self._usage
        if not used.codes:
            return [[self._icon, Piece("no QR code", Tone.MUTED)]]
        codes = [self._icon, Piece(counted(used.codes, "QR code"), Tone.HERO)]
        codes += [Piece(f"  {', '.join(names)}", Tone.MUTED)] if names else []
        if not used.told:
            return [codes, [Piece("  their week is not kept yet", Tone.FAINT)]]
        of = f", {used.told:,} of them" if used.told < used.codes else ""
        change = change_pieces(used.change, len(used.change.words))
        week = [Piece(f"  {used.change.now:,}", Tone.HERO), Piece(f" scans in 7 days{of}  "), *change]
        before = Piece(f"  {used.change.before:,} in the 7 days before  ", Tone.MUTED)
        return [codes, week, [before, *self._days(width - cells([before]))]]

    def _days(self, width: int) -> Sequence[Piece]:
        """Their days as a picture, where there is room for a week of them."""
        trend = self._usage.trend
        if trend is None or self._in_numbers or width < TREND_CELLS:
            return ()
        return trend_pieces(trend, min(width, len(trend.days)))


def code_lines(codes: Mapping[int, str], activities: Mapping[int, Activity], width: int) -> list[list[Piece]]:
    """Each of some codes, given as names by their ids, with what it was scanned last week, the most first."""
    weeks = {id: one.change for id in codes if (one := activities.get(id)) is not None}
    return change_lines(codes, {id: week for id, week in weeks.items() if week is not None}, width)


def day_lines(codes: Mapping[int, str], activities: Mapping[int, Activity], width: int) -> list[list[Piece]]:
    """Each of some codes, given as names by their ids, with a picture of its last days, the most first."""
    found = {id: one for id in codes if (one := activities.get(id)) is not None and one.change is not None}
    ranked = sorted(codes, key=lambda id: -_week_of(found[id]) if id in found else 1)
    lines: list[list[Piece]] = []
    for id in ranked:
        trend = found[id].trend if id in found else None
        days = [Piece(f" {NONE}", Tone.FAINT)]
        if trend is not None:
            days = [Piece(" "), *trend_pieces(trend, len(trend.days))]
        lines.append([*fitted([Piece(codes[id])], width - cells(days)), *days])
    return lines


def _week_of(activity: Activity) -> int:
    return activity.change.now if activity.change is not None else 0


def change_lines(names: Mapping[int, str], told: Mapping[int, CountChange], width: int) -> list[list[Piece]]:
    """Names by ids, each with its scans of the last week and before, as far as told, the most first."""
    ranked = sorted(names, key=lambda id: -told[id].now if id in told else 1)
    number = max((len(f"{week.now:,}") for week in told.values()), default=0)
    change = max((len(week.words) for week in told.values()), default=1)
    lines: list[list[Piece]] = []
    for id in ranked:
        week = told.get(id)
        facts = [Piece(f" {NONE}", Tone.FAINT)]
        if week is not None:
            facts = [Piece(f" {week.now:>{number},} "), *change_pieces(week, change)]
        lines.append([*fitted([Piece(names[id])], width - cells(facts)), *facts])
    return lines


def week_lines(activity: Activity, *, in_numbers: bool) -> list[DetailLine]:
    """The last week against the one before, and the last 14 days, beside the fields of a code."""
    lines = []
    change = activity.change
    if activity.quiet_since is not None:
        since = quiet_words(activity.quiet_since, local_zone())
        tone = Tone.BAD if change is not None and change.direction < 0 else Tone.PLAIN
        lines.append(DetailLine("None", (Piece(f"since {since}", tone),)))
    if change is not None and activity.quiet_since is not None:
        was = Piece(f" was {change.before:,}", Tone.MUTED)
        lines.append(DetailLine("7 days", (Piece(f"{change.now:,}", Tone.HERO), was)))
    elif change is not None:
        said = change_pieces(change, len(change.words))
        was = Piece(f" was {change.before:,}", Tone.MUTED)
        lines.append(DetailLine("7 days", (Piece(f"{change.now:,} ", Tone.HERO), *said, was)))
    if (trend := activity.trend) is not None:
        drawn = trend_pieces(trend, len(trend.days))
        numbers = (Piece(" ".join(f"{day:,}" for day in trend.days)),)
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

    return RelatedFacts(first[0], f"of {len(records):,} loaded", lines)


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
    return RelatedFacts(named(name), "", used.lines)


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
