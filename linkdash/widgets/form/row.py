"""One field of a form: its title, its input, and what there is to say about it."""

from textual.app import ComposeResult
from textual.containers import VerticalGroup
from textual.widget import Widget
from textual.widgets import Static

from linkdash.api.fields import Field
from linkdash.widgets.form.field_input import FieldInput


class FieldRow(VerticalGroup):
    """The line below the input says what is wrong, else, while the input has the focus, what helps."""

    def __init__(self, field_input: FieldInput) -> None:
        super().__init__()
        self.field_input = field_input
        self._problem = ""
        self._about = " · ".join(part for part in (self.field.help, field_input.hint) if part)
        self.set_class(not self._about, "-silent")

    @property
    def field(self) -> Field:
        return self.field_input.field

    def compose(self) -> ComposeResult:
        mark = " *" if self.field.required else ""
        yield Static(f"{self.field.title}{mark}", classes="field-title", markup=False)
        with VerticalGroup(classes="field-side"):
            yield self.field_input
            yield Static(self._problem or self._about, classes="field-note", markup=False)

    def on_mount(self) -> None:
        self.watch(self.field_input, "is_open", self._opened)

    def _opened(self, is_open: bool) -> None:
        """What is said below the input would show around what lies over it."""
        self.set_class(is_open, "-open")

    @property
    def problem(self) -> str:
        """What is wrong with the text; "" where nothing is, or nothing is to be said yet."""
        return self._problem

    @problem.setter
    def problem(self, message: str) -> None:
        if message == self._problem:
            return
        self._problem = message
        self.set_class(bool(message), "-problem")
        self.set_class(not (message or self._about), "-silent")
        if self.is_mounted:
            self.query_one(".field-note", Static).update(message or self._about)
        if self.has_focus_within:
            self.call_after_refresh(self.scroll_visible, animate=False)

    def focus_input(self) -> None:
        """Gives the focus to the first widget of the input that takes it."""
        if widget := next((widget for widget in self.field_input.query(Widget) if widget.focusable), None):
            self.screen.set_focus(widget)
