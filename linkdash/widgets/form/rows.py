"""The rows of a form, of which those are seen that its draft asks for."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime

from textual.app import ComposeResult
from textual.containers import VerticalGroup

from linkdash.model.forms.draft import Draft, Options
from linkdash.widgets.form.inputs import input_for
from linkdash.widgets.form.row import FieldRow

Edited = Callable[[str, str], None]
"""Called with the path and the text of an input that a person changed, before another key is read."""


class FieldRows(VerticalGroup):
    """One row for each field that the draft may ever ask for, so that a payload's parts appear at once."""

    def __init__(self, draft: Draft, options: Options, now: Callable[[], datetime], edited: Edited) -> None:
        super().__init__()
        self._options = options
        self._now = now
        self._edited = edited
        self._build(draft)

    def compose(self) -> ComposeResult:
        yield from self._every_row.values()

    def __iter__(self) -> Iterator[FieldRow]:
        """The rows that are seen, in order."""
        return iter([self._every_row[field.name] for field in self._draft.fields])

    def __contains__(self, path: object) -> bool:
        return any(field.name == path for field in self._draft.fields)

    def at(self, field: str) -> FieldRow | None:
        """The row of a field, or the first one of its parts where it has several."""
        rows = (row for row in self if row.field.name == field or row.field.name.startswith(f"{field}."))
        return next(rows, None)

    def ask_for(self, draft: Draft) -> None:
        """Shows the fields that the draft asks for now; the inputs hold its texts already."""
        self._draft = draft
        shown = {field.name for field in draft.fields}
        for path, row in self._every_row.items():
            row.display = path in shown

    async def rebuild(self, draft: Draft) -> None:
        """Makes all inputs anew with the texts of another draft."""
        self._build(draft)
        if self.is_attached:
            await self.recompose()

    def tell(self, problems: Mapping[str, str]) -> None:
        """Shows the message for each path at its row, and none at the others."""
        for path, row in self._every_row.items():
            row.problem = problems.get(path, "")

    def _build(self, draft: Draft) -> None:
        defaults = draft.defaults
        self._every_row: dict[str, FieldRow] = {}
        for field in draft.every_field:
            text, default = draft.text(field.name), defaults.get(field.name, "")
            field_input = input_for(field, text, default=default, options=self._options, now=self._now)
            field_input.edited = self._edited
            self._every_row[field.name] = FieldRow(field_input)
        self.ask_for(draft)
