"""The texts of rows in which words are looked for."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from linkdash.api.fields import Field
from linkdash.api.folded_text import folded
from linkdash.api.paging import Rows
from linkdash.api.records import Record, Unreadable
from linkdash.api.slices import SMALL_SLICE, Slices
from linkdash.model.lists.columns import Odd, value_of

T = TypeVar("T", bound=Record)

SEPARATOR = "\0"
"""Between the texts of one row; a text that holds it is searched as two."""


def texts_of(value: object, field: Field) -> list[str]:
    """The texts of a value in which words are looked for: its own, and what is shown for it."""
    text = value.text if isinstance(value, Odd) else "" if value is None else str(value)
    label = field.labels.of(text)
    return [text] if label is text else [text, str(label)]


def row_text(row: object, fields: Sequence[Field]) -> str:
    """The texts of a row's fields one after the other, without regard to case."""
    if isinstance(row, Unreadable):
        return folded(row.text)
    texts = [text for field in fields for text in texts_of(value_of(row, field.name), field)]
    return folded(SEPARATOR.join(texts))


class RowTexts(Generic[T]):
    """The texts of many rows, each made once, when one is first asked for."""

    def __init__(self, rows: Rows[T], fields: Sequence[Field]) -> None:
        self.rows = rows
        self._fields = fields
        self._made: list[str] = []

    def all(self) -> Slices[Sequence[str]]:
        """Return the text of each row. Two who ask for them in turns go on where the other is."""
        while (start := len(self._made)) < len(self.rows):
            self._made += [row_text(row, self._fields) for row in self.rows[start : start + SMALL_SLICE]]
            yield
        return self._made
