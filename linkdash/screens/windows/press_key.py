"""The window that takes a new key for an action by its being pressed."""

from collections.abc import Callable

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.screen import ModalScreen
from textual.widgets import Static

from linkdash.screens.key_names import key_names
from linkdash.screens.windows.widths import fit_width
from linkdash.widgets.frame.key_line import KeyLine
from linkdash.widgets.panel import Window
from linkdash.widgets.styled_text import Piece, Tone, content
from linkdash.widgets.textual_fixes.unexpected_keys import name_of_key

_OWN_KEYS = ("enter", "escape", "backspace")


class PressKeyScreen(ModalScreen[str | None]):
    """A window that takes the next key as the new one, or the default ones; None for no change."""

    BINDINGS = [
        Binding("enter", "keep", "Keep"),
        Binding("backspace", "default", "Default"),
        Binding("escape", "dismiss", "Back"),
    ]

    def __init__(self, label: str, now: str, default: str, why_not: Callable[[str], str]) -> None:
        """`now` and `default` are its keys; `why_not` says why it cannot have others, "" where it can."""
        super().__init__()
        self._label, self._now, self._default, self._why_not = label, now, default, why_not
        self._chosen = ""
        self._problem = ""

    def compose(self) -> ComposeResult:
        with Window(title=f"Key of {self._label}", classes="-choices"):
            now, default = key_names(self._now), key_names(self._default)
            by_default = f"  (default: {default})" if now != default else ""
            told = content([Piece("Now: ", Tone.MUTED), now, Piece(by_default, Tone.MUTED)])
            yield Static(told)
            yield Static("Press the new key.", id="new-key", markup=False)
        yield KeyLine()

    def on_mount(self) -> None:
        self._fit()

    def _fit(self) -> None:
        """Make it as wide as the longest of its lines."""
        window = self.query_one(Window)
        fit_width(window, [str(line.content) for line in window.query(Static)])

    def on_key(self, event: events.Key) -> None:
        """Take every key but those of the window."""
        if event.key in _OWN_KEYS:
            return
        event.stop()
        sign = event.character if event.is_printable else None
        is_plain = sign is not None and sign not in ", " and name_of_key(sign) == event.key
        self._choose(sign if is_plain and sign else event.key)

    def _choose(self, keys: str) -> None:
        """Show keys as the new ones, and whether they can be kept."""
        self._chosen, self._problem = keys, self._why_not(keys)
        problem = f"✗ {self._problem} Press another key."
        told = Piece(problem, Tone.BAD) if self._problem else Piece("✓ free", Tone.GOOD)
        new = Piece(f"{key_names(keys)}  ", Tone.KEY, bold=True)
        self.query_one("#new-key", Static).update(content([Piece("New: ", Tone.MUTED), new, told]))
        self._fit()
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "keep" or bool(self._chosen and not self._problem)

    def action_keep(self) -> None:
        self.dismiss(self._chosen)

    def action_default(self) -> None:
        self._choose(self._default)
