"""Values as text of a cell, short or in full."""

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal

from rich.cells import cell_len, set_cell_size, split_text

from linkdash.api.fields import COLORS, Kind, read_color
from linkdash.api.http.secrecy import MASK
from linkdash.api.inert_text import beginning_of
from linkdash.model.humanize import (
    Badge,
    CountChange,
    CountedTrend,
    KnownHost,
    ScanStrip,
    TermEnd,
    TimeLeft,
    Trend,
)
from linkdash.model.lists.columns import Estimated, Odd
from linkdash.widgets.charts import cell_pictures
from linkdash.widgets.charts.sparkline import counted_pieces, strip_pieces, trend_pieces
from linkdash.widgets.styled_text import CUT, Align, Piece, Tone, fit_text

ABSENT = "\N{EN DASH}"
YES, NO, UNKNOWN = "\N{CHECK MARK}", "\N{EN DASH}", "?"
SWATCH = "\N{FULL BLOCK}" * 2

_ESTIMATE = ", an estimate: the service has not said it yet"
_ENDLESS = 1_000_000  # cells, where nothing has to be cut
_LINK_END = 4  # cells of a link's end that must be left for its host to be shown whole
_DATE_CELLS, _MOMENT_CELLS = 10, 16
_SCALES = ((10**3, "k"), (10**6, "M"), (10**9, "B"), (10**12, "T"), (10**15, "P"))


def cell(value: object, kind: Kind, width: int, align: Align = "left") -> tuple[Piece, ...]:
    """`value` as pieces that together take exactly `width` cells."""
    match value:
        case CountedTrend():
            return counted_pieces(value, width)
        case Trend():
            return trend_pieces(value, width)
        case ScanStrip():
            return strip_pieces(value, width)
        case CountChange():
            return cell_pictures.change_pieces(value, width)
        case TimeLeft():
            return cell_pictures.time_left_pieces(value, width)
        case TermEnd():
            return cell_pictures.ended_pieces(value, width)
        case Badge():
            return cell_pictures.badge_pieces(value, width)
    if (color := as_color(value, kind)) and width > len(SWATCH):
        name = "#{:02X}{:02X}{:02X}".format(*color)
        room = width - len(SWATCH)
        # Its digits at least: a color alone says nothing where there are none.
        told = next((f" {text}" for text in (name, name[1:]) if len(text) < room), "")
        return (Piece(SWATCH, color=color), Piece(fit_text(told, room)))
    text, tone = short(value, kind, width)
    return (Piece(fit_text(text, width, align), tone),)


def full(value: object, kind: Kind) -> tuple[Piece, ...]:
    """`value` as pieces that leave nothing out: links whole, moments to the second."""
    if color := as_color(value, kind):
        return Piece(SWATCH, color=color), Piece(f" {beginning_of(str(value))}")
    if isinstance(value, Estimated) and kind is not Kind.SECRET:
        return Piece(str(value)), Piece(_ESTIMATE, Tone.MUTED)
    if kind is Kind.FLAG and isinstance(value, bool):
        mark, tone = flag(value)
        return (Piece(f"{mark} {'yes' if value else 'no'}", tone),)
    if kind is Kind.LINK and isinstance(value, str) and value:
        return (Piece(beginning_of(value), Tone.LINK),)
    if isinstance(value, datetime) and kind is not Kind.SECRET:
        return (Piece(value.isoformat(" ", "seconds")),)
    return (Piece(*short(value, kind, _ENDLESS)),)


def short(value: object, kind: Kind, width: int) -> tuple[str, Tone]:
    """Return one line for a value, made for `width` cells but not cut or padded to them, and its tone."""
    if kind is Kind.SECRET:
        return (MASK, Tone.PLAIN) if value not in (None, "") else (ABSENT, Tone.MUTED)
    if isinstance(value, Estimated):
        return str(value), Tone.MUTED
    if isinstance(value, Odd):
        return f"? {value.text}", Tone.ODD
    if kind is Kind.FLAG:
        return flag(value)
    if value is None or value == "":
        return ABSENT, Tone.MUTED
    if kind in COLORS and as_color(value, kind) is None:
        return f"? {beginning_of(str(value))}", Tone.ODD
    if kind is Kind.LINK:
        link = without_scheme(beginning_of(str(value)))
        if isinstance(value, KnownHost) and cell_len(link) > width:
            link = f"…/{link.partition('/')[2]}"
        return shorten_link(link, width), Tone.LINK
    return _plain(value, kind, width), Tone.PLAIN


def _plain(value: object, kind: Kind, width: int) -> str:
    if isinstance(value, datetime):
        shown = value.isoformat(" ", "minutes")
        return shown if width >= _MOMENT_CELLS else shown[:_DATE_CELLS]
    if isinstance(value, date):
        return value.isoformat()
    if kind is Kind.COUNT and isinstance(value, int):
        return _count(value, width)
    if isinstance(value, Decimal):
        return f"{value:,}"
    if isinstance(value, Mapping | list | tuple):
        return "1 entry" if len(value) == 1 else f"{len(value)} entries"
    return beginning_of(str(value))


def cells_of(value: object, kind: Kind) -> int:
    """Cells that `cell` needs to leave nothing out of a value but the scheme of a link."""
    match value:
        case CountedTrend():
            return len(f"{value.value or 0:,}") + 1 + value.trend.most
        case Trend():
            return value.most
        case ScanStrip():
            return len(value.scans) + 1
        case CountChange():
            return len(value.words)
        case TimeLeft():
            return len(cell_pictures.time_left_words(value))
        case Badge():
            return len(f"● {value.word}")
        case TermEnd():
            return 2 + cell_len(value.words)
    if as_color(value, kind):
        return len(f"{SWATCH} #RRGGBB")
    if kind is Kind.LINK and isinstance(value, str):
        value = without_scheme(value)
    return cell_len(short(value, kind, _ENDLESS)[0])


def flag(value: object) -> tuple[str, Tone]:
    """A boolean as a mark."""
    if value is True:
        return YES, Tone.GOOD
    return (NO, Tone.MUTED) if value is False else (UNKNOWN, Tone.MUTED)


def as_color(value: object, kind: Kind) -> tuple[int, int, int] | None:
    """Red, green and blue of a value that names a color, else None."""
    try:
        return read_color(value) if kind in COLORS and isinstance(value, str) else None
    except ValueError:
        return None


def _count(value: int, width: int) -> str:
    """Thousands separated; in larger units where the digits would have to be cut."""
    shown = f"{value:,}"
    for scale, unit in _SCALES:
        if len(shown) <= width:
            return shown
        shown = f"{value // scale:,}{unit}"
    return shown if len(shown) <= width else "#" * width


def without_scheme(link: str) -> str:
    """A web address as it stands in a table: its scheme and the slash of a mere host would be in the way."""
    link = link.removeprefix("https://").removeprefix("http://")
    return link.removesuffix("/") if link.find("/") == len(link) - 1 else link


def shorten_link(link: str, width: int) -> str:
    """A web address in `width` cells: its host and its end stay, or the beginning of a mere host."""
    if cell_len(link) <= width:
        return link
    link = link.removeprefix("https://")
    if cell_len(link) <= width:
        return link
    start = link.find("://")
    host = link[: (link + "/").index("/", start + 3 if start >= 0 else 0)]
    if len(link) <= len(host) + 1:
        return fit_text(link, width)
    kept = cell_len(host) + 1
    if kept > width - _LINK_END - 1:
        kept = width * 2 // 3
    end = max(0, width - kept - 1)
    return set_cell_size(link, width - end - 1) + CUT + split_text(link, cell_len(link) - end)[1]
