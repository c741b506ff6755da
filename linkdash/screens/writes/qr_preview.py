"""The preview of a QR code before it is made."""

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from linkdash.api.colors import BLACK, WHITE, Rgb, contrast, is_scannable
from linkdash.api.fields import read_color
from linkdash.api.http.secrecy import masked
from linkdash.api.inert_text import inert
from linkdash.model.humanize import counted, shortened
from linkdash.model.writes.draft import Draft
from linkdash.model.writes.form_fields import content_parts
from linkdash.widgets.form.form import FormScroll, Preview
from linkdash.widgets.frame.key_line import KeyLine, key_sign
from linkdash.widgets.qr_code import qr_modules
from linkdash.widgets.qr_image import TIGHT_QUIET_ZONE, QrImage
from linkdash.widgets.styled_text import Piece, Tone, content
from linkdash.widgets.window_screen import WindowScreen

_FROM_LINK = "Drawn from its link:"
_NOTHING_YET = "The code appears here once its data is complete."
_COLORS = ("foreground", "background")
_UNTOLD = [Piece("– contrast: fix the color", Tone.MUTED)]
_NOT_KNOWN = [Piece("– colors unknown", Tone.MUTED)]
_MOST_HELD = 80  # characters of what a code holds, below it


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
        self._told = ""
        """What is shown, in words without secrets."""
        self._is_mistaken = False
        """True if a color is written that is none."""
        self._is_complete = False
        """True if the fields make a content."""
        self._key = ""
        """The key that shows the code in a window of its own; "" until the form has its keys."""

    def compose(self) -> ComposeResult:
        yield Static(id="preview-words", markup=False)
        image = QrImage(quiet_zone=TIGHT_QUIET_ZONE, scrolls=True, id="preview-code")
        image.display = False
        yield image

    def show(self, draft: Draft) -> None:
        payload = draft.payload("data")
        text = self._link if payload is None else payload.content()
        told = [self._link] if payload is None else content_parts(masked(payload.data()))
        self._is_complete = payload is not None
        self._shown = None
        if not text:
            self._say()
            return
        ink, paper = (_color(draft, name) for name in _COLORS)
        self._is_mistaken = any(draft.text(name).strip() and _color(draft, name) is None for name in _COLORS)
        is_untold = any(draft.is_untold(name) and not draft.text(name) for name in _COLORS)
        if self._is_mistaken:
            self._facts = [_UNTOLD]
        else:
            self._facts = [_NOT_KNOWN] if is_untold else [contrast_fact(ink, paper)]
        if draft.text("logo"):
            self._facts.append([Piece("– no logo here: the service draws it", Tone.MUTED)])
        self._shown = (text, ink, paper)
        self._told = " · ".join(told)
        if self.query_one(QrImage).show(*self._shown):
            self._say()

    def show_whole(self) -> None:
        if self._shown is not None:
            window = PreviewWindow(*self._shown, self._told, is_mistaken=self._is_mistaken)
            self.app.push_screen(window)

    def on_mount(self) -> None:
        self.screen.screen_layout_refresh_signal.subscribe(self, lambda _: self._share_room())
        self.screen.bindings_updated_signal.subscribe(self, lambda _: self._find_key())

    def _find_key(self) -> None:
        bindings = (binding for _, binding, _, _ in self.screen.active_bindings.values())
        key = next((key_sign(self, one.key) for one in bindings if one.id == "form.preview"), self._key)
        if key != self._key:
            self._key = key
            self._say()

    @on(QrImage.Encoded)
    def _encoded(self, message: QrImage.Encoded) -> None:
        message.stop()
        self._say()

    def _say(self) -> None:
        """Say what is known of the code, and show it where there is room."""
        lines = [] if self._is_complete else [Content(_FROM_LINK if self._link else _NOTHING_YET)]
        if self._code is not None:
            facts = (content(fact) for fact in (*self._facts, code_facts(self._code)))
            lines += facts
            if self._key:
                lines.append(content([Piece(f"{self._key} shows the code large.", Tone.MUTED)]))
        words = self.query_one("#preview-words", Static)
        words.update(Content("\n").join(lines))
        words.display = bool(lines)
        self._share_room()

    @property
    def _code(self) -> str | None:
        """The text in the code that is shown; None without a code."""
        return self.query_one(QrImage).encoded if self._shown is not None else None

    def _share_room(self) -> None:
        """Show the code where it can be seen whole below the fields: half of one would look broken."""
        image, words, code = self.query_one(QrImage), self.query_one("#preview-words"), self._code
        if code is None or not image.is_drawn:
            image.display = self._shown is not None  # it says why there is none
            return
        _, height = image.size_of(code, TIGHT_QUIET_ZONE)
        above = self.virtual_region.y + (words.size.height if words.display else 0)
        image.display = above + height - 1 <= self.query_ancestor(FormScroll).size.height


class PreviewWindow(WindowScreen[None]):
    """The code of a form, always whole."""

    BINDINGS = [Binding("escape,f3,q", "dismiss", "Close")]

    def __init__(
        self, text: str, ink: Rgb | None, paper: Rgb | None, told: str, *, is_mistaken: bool
    ) -> None:
        """`told` says what the text is, without its secrets."""
        super().__init__()
        self._told = told
        self._shown = (text, ink, paper)
        self._title = _as_drawn(ink, paper, is_mistaken=is_mistaken)

    def compose(self) -> ComposeResult:
        with Vertical(id="code-window") as window:
            yield QrImage(is_large=True, id="code")
            held = Piece(shortened(inert(self._told), _MOST_HELD), Tone.LINK, bold=True)
            yield Static(content([held]), id="code-link", markup=False)
        window.border_title = Content.styled(self._title, "bold")
        yield KeyLine()

    def on_mount(self) -> None:
        self.query_one(QrImage).show(*self._shown)


def _as_drawn(ink: Rgb | None, paper: Rgb | None, *, is_mistaken: bool) -> str:
    """A title that promises no other colors than those that the code has."""
    if is_mistaken:
        return f"The code {'in black' if ink is None else 'on white'}: fix the color"
    if not is_scannable(ink or BLACK, paper or WHITE):
        return "The code in black: colors too alike"
    return "As a code"


def contrast_fact(ink: Rgb | None, paper: Rgb | None) -> list[Piece]:
    """The contrast of the colors, and a sign for whether a scanner can tell them apart."""
    ink, paper = ink or BLACK, paper or WHITE
    found = contrast(ink, paper)
    if is_scannable(ink, paper):
        return [Piece("✓ ", Tone.GOOD), Piece(f"contrast {found:.1f}")]
    return [Piece("✗ ", Tone.BAD), Piece(f"contrast {found:.1f}: drawn black on white", Tone.BAD)]


def code_facts(text: str) -> list[Piece]:
    """Return how large the code of a text is, and how much is in it. Raises QrError."""
    side = len(qr_modules(text).rows)
    return [Piece("✓ ", Tone.GOOD), Piece(f"{side} × {side} modules, {counted(len(text), 'character')}")]


def _color(draft: Draft, name: str) -> Rgb | None:
    try:
        return read_color(draft.text(name))
    except ValueError:
        return None
