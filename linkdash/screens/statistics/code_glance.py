"""A QR code at a glance, beside the list."""

from collections.abc import Mapping

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalGroup
from textual.content import Content
from textual.widgets import Static

from linkdash.api.resources.qr import QrCode
from linkdash.model.humanize import share
from linkdash.model.session import Session
from linkdash.model.statistics.chart_data import label_text
from linkdash.model.statistics.charts import short_label
from linkdash.widgets.charts.ranked_bars import BAR, bar_length
from linkdash.widgets.qr_image import TIGHT_QUIET_ZONE, QrImage
from linkdash.widgets.styled_text import LINEAR, Piece, Tone, apart, content, fit_text


class CodeGlance(VerticalGroup):
    """The code under the cursor, to be scanned, and where it was scanned from, as it was read last."""

    def __init__(self, session: Session, too_large: str) -> None:
        """`too_large` is said in the place of a code that does not fit."""
        super().__init__()
        self._session = session
        self._too_large = too_large
        self._wanted: QrCode | None = None
        self._code: QrCode | None = None
        self._counts: Mapping[str, Mapping[str, int]] = {}

    def on_resize(self) -> None:
        self.show(self._wanted)
        self._draw()

    def compose(self) -> ComposeResult:
        yield QrImage(quiet_zone=TIGHT_QUIET_ZONE, scrolls=True, id="glance-code")
        note = Static(content([Piece(self._too_large, Tone.MUTED)]), id="glance-note", classes="glance")
        note.display = False
        yield note
        for name in _GLANCED:
            yield Static(id=f"glance-{name}", classes="glance", markup=False)

    def show(self, code: QrCode | None) -> None:
        """Show another code; where there is no room for it, once there is."""
        self._wanted = code
        if code == self._code or not self.region.width:
            return
        self._code = code
        self._counts = {}
        image = self.query_one(QrImage)
        image.display = code is not None and bool(code.link) and image.is_drawn
        self.query_one("#glance-note").display = False
        if code is not None:
            image.show(code.link)
            self.run_worker(self._read(code), group="glance", exclusive=True, exit_on_error=False)

    @on(QrImage.Encoded)
    def _see_whether_it_fits(self, message: QrImage.Encoded) -> None:
        message.stop()
        image = self.query_one(QrImage)
        side = 0 if message.problem else image.size_of(message.text, TIGHT_QUIET_ZONE)[0]
        image.display = image.is_drawn and 0 < side <= self.content_size.width
        self.query_one("#glance-note").display = image.is_drawn and side > self.content_size.width

    async def _read(self, code: QrCode) -> None:
        """Draw what was read last of the code, from the history: it costs no request."""
        reading = await self._session.kept(self._session.store.history.latest_of(code.id), None)
        self._counts = reading.breakdowns if reading is not None else {}
        self._draw()

    def _draw(self) -> None:
        for name, title in _GLANCED.items():
            counts, said = self._counts.get(name), self.query_one(f"#glance-{name}", Static)
            said.visible = bool(counts)
            if counts:
                in_words = self.app.has_class(LINEAR)
                said.update(glance(title, counts, self.content_size.width, in_words=in_words))


_GLANCED = {"countries": "Top countries", "referrers": "Top referrers"}
_MOST_GLANCED, _LEAST_BAR = 6, 8


def glance(title: str, counts: Mapping[str, int], width: int, *, in_words: bool) -> Content:
    """The largest of some counts as bars with their shares, or without bars, under a title."""
    whole = sum(counts.values())
    largest = sorted(counts.items(), key=lambda item: -item[1])[:_MOST_GLANCED]
    names = [label_text(short_label(label)) for label, _ in largest]
    if in_words:
        shares = [f"{name}: {share(count, whole)}" for name, (_, count) in zip(names, largest, strict=True)]
        return Content("\n").join(map(Content, [f"{title} of {whole:,}", *shares]))
    room = min(max(map(cell_len, names)), width - _LEAST_BAR - 6)
    bar = width - room - 6
    lines = [apart([Piece(title, Tone.MUTED)], [Piece(f"of {whole:,}", Tone.FAINT)], width)]
    for name, (_, count) in zip(names, largest, strict=True):
        length = bar_length(count, largest[0][1], bar)
        lines.append(
            [
                Piece(f"{fit_text(name, room)} "),
                Piece(f"{BAR * length:<{bar}}", Tone.TREND),
                Piece(f"{share(count, whole):>5}", Tone.MUTED),
            ]
        )
    return Content("\n").join(map(content, lines))
