"""The fields of a form, one row or box each."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby

from textual import on
from textual.app import ComposeResult
from textual.containers import HorizontalGroup, VerticalGroup
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import Static

from linkdash.api.fields import COLORS, Field, Kind
from linkdash.model.writes.draft import Draft, Options
from linkdash.widgets.form.choice_input import ChoiceList
from linkdash.widgets.form.field_input import FieldInput
from linkdash.widgets.form.inputs import input_for
from linkdash.widgets.styled_text import Piece, Tone, content

REQUIRED = " · required"
"""Said behind the title of a field that cannot be left empty."""


LEFT_ALONE = "unchanged"
"""Said in an empty field of a record whose value the service does not show."""
_MAY_BE_UNTOLD = COLORS | {Kind.TEXT, Kind.LINK}


class FieldRow(VerticalGroup):
    """A title, an input, and a note: what is wrong, else, while the input has the focus, what helps.

    Where the form is `-boxed`, they stand in the frame, unless the note is too long for it. Elsewhere, and
    below the input, the row itself draws them: a widget for each would make a form slow to open.
    """

    def __init__(self, field_input: FieldInput) -> None:
        super().__init__()
        self.field_input = field_input
        self._problem = ""
        self._about = " · ".join(part for part in (self.field.help, field_input.hint) if part)
        self._note_height = 0
        """The rows of the note below the input."""

    @property
    def field(self) -> Field:
        return self.field_input.field

    def compose(self) -> ComposeResult:
        yield self.field_input

    def on_mount(self) -> None:
        self.watch(self.field_input, "is_open", self._opened)
        self._frame()

    def on_resize(self) -> None:
        """Stay in sight also with a note that has come below it."""
        self._frame()
        if self.has_focus_within:
            self.scroll_visible(animate=False)

    def on_descendant_focus(self) -> None:
        self._frame()

    def on_descendant_blur(self) -> None:
        self._frame()

    # ---- title and note ----

    @property
    def _is_boxed(self) -> bool:
        """Return whether there is a frame; the style sheet decides that."""
        return bool(self.styles.border_top[0])

    @property
    def _title(self) -> Content:
        tone = Tone.BAD if self._problem else Tone.LINK if self.has_focus_within else Tone.MUTED
        required = [Piece(REQUIRED, Tone.MUTED)] if self.field.required else []
        return content([Piece(self.field.title, tone, bold=self.has_focus_within), *required])

    @property
    def note(self) -> Content:
        """Return what is wrong with the text, or what helps while it is typed; nothing where neither is."""
        if self._problem:
            return content([Piece("✗ ", Tone.BAD), Piece(self._problem, Tone.BAD)])
        return content([Piece(self._about, Tone.MUTED)] if self.has_focus_within else ())

    def _rows_of_note(self, width: int) -> list[Content]:
        """The note in rows below the input; none where the frame says it."""
        if not (note := self.note) or (self._is_boxed and note.cell_length <= width):
            return []
        return note.wrap(max(1, width - self._indent))

    @property
    def _indent(self) -> int:
        """The cells before the input, where the title has its room."""
        return self.field_input.styles.margin.left

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return super().get_content_height(container, viewport, width) + len(self._rows_of_note(width))

    def render(self) -> Content:
        if self.has_class("-covered"):
            return Content("")
        width, height = self.size
        note = [] if self.field_input.is_open else self._rows_of_note(width)
        rows = [Content("")] * height
        if height and not self._is_boxed:
            rows[0] = self._title.truncate(self._indent - 1 if self._indent else width, ellipsis=True)
        if note:
            rows[-len(note) :] = [row.pad_left(self._indent) for row in note]
        return Content("\n").join(rows)

    def _frame(self) -> None:
        """Write title and note where they stand now."""
        if not self.is_attached or not self.size.width:
            return
        note_height = len(self._rows_of_note(self.size.width))
        if self._is_boxed:
            self.border_title = self._title
            self.border_subtitle = Content("") if note_height else self.note
        grown, self._note_height = note_height != self._note_height, note_height
        self.refresh(layout=grown)

    def _opened(self, is_open: bool) -> None:
        """Make room for what lies over what is said below the input."""
        self.set_class(is_open, "-open")
        self.refresh()  # what is said below the input is not said beside its list
        if not is_open:
            self.query_ancestor(FieldRows).hide_covered()

    def hide(self, is_hidden: bool) -> None:
        """Show nothing of it where it stands; what is shown again can have the focus at once."""
        self.set_class(is_hidden, "-covered")
        self.field_input.styles.visibility = "hidden" if is_hidden else None

    @property
    def problem(self) -> str:
        """Return what is wrong with the text; "" where nothing is, or nothing is to be said yet."""
        return self._problem

    @problem.setter
    def problem(self, message: str) -> None:
        if message == self._problem:
            return
        self._problem = message
        self.set_class(bool(message), "-problem")
        self._frame()

    def focus_input(self) -> None:
        """Give the focus to the first widget of the input that takes it."""
        if widget := next((widget for widget in self.field_input.query(Widget) if widget.focusable), None):
            self.screen.set_focus(widget)


Edited = Callable[[str, str], None]
"""Called with the path and the text of an input that the user changed, before another key is read."""


_Block = tuple[str, Sequence[Field]]
"""The title of a section, which has no field, or a field; two colors, which are compared, stand abreast."""


class FieldRows(VerticalGroup):
    """The rows of the fields that the draft asks for; those that it asks for later are mounted then."""

    def __init__(
        self,
        draft: Draft,
        options: Options,
        now: Callable[[], datetime],
        edited: Edited,
    ) -> None:
        super().__init__()
        self._options = options
        self._now = now
        self._edited = edited
        self._begin(draft)

    def _begin(self, draft: Draft) -> None:
        self._draft = draft
        self._shown = {field.name for field in draft.fields}
        self._rows: dict[str, FieldRow] = {}
        """The rows that were asked for by now."""
        self._made: dict[str, Widget] = {}
        """What stands in it by now, by the title of the section or the path of the first field."""

    def compose(self) -> ComposeResult:
        yield from (block for block, _ in self._asked_for())

    def _blocks(self) -> Iterator[_Block]:
        """All that may ever stand in it, in order."""
        for title, members in groupby(self._draft.every_field, key=lambda field: field.section):
            if title:
                yield f"# {title}", ()
            fields = [*members]
            while fields:
                field = fields.pop(0)
                if fields and field.kind in COLORS and fields[0].kind in COLORS:
                    yield field.name, (field, fields.pop(0))
                else:
                    yield field.name, (field,)

    def _asked_for(self) -> Iterator[tuple[Widget, Widget | None]]:
        """The parts that are to be seen and not made yet, each with what it stands behind."""
        before: Widget | None = None
        for name, fields in self._blocks():
            is_seen = not fields or any(field.name in self._shown for field in fields)
            if name not in self._made and is_seen:
                self._made[name] = block = self._block(name, fields)
                yield block, before
            before = self._made.get(name, before)

    def _block(self, name: str, fields: Sequence[Field]) -> Widget:
        if not fields:
            return Static(name.removeprefix("# "), classes="form-section", markup=False)
        rows = [self._row(field) for field in fields]
        return rows[0] if len(rows) == 1 else HorizontalGroup(*rows, classes="field-pair")

    def __iter__(self) -> Iterator[FieldRow]:
        """The rows that are seen, in order."""
        return map(self._row, self._draft.fields)

    def __contains__(self, path: object) -> bool:
        return any(field.name == path for field in self._draft.fields)

    def at(self, field: str) -> FieldRow | None:
        """The row of a field, or the first one of its parts where it has several."""
        rows = (row for row in self if row.field.name == field or row.field.name.startswith(f"{field}."))
        return next(rows, None)

    def ask_for(self, draft: Draft) -> None:
        """Show the fields that the draft asks for now; the inputs hold its texts already.

        The next key waits for those that are mounted for it, as for all that is under way here.
        """
        self._draft = draft
        shown = {field.name for field in draft.fields}
        if shown == self._shown:
            return
        self._shown = shown
        for path, row in self._rows.items():
            row.display = path in shown
        self.call_later(self._mount_asked_for)

    async def _mount_asked_for(self) -> None:
        for block, before in [*self._asked_for()]:
            await self.mount(block, before=0 if before is None else None, after=before)
        if self.is_attached:
            self.update_node_styles()  # every other row that is seen has another background

    @on(ChoiceList.LaidOut)
    def hide_covered(self) -> None:
        """Show nothing of a row that an open list lies over, of which a part would be seen beside it."""
        rows = [row for row in self._rows.values() if row.is_attached]
        lists = [one.region for row in rows if row.field_input.is_open for one in row.query(ChoiceList)]
        for row in rows:
            row.hide(not row.field_input.is_open and any(map(row.region.overlaps, lists)))

    async def rebuild(self, draft: Draft) -> None:
        """Make all inputs anew with the texts of another draft."""
        self._begin(draft)
        if self.is_attached:
            await self.recompose()

    def tell(self, problems: Mapping[str, str]) -> None:
        """Show the message for each path at its row, and none at the others."""
        for path, row in self._rows.items():
            row.problem = problems.get(path, "")

    def _row(self, field: Field) -> FieldRow:
        """The row of a field, made when it is first asked for."""
        if field.name not in self._rows:
            draft = self._draft
            is_untold = draft.is_untold(field.name) and field.kind in _MAY_BE_UNTOLD
            shown = LEFT_ALONE if is_untold else draft.defaults.get(field.name, "")
            text = draft.text(field.name)
            field_input = input_for(field, text, default=shown, options=self._options, now=self._now)
            field_input.hint = "the service does not tell it" if is_untold else field_input.hint
            field_input.edited = self._edited
            field_input.original = (draft.original or {}).get(field.name, "")
            self._rows[field.name] = FieldRow(field_input)
        return self._rows[field.name]
