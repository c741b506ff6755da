"""A compact list is the list that it was made of, wherever it is looked at and whatever it holds."""

import gc
import sys
import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from linkdash.api.http.compact_list import CompactList

_texts = st.lists(st.text("ab\x1f\0é\U0001f600", max_size=3))
_numbers = st.lists(st.integers() | st.integers(-(2**63), 2**63 - 1) | st.booleans())
_mixed = st.lists(
    st.none() | st.floats(allow_nan=False) | st.text(max_size=2) | st.integers() | st.booleans()
)
_some = st.builds(lambda values, times: values * times, _texts | _numbers | _mixed, st.integers(1, 150))
_parts = st.lists(_some, max_size=4)
_places = st.integers(-400, 400)


def made_of(parts: list[list[object]]) -> tuple[CompactList[object], list[object]]:
    compact, plain = CompactList[object](), list[object]()
    for part in parts:
        compact.extend(part)
        plain += part
    return compact, plain


@given(_parts, _places, _places, st.sampled_from([None, 1, 2, -1]))
def test_it_gives_what_it_was_given(
    parts: list[list[object]], start: int, end: int, step: int | None
) -> None:
    compact, plain = made_of(parts)
    assert len(compact) == len(plain)
    assert repr([*compact]) == repr(plain)
    assert repr(compact[start:end:step]) == repr(plain[start:end:step])
    if -len(plain) <= start < len(plain):
        assert repr(compact[start]) == repr(plain[start])


@given(_parts, st.integers(0, 400), st.integers(0, 200), _some)
def test_values_take_the_place_of_others(
    parts: list[list[object]], start: int, length: int, others: list[object]
) -> None:
    compact, plain = made_of(parts)
    start = min(start, len(plain))
    end = min(start + length, len(plain))
    spliced = compact.spliced(start, end, others)
    expected = [*plain[:start], *others, *plain[end:]]
    assert repr([*spliced]) == repr(expected)
    assert [repr(spliced[index]) for index in range(len(expected))] == [*map(repr, expected)]
    assert repr([*compact]) == repr(plain)


def test_many_texts_take_little_and_nothing_that_the_collector_looks_at() -> None:
    texts = [f"user{number}@example.org" for number in range(10_000)]
    gc.collect()
    tracked = len(gc.get_objects())
    tracemalloc.start()
    try:
        compact = CompactList(texts)
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(gc.get_objects()) - tracked < 10
    assert taken < sum(map(sys.getsizeof, texts)) / 2
    assert compact[9_999] == texts[-1]
