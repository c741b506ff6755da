"""The rows of a form: always those that its draft asks for."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime

from textual.containers import VerticalGroup

from linkdash.api.fields import Field
from linkdash.widgets.form.draft import Draft
from linkdash.widgets.form.inputs import Options, input_for
from linkdash.widgets.form.row import FieldRow


class FieldRows(VerticalGroup):
    """One row for each field of a draft, in its order."""

    def __init__(self, options: Options, now: Callable[[], datetime]) -> None:
        super().__init__()
        self._options = options
        self._now = now
        self._rows: dict[str, FieldRow] = {}

    def __iter__(self) -> Iterator[FieldRow]:
        return iter(tuple(self._rows.values()))

    def __contains__(self, path: object) -> bool:
        return path in self._rows

    def at(self, field: str) -> FieldRow | None:
        """The row of a field, or the first one of its parts where it has several."""
        paths = (path for path in self._rows if path == field or path.startswith(f"{field}."))
        return self._rows.get(next(paths, ""))

    def ask_for(self, draft: Draft) -> None:
        """Shows the fields that the draft asks for now; a row that stays keeps its widgets and its text."""
        before, defaults = self._rows, draft.defaults
        self._rows = {
            field.name: before.get(field.name) or self._row(field, draft.text(field.name), defaults)
            for field in draft.fields
        }
        for name in before.keys() - self._rows.keys():
            before[name].remove()
        previous: FieldRow | None = None
        for row in self:
            if not row.is_attached:
                self.mount(row, after=previous, before=0 if self.children and not previous else None)
            previous = row

    def rebuild(self, draft: Draft) -> None:
        """Shows the draft's fields with the draft's texts in all of them."""
        for row in self:
            row.remove()
        self._rows.clear()
        self.ask_for(draft)

    def tell(self, problems: Mapping[str, str]) -> None:
        """Shows the message for each path at its row, and none at the others."""
        for path, row in self._rows.items():
            row.problem = problems.get(path, "")

    def _row(self, field: Field, text: str, defaults: Mapping[str, str]) -> FieldRow:
        default = defaults.get(field.name, "")
        return FieldRow(input_for(field, text, default=default, options=self._options, now=self._now))
