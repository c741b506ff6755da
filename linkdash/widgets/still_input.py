"""An input line whose cursor does not blink: while nobody types, nothing is written to the terminal."""

from textual.reactive import reactive
from textual.widgets import Input


class StillInput(Input):
    """Textual's own in everything else."""

    cursor_blink = reactive(False, init=False)
