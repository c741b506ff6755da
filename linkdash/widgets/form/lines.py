"""The text inputs that every field's input is built from; what is pasted into them is never lost."""

from textual import events
from textual.widgets import Input, TextArea

from linkdash.api.text import inert


def one_line(text: str) -> str:
    """Pasted text for an input of one line: every line of it, with nothing a terminal could act on."""
    lines = (line.strip() for line in text.replace("\t", " ").splitlines())
    return inert(" ".join(line for line in lines if line))


def several_lines(text: str) -> str:
    """Pasted text for an input of several lines, with nothing a terminal could act on."""
    return "\n".join(inert(line) for line in text.splitlines())


class Line(Input):
    """An input one line high. What is typed replaces what is in it only where that is `replaced`."""

    def __init__(
        self, text: str, *, placeholder: str = "", password: bool = False, replaced: bool = False
    ) -> None:
        super().__init__(
            text, placeholder=inert(placeholder), password=password, compact=True, select_on_focus=replaced
        )

    def on_paste(self, event: events.Paste) -> None:
        event.text = one_line(event.text)

    def action_paste(self) -> None:
        self.replace(one_line(self.app.clipboard), *self.selection)


class Lines(TextArea):
    """An input of several lines, which tab leaves."""

    def __init__(self, text: str, *, placeholder: str = "") -> None:
        super().__init__(text, placeholder=inert(placeholder), compact=True, highlight_cursor_line=False)

    def on_paste(self, event: events.Paste) -> None:
        event.text = several_lines(event.text)
