"""What the inputs of all kinds of fields have in common."""

from collections.abc import Callable

from textual.containers import HorizontalGroup
from textual.reactive import var

from linkdash.api.fields import Field


class FieldInput(HorizontalGroup):
    """The input of one field. Its text is what the draft holds, whatever the widgets inside make of it."""

    is_open = var(False, bindings=True)
    """Whether something of it, such as a list to choose from, lies over what stands below it."""

    def __init__(self, field: Field, text: str) -> None:
        super().__init__()
        self.field = field
        self.hint = ""
        """What to know about this input, shown with the field's help."""
        self.edited: Callable[[str, str], None] = _ignore
        """Called with the path and the text that a person changed; the form's rows put themselves here.

        A call and no message: what a choice makes appear is there before the next key is read.
        """
        self._text = text

    @property
    def text(self) -> str:
        """What was typed or chosen."""
        return self._text

    def settle(self) -> str:
        """Ends what is half done, such as a choice from an open list, and returns the text."""
        return self._text

    def take(self, text: str) -> None:
        """Makes `text` the field's text and tells the form, if it is another one."""
        if text != self._text:
            self._text = text
            self.edited(self.field.name, text)


def _ignore(_path: str, _text: str) -> None:
    """What an input does that belongs to no form."""
