"""Hints at what to write instead of a filter that finds nothing."""

from datetime import datetime

import pytest

from linkdash.api.fields import Field, fields_of
from linkdash.api.resources.users import User
from linkdash.model.lists.columns import value_of
from linkdash.model.lists.filter_examples import FilterHint, examples, hint
from tests.widgets.sample import COLUMNS, Code, code

ROWS = [code(1, name="Spring", kind="gtm"), code(2, name="Autumn", kind="ga")]


def words_of(field: Field) -> list[str]:
    return [str(value_of(row, field.name)) for row in ROWS]


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("kind:xing", FilterHint("kind is Tag Manager or ga", 'write kind:"Tag Manager"', 0)),
        ("spring ki:xing", FilterHint("kind is Tag Manager or ga", 'write kind:"Tag Manager"', 7)),
        ("kind:tag", None),
        ("kind:G", None),
        ("!kind:xing", None),
        ("lab", FilterHint("label", "write label:spring")),
        ("winter", None),
    ],
)
def test_what_would_be_right_is_told(typed: str, found: FilterHint | None) -> None:
    fields = fields_of(Code)
    told = examples(fields, ROWS, datetime(2026, 11, 20), COLUMNS)
    assert hint(typed, fields, COLUMNS, told, words_of) == found


def test_a_time_that_has_come_is_asked_for_by_its_field() -> None:
    asked = hint("status:pro expired", fields_of(User), (), (), lambda field: ())
    assert asked == FilterHint("expired", "write expires<0d", 11)
