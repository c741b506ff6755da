"""Sentences about statistics, in pieces with a meaning each: the answer that the user came for. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from typing import Literal, NamedTuple, TypeAlias

from linkdash.model.humanize import counted
from linkdash.model.statistics.chart_data import Number, Tone, label_text
from linkdash.model.statistics.period import Period, day_words, moment_words
from linkdash.model.statistics.period_comparison import (
    Amount,
    Comparison,
    LabelRow,
    Track,
    Turn,
    breakdown,
    compared,
    in_steps,
    silence,
    turn,
)
from linkdash.model.statistics.readings import TOTAL_TITLES, InAll, ratio
from linkdash.store.reading import Reading, Total

_STANDS_OUT = 5
"""Points by which a country has to change more than the whole, to be named as where that was."""

_NAMES = {"scans": "scans", "clicks": "clicks", "unique": "unique clicks"}


class SentencePart(NamedTuple):
    """A part of a sentence and what it means; the words say it without the colour too."""

    text: str
    tone: Tone = "plain"
    role: Literal["", "quiet", "change", "outside"] = ""
    """Since when nothing came, the change against before, or a name from outside; else words of linkdash."""


Sentence: TypeAlias = Sequence[SentencePart]


def plain(sentence: Sentence) -> str:
    """A sentence without its tones."""
    return "".join(piece.text for piece in sentence)


@dataclass(frozen=True)
class CodeAnswer:
    """The sentence about a period: how much, against before, since when, and where."""

    period: Period
    comparison: Comparison
    steps: Sequence[Amount | None]
    """The amount added in each step of the period before and of the period."""
    turn: Turn | None
    sentence: Sentence


def answer(
    tracks: Sequence[Track],
    key: Total,
    period: Period,
    now: datetime,
    *,
    names_label: bool = True,
    names: Sequence[str] = (),
) -> CodeAnswer:
    """Return what happened in a period; with the label where that was, if it is to be named.

    `names` are those of codes that are summed: where several of them turned, they say since when.
    """
    comparison, steps = compared(tracks, key, period), in_steps(tracks, key, period)
    turned = _turned(comparison, steps, period)
    moved = _mover(tracks, comparison, period, period.last_moment(now)) if names_label else None
    each = _since_each([*zip(names, tracks, strict=True)], key, period, now) if names else []
    since = each or _since(turned, period, now)
    sentence = _sentence(tracks, key, period, comparison, since, moved, now)
    return CodeAnswer(period, comparison, steps, turned, sentence)


def _turned(comparison: Comparison, steps: Sequence[Amount | None], period: Period) -> Turn | None:
    turned = turn(steps, period)
    if turned is not None and turned.at < period.start and not _shows_in(comparison, turned):
        return None  # it turned the other way since
    return turned


def _shows_in(comparison: Comparison, turned: Turn) -> bool:
    """Return whether a period changed as it had turned before it; without a comparison nobody denies it."""
    return not comparison.is_whole or comparison.direction == (-1 if turned.is_fall else 1)


def tone_of(comparison: Comparison) -> Tone:
    """A rise is good and a fall is bad, but only where they are more than noise."""
    direction = comparison.direction
    return "good" if direction > 0 else "bad" if direction < 0 else "muted"


def _sentence(
    tracks: Sequence[Track],
    key: Total,
    period: Period,
    comparison: Comparison,
    since: Sentence,
    moved: LabelRow | None,
    now: datetime,
) -> Sentence:
    name = _NAMES[key]
    count, before = comparison.now, comparison.before
    if count is None or count.is_partial:
        return _too_short(tracks, key, period, count, since, now)
    pieces: list[SentencePart] = []
    if quiet := _quiet(tracks, key, period, now):
        tone: Tone = "bad" if comparison.is_telling else "strong"
        pieces = [SentencePart(quiet, tone, "quiet"), SentencePart("; ")]
        since, moved = [], None
    pieces += [SentencePart(f"{count}", "strong"), SentencePart(f" {name} in the {period.words}")]
    if (before is None or before.is_partial) and period.is_over(now):
        return [*pieces, *since, SentencePart("; what was before is not known", "muted")]
    if before is None or before.is_partial:
        ready = _ready(tracks, key, period, now, times=2)
        return [*pieces, *since, SentencePart(f"; no comparison with the time before until {ready}", "muted")]
    if not before.value:
        return [
            *pieces,
            SentencePart(f", none in the {period.words_before}" if count.value else " and before"),
        ]
    pieces += [
        SentencePart(", "),
        SentencePart(f"{before}", "strong"),
        SentencePart(f" in the {period.words_before}: "),
    ]
    tone = tone_of(comparison)
    pieces += [SentencePart(comparison.words, tone, "change"), *since]
    if moved is not None and comparison.is_telling:
        label, of = label_text(moved.label), moved.comparison
        pieces += [
            SentencePart("; "),
            SentencePart(label, tone, "outside"),
            SentencePart(f" {of.words}", tone),
            SentencePart(f" from {of.before}" + ("" if key == "clicks" else " clicks")),
        ]
    return pieces


def _quiet(tracks: Sequence[Track], key: Total, period: Period, now: datetime) -> str:
    """`No scans since Sat 14 Nov`, where that lasts up to now; else empty."""
    quiet = None if period.is_over(now) else silence(tracks, key, period)
    if quiet is None:
        return ""
    if not any(known.value for known, _ in _ends(tracks, key)):
        return f"No {_NAMES[key]} yet"
    return f"No {_NAMES[key]} since {quiet_words(quiet, now.tzinfo)}"


def quiet_words(moment: datetime, zone: tzinfo | None) -> str:
    """The first day without a scan, where a reading at this moment told the last one."""
    last_day = moment.astimezone(zone) - timedelta(seconds=1)  # at midnight it was the day before
    return day_words(last_day + timedelta(days=1))


def _since(turned: Turn | None, period: Period, now: datetime, lead: str = ",") -> Sentence:
    """`, falling since Sat 14 Nov`; nothing where it did not turn."""
    if turned is None:
        return []
    return [SentencePart(f"{lead} {_way(turned)}"), *_since_alone(turned, period, now)]


def _since_each(codes: Sequence[tuple[str, Track]], key: Total, period: Period, now: datetime) -> Sentence:
    """`; Table 4 falling since Sat 14 Nov, Bus stop 2 since Mon 16 Nov`, the largest change first.

    Of more than two the largest is named and all are counted; nothing where fewer than two turned.
    """
    found: list[tuple[int, str, Turn]] = []
    for name, track in codes:
        comparison = compared([track], key, period)
        turned = _turned(comparison, in_steps([track], key, period), period)
        if turned is not None and comparison.is_telling:
            found.append((abs(comparison.difference), label_text(name), turned))
    found.sort(key=lambda one: -one[0])
    if len(found) < 2:
        return []
    if len(found) == 2:
        (_, first, turned), (_, second, other) = found
        is_alike = turned.is_fall == other.is_fall
        return [
            SentencePart("; "),
            SentencePart(first, role="outside"),
            *_since(turned, period, now, ""),
            SentencePart(", "),
            SentencePart(second, role="outside"),
            *(_since_alone(other, period, now) if is_alike else _since(other, period, now, "")),
        ]
    ways = [_way(turned) for _, _, turned in found]
    counts = " and ".join(f"{ways.count(way):,} {way}" for way in dict.fromkeys(ways))
    most = [SentencePart(f"; {counts}, most of all "), SentencePart(found[0][1], role="outside")]
    return [*most, *_since_alone(found[0][2], period, now)]


def _way(turned: Turn) -> str:
    return "falling" if turned.is_fall else "rising"


def _since_alone(turned: Turn, period: Period, now: datetime) -> Sentence:
    """` since Sat 14 Nov`"""
    return [
        SentencePart(" since "),
        SentencePart(_at(turned, period, now), "bad" if turned.is_fall else "good"),
    ]


def _at(turned: Turn, period: Period, now: datetime) -> str:
    return day_words(turned.at) if period.step != "hour" else moment_words(turned.at, now)


def _too_short(
    tracks: Sequence[Track],
    key: Total,
    period: Period,
    count: Amount | None,
    since: Sentence,
    now: datetime,
) -> Sentence:
    """A sentence about a period that is not known whole, and the moment from which the rest can be."""
    spans = [span for track in tracks if (span := track.span(key)) is not None]
    if not spans:
        return [SentencePart(f"No {_NAMES[key]} are known.")]
    first, last = min(span[0] for span in spans), max(span[1] for span in spans)
    known = f"{Amount(count.value)} {_NAMES[key]} known of the {period.words}" if count else ""
    if period.is_over(now):
        reach = f"{day_words(first.astimezone(now.tzinfo))} to {day_words(last.astimezone(now.tzinfo))}"
        said = known or f"No {_NAMES[key]} known of the {period.words}"
        return [SentencePart(f"{said}: the history goes from {reach}.", "strong")]
    if last < period.end and first <= period.start:
        told = f": {known}" if known else ""
        return [SentencePart(f"No reading since {moment_words(last, now)}{told}.", "strong")]
    return _only_begun(tracks, key, period, (first, last), since, now)


def _only_begun(
    tracks: Sequence[Track],
    key: Total,
    period: Period,
    reach: tuple[datetime, datetime],
    since: Sentence,
    now: datetime,
) -> Sentence:
    """The sentence while the history reaches over less than the period; `reach` is its first and last."""
    first, last = reach
    ready = (
        f" The {period.words} will be known from {_ready(tracks, key, period, now, times=1)}, "
        f"compared with the time before from {_ready(tracks, key, period, now, times=2)}."
    )
    if first == last:
        return [
            SentencePart("First reading saved.", "strong"),
            SentencePart(f" Changes appear here next time.{ready}", "muted"),
        ]
    whole = sum((round(known.value) - round(begun.value)) for known, begun in _ends(tracks, key))
    said = f"{counted(whole, _NAMES[key].removesuffix('s'))} since {moment_words(first, now)}"
    return [
        SentencePart(said, "strong"),
        SentencePart(", the earliest reading", "plain"),
        *since,
        SentencePart(f".{ready}", "muted"),
    ]


def _ends(tracks: Sequence[Track], key: Total) -> list[tuple[Amount, Amount]]:
    ends = []
    for track in tracks:
        span = track.span(key)
        first = track.known(key, span[0]) if span else None
        last = track.known(key, span[1]) if span else None
        if first and last:
            ends.append((Amount(round(last.value)), Amount(round(first.value))))
    return ends


def _ready(tracks: Sequence[Track], key: Total, period: Period, now: datetime, *, times: int) -> str:
    """The moment from which the history reaches over so many lengths of the period."""
    first = max(span[0] for track in tracks if (span := track.span(key)) is not None)
    ready = first + period.length * times
    if period.step != "hour":  # whole days only
        ready = ready + (period.marks[1] - period.marks[0])
        ready = ready.astimezone(now.tzinfo)
        return day_words(ready) if ready.year == now.year else f"{day_words(ready)} {ready.year}"
    return moment_words(ready, now)


def comparable_from(tracks: Sequence[Track], key: Total, period: Period, now: datetime) -> str:
    """Return from when the history will cover the period and the one before it for all; empty without any."""
    known = [track for track in tracks if track.span(key) is not None]
    return f"no comparison before {_ready(known, key, period, now, times=2)}" if known else ""


def reach_words(tracks: Sequence[Track], key: Total, period: Period) -> str:
    """Both periods where the history of one reaches over them; else `last 30 days, read since Sun 1 Nov`."""
    spans = [span for track in tracks if (span := track.span(key)) is not None]
    first = min((span[0] for span in spans), default=period.start_before).astimezone(period.start.tzinfo)
    if first <= period.marks_before[1]:
        return period.both
    return f"{period.words}, read since {day_words(first)}"


def _mover(tracks: Sequence[Track], comparison: Comparison, period: Period, now: datetime) -> LabelRow | None:
    """The country that moved most in the direction of the whole, of those that moved more than that."""
    whole = comparison.change
    if whole is None or not whole.direction:
        return None
    least = whole.direction * whole.telling_percent + _STANDS_OUT
    moved = [
        row
        for row in breakdown(tracks, "countries", period, now) or []
        if (change := row.comparison.change) and whole.direction * change.telling_percent >= least
    ]
    return max(moved, key=lambda row: abs(row.comparison.difference), default=None)


def turn_words(turned: Turn, period: Period, now: datetime) -> tuple[str, str]:
    """`▼ Sat 14 Nov: 216 → 84 in a day`, and what became of the mean.

    The steps are left out where they go the other way, as from a Sunday to a poorer Monday. A mean of the
    same weekdays says so: it is of some of the days on each side only.
    """
    sign, each = "▼" if turned.is_fall else "▲", in_a_step(period)
    head = f"{sign} {_at(turned, period, now)}"
    if (turned.after < turned.before) == turned.is_fall:
        head += f": {turned.before:,} → {turned.after:,} in {each}"
    if turned.is_of_like_steps:
        like = "same hours" if period.step == "hour" else "same weekdays"
        return head, f"{like}: mean {turned.mean_before:,} → {turned.mean_after:,} {each}"
    verb = "fell" if turned.is_fall else "rose"
    return head, f"the mean {verb} from {turned.mean_before:,} to {turned.mean_after:,} {each}"


def in_a_step(period: Period) -> str:
    """`an hour`, `a day`"""
    return "an hour" if period.step == "hour" else f"a {period.step}"


# ---- single numbers ----


@dataclass(frozen=True)
class Figure:
    """A number with what became of it."""

    title: str
    short: str
    """The title where there is little room."""
    value: str
    change: str
    tone: Tone
    trend: tuple[Number, ...]
    """The amount added in each step of the period before and of the period."""
    note: str
    """`was 1,600`, `read since 29 Oct`"""
    reach: str = ""
    """`1 of 9 codes`, where it is not of all of them."""


_SHORT: dict[Total, str] = {"scans": "Scans", "clicks": "Clicks", "unique": "Unique"}
_SHOWN: tuple[Total, ...] = ("scans", "clicks", "unique")


def figures(
    tracks: Sequence[Track],
    period: Period,
    latest: Mapping[Total, InAll],
    first_at: datetime | None,
) -> list[Figure]:
    """Scans, clicks and unique clicks of a period, and all scans; all of each where history is too short.

    `latest` is what each had come to, `first_at` is when the history begins.
    """
    first = first_at.astimezone(period.end.tzinfo) if first_at else None
    found = [
        _period_figure(tracks, key, period, comparison)
        for key in _SHOWN
        if (comparison := compared(tracks, key, period)).now and not comparison.now.is_partial
    ]
    if found:
        return [*found, _whole_figure("scans", latest["scans"], first)]
    return [_whole_figure(key, latest[key], first) for key in _SHOWN]


def _period_figure(tracks: Sequence[Track], key: Total, period: Period, comparison: Comparison) -> Figure:
    before = comparison.before
    note = f"was {before}" if before is not None and not before.is_partial else ""
    title = f"{TOTAL_TITLES[key]}, {period.words.removeprefix('last ')}"
    return Figure(
        title,
        _SHORT[key],
        str(comparison.now),
        comparison.words,
        tone_of(comparison),
        _trend(tracks, key, period),
        note,
    )


def _trend(tracks: Sequence[Track], key: Total, period: Period) -> tuple[Number, ...]:
    return tuple(amount.value if amount else None for amount in in_steps(tracks, key, period))


def _whole_figure(key: Total, whole: InAll, first: datetime | None) -> Figure:
    note = whole.reach or (f"read since {first.day} {first:%b}" if first else "")
    short = f"All {_SHORT[key].lower()}"
    return Figure(f"{TOTAL_TITLES[key]}, all time", short, str(whole), "", "muted", (), note, whole.reach)


def rates(latest: Reading | None) -> str:
    """`Unique rate 69 % · 0.77 scans per click`, as far as it is known."""
    if latest is None:
        return ""
    unique, scanned = ratio(latest.unique, latest.clicks), ratio(latest.scans, latest.clicks)
    parts = [f"Unique rate {unique * 100:.0f} %"] if unique is not None else []
    parts += [f"{scanned:.2f} scans per click"] if scanned is not None else []
    return " · ".join(parts)
