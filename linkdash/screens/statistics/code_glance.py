"""A QR code at a glance, beside the list."""

from collections.abc import Mapping
from textwrap import wrap

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalGroup
from textual.content import Content
from textual.widgets import Static

from linkdash.api.records import as_sent
from linkdash.api.resources.qr import QrCode
from linkdash.model.humanize import compact, share
from linkdash.model.session import Session
from linkdash.model.statistics.chart_data import label_text
from linkdash.model.statistics.charts import short_label
from linkdash.widgets.charts.ranked_bars import BAR, bar_length
from linkdash.widgets.qr_image import TIGHT_QUIET_ZONE, QrImage
from linkdash.widgets.styled_text import Piece, Tone, apart, content, fit_text


class CodeGlance(VerticalGroup):
    """The code under the cursor, to be scanned, and where it was scanned from, as it was read last."""

    def __init__(self, session: Session, opens: str, too_large: str) -> None:
        """`opens` is the key that shows all; `too_large` is said in the place of a code that does not fit."""
        super().__init__()
        self._opens = opens
        self._session = session
        self._too_large = too_large
        self._wanted: QrCode | None = None
        self._code: QrCode | None = None
        self._counts: Mapping[str, Mapping[str, int]] = {}
        self._code_rows = 0
        """Rows of the code, or of what is said in its place."""

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
            image.show(as_sent(code).link)
            self.run_worker(self._read(code), group="glance", exclusive=True, exit_on_error=False)

    @on(QrImage.Encoded)
    def _see_whether_it_fits(self, message: QrImage.Encoded) -> None:
        message.stop()
        image, room = self.query_one(QrImage), self.content_size.width
        side, rows = (0, 0) if message.problem else image.size_of(message.text, TIGHT_QUIET_ZONE)
        image.display = image.is_drawn and 0 < side <= room
        has_note = self.query_one("#glance-note").display = image.is_drawn and side > room
        note_rows = len(wrap(self._too_large, max(1, room))) + 2  # with a blank one above and below
        self._code_rows = rows if image.display else note_rows if has_note else 0
        self._draw()

    async def _read(self, code: QrCode) -> None:
        """Draw what was read last of the code, from the history: it costs no request."""
        reading = await self._session.kept(self._session.store.history.latest_of(code.id), None)
        self._counts = reading.breakdowns if reading is not None else {}
        self._draw()

    def _draw(self) -> None:
        """Draw as many rows of each as there is room for, half of it each where one could take more."""
        told = {name: self._counts.get(name, {}) for name in _GLANCED}
        heads = sum(map(bool, told.values()))
        room = self.content_size.height - self._code_rows - (2 * heads - 1)  # and a blank row between them
        wanted = [*map(len, told.values())]
        for at, (name, counts) in enumerate(told.items()):
            rows = min(wanted[at], max((room + 1 - at) // 2, room - sum(wanted) + wanted[at]))
            said = self.query_one(f"#glance-{name}", Static)
            said.visible = rows > 1 or 0 < rows == wanted[at]
            if said.visible:
                said.update(glance(name, counts, self.content_size.width, rows, self._opens))


_GLANCED = ("countries", "referrers")
_LEAST_BAR = 8


def glance(name: str, counts: Mapping[str, int], width: int, rows: int, opens: str) -> Content:
    """The largest of some counts as bars in so many rows, with their shares, below a title.

    The last row says how many more `opens` shows.
    """
    whole = sum(counts.values())
    ranked = sorted(counts.items(), key=lambda item: -item[1])
    largest = ranked if len(ranked) <= rows else ranked[: rows - 1]
    more = len(ranked) - len(largest)
    rest = [f"and {more:,} more: {opens} shows them"] if more else []
    names = [label_text(short_label(label)) for label, _ in largest]
    title, said = _heading(name, whole, width)
    room = min(max(map(cell_len, names)), width - _LEAST_BAR - 6)
    bar = width - room - 6
    lines = [apart([Piece(title, Tone.MUTED)], [Piece(said, Tone.FAINT)], width)]
    for name, (_, count) in zip(names, largest, strict=True):
        length = bar_length(count, largest[0][1], bar)
        lines.append(
            [
                Piece(f"{fit_text(name, room)} "),
                Piece(f"{BAR * length:<{bar}}", Tone.TREND),
                Piece(f"{share(count, whole):>5}", Tone.MUTED),
            ]
        )
    lines += [[Piece(fit_text(text, width), Tone.MUTED)] for text in rest]
    return Content("\n").join(map(content, lines))


def _heading(name: str, whole: int, width: int) -> tuple[str, str]:
    """The title and what its shares are of, in the first form that fits."""
    called, clicks = name.capitalize(), f"{whole:,} clicks"
    forms = [
        (f"Top {name}", f"{clicks}, all time"),
        (called, f"{clicks}, all time"),
        (called, f"all {clicks}"),
    ]
    shortest = called, f"all {compact(whole)} clicks"
    return next((form for form in forms if sum(map(len, form)) + 2 <= width), shortest)
