"""Packed readings of one code: the newest in full, each older one as its difference from the next.

From one reading to the next few numbers change and by little, so that a step back costs a few bytes; the
newest reading, which is asked for most, needs none. The values of one label stand beside once more, for
questions about all codes: to unpack the steps for them takes ten times as long.
"""

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self, TypeAlias

from pydantic_core import from_json, to_json

Counts: TypeAlias = Mapping[int, int]
"""Counts by the id of their label; a label that is not there was not said."""

Step: TypeAlias = tuple[int, int, Sequence[int], Sequence[int | None]]
"""The way back from a reading to the one before: seconds between them, seconds the one before held, the
labels that differ, and what to add to each of them, None if it was not there."""

CLOCKS_APART = 300
"""The most seconds that clocks are apart which are right."""
_FULL_BYTES = 3_900
"""A little less than fits into one page of SQLite's, so that no page stays half empty."""
_LARGE_STEP = 120
"""Bytes that few steps take more of."""
_LEVEL, _WINDOW_BITS, _MEMORY = 4, 12, 5
"""Of zlib: a level four times as fast as its usual one, for a twelfth more bytes, and tables that fit what is
so short: to clear its usual ones takes ten times as long as to pack one code's days."""
_MARGIN = 2
"""The factor by which the next steps may be larger, before a segment is looked at again."""
_LEAST_KNOWN = 8
"""Steps that tell how large others will be."""
_LEAST_STEPS = 4
"""In sizes of the newest reading: where that is large, it is shared by steps that are worth it."""


class Stretch(NamedTuple):
    """A reading, and until when nothing else was read. Moments are whole epoch seconds."""

    at: int
    until: int
    counts: Counts


@dataclass(frozen=True, slots=True)
class Segment:
    """Readings of one code in the order they were made."""

    newest: Stretch
    steps: tuple[Step, ...] = ()
    """The step back from the newest reading is the last one."""

    @classmethod
    def begun(cls, at: int, counts: Counts) -> Self:
        """A segment of one reading."""
        return cls(Stretch(at, at, counts))

    def holds(self, at: int, counts: Counts) -> bool:
        """Return whether a reading says nothing new: what the newest said, and not before it."""
        return _holds(self.newest, at, counts)

    def followed_by(self, readings: Iterable[tuple[int, Counts]]) -> "Segment":
        """This segment and more readings, each a moment and its counts.

        One that says nothing new only prolongs the newest.
        """
        newest, steps = self.newest, [*self.steps]
        for at, counts in readings:
            if _holds(newest, at, counts):
                newest = newest._replace(until=max(at, newest.until))
            else:
                following = Stretch(at, at, counts)
                steps.append(_step(following, newest))
                newest = following
        return Segment(newest, tuple(steps))

    def backwards(self) -> Iterator[Stretch]:
        """The readings, the newest first."""
        reading = self.newest
        yield reading
        for step in reversed(self.steps):
            reading = _before(reading, step)
            yield reading

    def values(self, label: int) -> "LabelValues":
        """Return the values of one label alone."""
        at, until, counts = self.newest
        count = counts.get(label)
        yield at, until, count
        for seconds, held, labels, differences in reversed(self.steps):
            if label in labels:
                difference = differences[labels.index(label)]
                count = None if difference is None else (count or 0) + difference
            at += seconds
            yield at, at + held, count


LabelValues: TypeAlias = Iterable[tuple[int, int, int | None]]
"""When a value was read, until when it held, and the value; the newest first. None was not said."""


class Packed(NamedTuple):
    """A segment as it goes into a database."""

    newest: bytes
    steps: bytes
    values: bytes


NOTHING_PACKED = Packed(b"", b"", b"")
"""Before the first reading of a code."""


def pack(segment: Segment, label: int) -> Packed:
    """The newest reading, the steps, and the values of one label."""
    newest = segment.newest
    flat = [newest.at, newest.until, *(number for pair in newest.counts.items() for number in pair)]
    return Packed(_compressed(flat), _compressed(segment.steps), _packed_values(segment.values(label)))


def _packed_values(values: LabelValues) -> bytes:
    """Each value as its difference from the next, in one flat list."""
    flat: list[int | None] = []
    at_before, count_before = 0, 0
    for at, until, count in values:
        flat += (at - at_before, until - at, None if count is None else count - count_before)
        at_before, count_before = at, count_before if count is None else count
    return _compressed(flat)


def unpack_values(packed: bytes) -> LabelValues:
    """The values out of what `pack` made of them."""
    flat: list[int | None] = from_json(zlib.decompress(packed))
    at, count = 0, 0
    for seconds, held, difference in zip(flat[::3], flat[1::3], flat[2::3], strict=True):
        at += seconds or 0
        if difference is not None:
            count += difference
        yield at, at + (held or 0), None if difference is None else count


def unpack(newest: bytes, steps: bytes) -> Segment:
    """The segment out of what `pack` made of it."""
    return Segment(unpack_newest(newest), unpack_steps(steps))


def unpack_steps(steps: bytes) -> tuple[Step, ...]:
    """The steps of a segment alone."""
    return tuple(map(tuple, from_json(zlib.decompress(steps))))


def unpack_newest(newest: bytes) -> Stretch:
    """The newest reading of a segment alone."""
    at, until, *pairs = from_json(zlib.decompress(newest))
    return Stretch(at, until, dict(zip(pairs[::2], pairs[1::2], strict=True)))


def is_full(packed: Packed) -> bool:
    """Return whether the next reading should begin another segment."""
    return _room(packed) <= 0


def _room(packed: Packed) -> int:
    """The bytes until a segment is full."""
    return max(_FULL_BYTES, _LEAST_STEPS * len(packed.newest)) - sum(map(len, packed))


def until_full(packed: Packed, steps: int) -> int:
    """Return after how many more steps a segment of so many, packed like this, could be full; at least one.

    To pack is what takes the time: how large steps were so far tells when the next look is worth it.
    """
    step = min(_LARGE_STEP, _MARGIN * len(packed.steps) // steps) if steps >= _LEAST_KNOWN else _LARGE_STEP
    return max(1, -(-_room(packed) // max(1, step)))


def _holds(newest: Stretch, at: int, counts: Counts) -> bool:
    # Where a clock was ahead, it has held until a moment that has not come yet.
    return counts == newest.counts and at >= max(newest.at, newest.until - CLOCKS_APART)


def _step(newer: Stretch, older: Stretch) -> Step:
    now, before = newer.counts, older.counts
    changed = [label for label, count in now.items() if before.get(label) != count]
    labels = sorted([*changed, *(before.keys() - now.keys())])
    differences = [before[label] - now.get(label, 0) if label in before else None for label in labels]
    return older.at - newer.at, older.until - older.at, labels, differences


def _before(newer: Stretch, step: Step) -> Stretch:
    seconds, held, labels, differences = step
    counts = dict(newer.counts)
    for label, difference in zip(labels, differences, strict=True):
        if difference is None:
            del counts[label]
        else:
            counts[label] = counts.get(label, 0) + difference
    at = newer.at + seconds
    return Stretch(at, at + held, counts)


def _compressed(numbers: object) -> bytes:
    compressor = zlib.compressobj(_LEVEL, zlib.DEFLATED, _WINDOW_BITS, _MEMORY)
    return compressor.compress(to_json(numbers)) + compressor.flush()
