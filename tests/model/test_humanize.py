"""Numbers and times in words."""

import pytest

from linkdash.model.humanize import size_words


@pytest.mark.parametrize(
    ("size", "words"),
    [(0, "0 kB"), (12_300, "12 kB"), (99_999, "100 kB"), (100_000, "0.1 MB"), (2_345_678_901, "2,345.7 MB")],
)
def test_a_size_is_never_rounded_to_nothing(size: int, words: str) -> None:
    assert size_words(size) == words
