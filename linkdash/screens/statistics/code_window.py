"""A QR code to scan from the terminal, over the screen it belongs to, always whole."""

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from linkdash.api.qr import QrCode
from linkdash.screens.outside import copy
from linkdash.widgets.qr_code import QrImage


class CodeWindow(ModalScreen[bool]):
    """Shows the code of a link, black on white in every theme; True when it is to be exported."""

    BINDINGS = [
        Binding("escape,q,Q", "dismiss(False)", "Close"),
        Binding("y", "copy", "Copy link"),
        Binding("x", "dismiss(True)", "Export"),
    ]

    def __init__(self, code: QrCode) -> None:
        super().__init__()
        self._code = code

    def compose(self) -> ComposeResult:
        with Vertical(id="code-window") as window:
            yield QrImage(id="code")
            yield Static(Content.styled(self._code.link, "bold $primary"), id="code-link", markup=False)
        window.border_title = Content.styled(self._code.name or f"QR code {self._code.id}", "bold")
        window.border_subtitle = Content("x export · y copy link · esc close")

    def on_mount(self) -> None:
        self.query_one(QrImage).show(self._code.link)

    def action_copy(self) -> None:
        copy(self.app, "Link", self._code.link)
