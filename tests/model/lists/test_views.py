"""Views in words."""

import pytest

from linkdash.model.lists.views import ColumnChoice, View


@pytest.mark.parametrize(
    ("hidden", "words"), [(0, "everything"), (1, "1 column hidden"), (2, "2 columns hidden")]
)
def test_hidden_columns_are_counted(hidden: int, words: str) -> None:
    columns = [ColumnChoice(name="name"), *[ColumnChoice(name="id", shown=False)] * hidden]
    assert View(name="Mine", columns=tuple(columns)).described == words
