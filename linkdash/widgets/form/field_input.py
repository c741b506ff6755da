"""The base of the inputs of a form, and lines to type into."""

from collections.abc import Callable

from textual import events
from textual.containers import HorizontalGroup
from textual.geometry import Region
from textual.reactive import var
from textual.strip import Strip
from textual.widgets import Button, TextArea

from linkdash.api.fields import Field, pasted, stripped
from linkdash.api.inert_text import inert
from linkdash.model.writes.draft import InputText
from linkdash.widgets.filter_line import StillInput
from linkdash.widgets.textual_fixes.watchers import watch_no_more


class FieldInput(HorizontalGroup):
    """The input of one field. Its text is what the draft holds, whatever the widgets inside show of it."""

    several_lines = False

    is_open = var(False, bindings=True)
    """True if something of it, such as a list to choose from, lies over what stands below it."""

    def __init__(self, field: Field, text: str) -> None:
        super().__init__()
        self.field = field
        self.hint = ""
        """A hint about this input, shown with the field's help."""
        self.edited: Callable[[str, str], None] = _ignore
        """Called with the path and the text that the user changed; the form's rows put themselves here.

        A call and no message: what a choice makes appear is there before the next key is read.
        """
        self.original = ""
        """The text of the record that is updated; the form's rows put it here."""
        self._text = InputText.of(text, several_lines=self.several_lines)
        self._is_typed = False

    @property
    def text(self) -> str:
        """Return what was typed or chosen, or what was there, untouched."""
        return self._text.value

    @property
    def shown(self) -> str:
        """Return what the widget inside shows for it."""
        return self._text.shown

    @property
    def pending(self) -> str:
        """Return the text that `settle` would leave now."""
        return self.text

    def settle(self) -> str:
        """End what is half done, such as a choice from an open list, and return the text."""
        return self.text

    def take_bare(self) -> bool:
        """Leave out what shows nothing around a text that was typed; what nobody touched stays."""
        bare = stripped(self.text)
        if not self._is_typed or self.text in (bare, self.original):
            return False
        self.take(bare)
        return True

    def take(self, text: str) -> None:
        """Make `text` the field's text and tell the form, if it is another one."""
        if text != self.text:
            self._change(InputText.of(text, several_lines=self.several_lines))

    def take_shown(self, shown: str) -> None:
        """Take what the widget inside shows after an edit; what shows the record's text again is that."""
        if shown == self.shown:
            return
        self._is_typed = True
        original = InputText.of(self.original, several_lines=self.several_lines)
        self._change(original if shown == original.shown else self._text.edited(shown))

    def _change(self, text: InputText) -> None:
        self._text = text
        self.edited(self.field.name, text.value)


def _ignore(_path: str, _text: str) -> None:
    """Ignore the events of an input that belongs to no form."""


def several_lines(text: str) -> str:
    """Pasted text for an input of several lines, with nothing a terminal could act on."""
    return "\n".join(map(pasted, text.splitlines()))


class LineEdit(StillInput):
    """An input one line high. What is typed replaces what is in it only where that is `replaced`."""

    def __init__(
        self, text: str, *, placeholder: str = "", password: bool = False, replaced: bool = False
    ) -> None:
        super().__init__(
            text, placeholder=inert(placeholder), password=password, compact=True, select_on_focus=replaced
        )


class TextEdit(TextArea):
    """An input of several lines, which tab leaves."""

    def __init__(self, text: str) -> None:
        super().__init__(text, compact=True, highlight_cursor_line=False)
        self.cursor_blink = False

    def on_unmount(self) -> None:
        """Let screen and app keep nothing of it."""
        self.screen.text_selection_started_signal.unsubscribe(self)
        watch_no_more(self, self.app)

    def on_paste(self, event: events.Paste) -> None:
        event.text = several_lines(event.text)

    def action_paste(self) -> None:
        self.replace(several_lines(self.app.clipboard), *self.selection)

    def render_lines(self, crop: Region) -> list[Strip]:
        if self.parent is None:  # Textual looks for styles that go with a removed widget: KeyError
            return [Strip.blank(crop.width)] * crop.height
        return super().render_lines(crop)


class Shortcut(Button):
    """A small button that leaves the focus where it is."""

    can_focus = False

    def __init__(self, label: str, name: str) -> None:
        super().__init__(label, name=name, compact=True)
