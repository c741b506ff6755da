"""The preview of a QR code before it is made."""

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import HorizontalGroup, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from linkdash.api.fields import read_color
from linkdash.model.humanize import counted
from linkdash.model.writes.draft import Draft
from linkdash.widgets.form.form import Preview
from linkdash.widgets.frame.key_line import KeyLine
from linkdash.widgets.qr_code import LEAST_CONTRAST, Rgb, contrast, qr_modules
from linkdash.widgets.qr_image import TIGHT_QUIET_ZONE, QrImage
from linkdash.widgets.styled_text import Piece, Tone, content

_AS_IT_IS = "As it is now, drawn from its link:"
_FACTS_CELLS = 17  # cells that the facts need to stand beside the code


class QrPreview(Preview):
    """A preview of a code's content, in its chosen colors where a scanner can tell them apart.

    The service does not tell the content of a code that is there: until it is typed, its link is drawn.
    """

    has_more = True

    def __init__(self, link: str = "") -> None:
        super().__init__()
        self._link = link
        self._facts: list[list[Piece]] = []
        self._shown: tuple[str, Rgb | None, Rgb | None] | None = None

    def compose(self) -> ComposeResult:
        hint = _AS_IT_IS if self._link else "The code appears here once its data is complete."
        yield Static(hint, id="preview-hint", markup=False)
        with HorizontalGroup(id="preview"):
            yield QrImage(quiet_zone=TIGHT_QUIET_ZONE, scrolls=True, id="preview-code")
            yield Static(id="preview-facts", markup=False)

    def show(self, draft: Draft) -> None:
        payload = draft.payload("data")
        text = self._link if payload is None else payload.content()
        self.query_one("#preview").display = bool(text)
        self.query_one("#preview-hint").display = payload is None
        self._shown = None
        if text:
            ink, paper = _color(draft, "foreground"), _color(draft, "background")
            self._facts = [contrast_fact(ink, paper)]
            if draft.text("logo"):
                self._facts.append([Piece("– no logo here:\n  the service\n  draws it", Tone.MUTED)])
            self._shown = (text, ink, paper)
            self.query_one(QrImage).show(*self._shown)

    def show_whole(self) -> None:
        if self._shown is not None:
            self.app.push_screen(PreviewWindow(*self._shown))

    @on(QrImage.Encoded)
    def _say_facts(self, message: QrImage.Encoded) -> None:
        message.stop()
        facts = [*self._facts, *(code_facts(message.text) if message.problem is None else ())]
        lines = [content(line) for line in facts]
        self.query_one("#preview-facts", Static).update(Content("\n").join(lines))
        self.query_one("#preview-facts").display = message.problem is None
        if message.problem is None:
            width, _ = self.query_one(QrImage).size_of(message.text, TIGHT_QUIET_ZONE)
            self.query_one("#preview").set_class(self.size.width - width - 1 < _FACTS_CELLS, "-below")


class PreviewWindow(ModalScreen[None]):
    """The code of a form, always whole."""

    BINDINGS = [Binding("escape,f3,q", "dismiss", "Close")]

    def __init__(self, text: str, ink: Rgb | None, paper: Rgb | None) -> None:
        super().__init__()
        self._shown = (text, ink, paper)

    def compose(self) -> ComposeResult:
        with Vertical(id="code-window") as window:
            yield QrImage(id="code")
        window.border_title = Content.styled("The code as it will be", "bold")
        yield KeyLine()

    def on_mount(self) -> None:
        self.query_one(QrImage).show(*self._shown)


def contrast_fact(ink: Rgb | None, paper: Rgb | None) -> list[Piece]:
    """The contrast of the colors, and a sign for whether a scanner can tell them apart."""
    found = contrast(ink, paper)
    if found >= LEAST_CONTRAST:
        return [Piece("✓ ", Tone.GOOD), Piece(f"contrast {found:.1f}")]
    return [Piece("✗ ", Tone.BAD), Piece(f"contrast {found:.1f}\n  drawn black\n  on white", Tone.BAD)]


def code_facts(text: str) -> list[list[Piece]]:
    """Return how large the code of a text is, and how much is in it. Raises QrError."""
    side = len(qr_modules(text).rows)
    facts = (f"version {(side - 17) // 4}", f"{side} × {side} modules", counted(len(text), "character"))
    return [[Piece("✓ ", Tone.GOOD), Piece(fact)] for fact in facts]


def _color(draft: Draft, name: str) -> Rgb | None:
    try:
        return read_color(draft.text(name))
    except ValueError:
        return None
