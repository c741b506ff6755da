"""What the inputs of all kinds of fields have in common."""

from textual.containers import HorizontalGroup
from textual.message import Message

from linkdash.api.fields import Field


class FieldInput(HorizontalGroup):
    """The input of one field. Its text is what the draft holds, whatever the widgets inside make of it."""

    class Edited(Message):
        """A person changed the text."""

        def __init__(self, path: str, text: str) -> None:
            super().__init__()
            self.path = path
            self.text = text

    def __init__(self, field: Field, text: str) -> None:
        super().__init__()
        self.field = field
        self.hint = ""
        """What to know about this input, shown with the field's help."""
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
            self.post_message(self.Edited(self.field.name, text))
