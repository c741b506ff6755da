"""A document as one page of HTML that opens in any browser and prints on A4.

Nothing is loaded from anywhere and nothing runs, which a policy in the page says to the browser. The page is
made of elements, and their writer alone writes markup: it escapes every text, and each is inert. What comes
from outside keeps its direction to itself, and charts are SVG in the page.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import TypeAlias
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from linkdash import __version__
from linkdash.api.inert_text import inert
from linkdash.model.document import drawing
from linkdash.model.document.blocks import (
    Block,
    DrawnTable,
    Facts,
    Fold,
    Heading,
    NumberCard,
    NumberCards,
    Outside,
    Scannable,
    Sentence,
    Table,
    Toned,
    Words,
    parts_of,
)
from linkdash.model.local_time import zone_name
from linkdash.model.qr_symbol import qr_symbol
from linkdash.model.statistics.chart_data import Bars, Columns, CurveChart, Number

_NARROW = 5
"""Columns up to which a table stands beside another one."""
_WITHIN_A_CHANGE = re.compile("(?<=[▲▼]) | (?=%)")
_QUIET_ZONE = 4
_LONGEST_LINK = 1_000
"""Characters of a link from which on no scanner reads its code well."""
_HEAD = (
    {"charset": "utf-8"},
    {
        "http-equiv": "Content-Security-Policy",
        "content": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
        "form-action 'none'",
    },
    {"name": "viewport", "content": "width=device-width, initial-scale=1"},
    {"name": "color-scheme", "content": "light dark"},
    {"name": "referrer", "content": "no-referrer"},
    {"name": "generator", "content": "linkdash"},
)

Inside: TypeAlias = str | Element
"""What stands within an element."""


@dataclass(frozen=True)
class PageSection:
    """A heading and what stands below it."""

    level: int
    words: Words
    blocks: Sequence[Block]

    @property
    def is_wide(self) -> bool:
        """Return whether it takes the whole width of the page."""
        return any(_is_wide(block) for block in self.blocks) or self.words == "Notes"


def page(blocks: Iterable[Block], at: datetime, profile: str) -> str:
    """The whole page; `at` is when what it tells of a profile was so."""
    first, *rest = sections(blocks)
    told = f"As of {at:%Y-%m-%d %H:%M}, {zone_name(at)} · profile {profile} · linkdash {__version__}"
    style = Element("style")
    style.text = Path(__file__).with_name("page.css").read_text("utf-8")
    head = _element(
        "head",
        *(_element("meta", **given) for given in _HEAD),
        _element("link", rel="icon", href="data:,"),
        _element("title", "".join(parts_of(first.words))),
        style,
    )
    body = _element(
        "body",
        _element("header", _element("h1", *_words(first.words)), *_all(first.blocks)),
        _element("main", *map(_section, rest), look="grid"),
        _element("footer", told),
    )
    return f"<!DOCTYPE html>\n{_markup(_element('html', head, body, lang='en'))}\n"


def sections(blocks: Iterable[Block]) -> list[PageSection]:
    """The blocks cut before each heading; what has none stands first."""
    cut: list[tuple[Heading, list[Block]]] = []
    for block in blocks:
        if isinstance(block, Heading) or not cut:
            cut.append((block if isinstance(block, Heading) else Heading(2, ""), []))
        if not isinstance(block, Heading):
            cut[-1][1].append(block)
    return [PageSection(heading.level, heading.words, below) for heading, below in cut]


def _is_wide(block: Block) -> bool:
    match block:
        case DrawnTable(data, table):
            return not isinstance(data, Bars) or len(table.head) > _NARROW
        case Table(head, _, _, trends):
            return len(head) + bool(trends) > _NARROW
    return isinstance(block, Fold | NumberCards)


# ---- elements ----


def _element(tag: str, *inside: Inside, look: str = "", **attributes: str) -> Element:
    """An element; `look` is its class. Its texts are inert, and no line ends within `▼ 5 %`."""
    made = Element(tag, {**({"class": look} if look else {}), **attributes})
    last: Element | None = None
    for one in inside:
        if isinstance(one, Element):
            made.append(one)
            last = one
            continue
        text = _WITHIN_A_CHANGE.sub("\N{NO-BREAK SPACE}", inert(one))
        if last is None:
            made.text = (made.text or "") + text
        else:
            last.tail = (last.tail or "") + text
    return made


def _markup(element: Element) -> str:
    return ElementTree.tostring(element, encoding="unicode", method="html")


def _words(words: Words) -> Iterator[Inside]:
    for part in parts_of(words):
        match part:
            case Outside():
                yield _element("bdi", part)
            case Toned():
                yield _element("span", part, look=f"t-{part.tone}")
            case _:
                yield part


# ---- blocks ----


def _section(section: PageSection) -> Element:
    heading = [_element(f"h{section.level}", *_words(section.words))] if section.words else []
    return _element("section", *heading, *_all(section.blocks), look="wide" if section.is_wide else "")


def _all(blocks: Iterable[Block]) -> Iterator[Element]:
    for block in blocks:
        yield from _block(block)


def _block(block: Block) -> Iterator[Element]:
    match block:
        case Sentence(words, is_strong):
            yield _element("p", *_words(words), look="answer" if is_strong else "")
        case Facts(lines):
            yield _element("ul", *(_element("li", *_words(line)) for line in lines), look="facts")
        case Table():
            yield _table(block)
        case DrawnTable(Bars() as bars, table):
            yield _table(table, drawing.bar_widths(bars))
        case DrawnTable(Columns() | CurveChart() as data, table):
            drawn = drawing.columns(data) if isinstance(data, Columns) else drawing.lines(data)
            numbers = _numbers("The numbers", table, open="")
            yield _element("div", _figure(drawn), numbers, look="above" if drawn.legend else "beside")
        case NumberCards(cards, table):
            yield _element("div", *map(_card, cards), look="cards")
            yield _numbers("Totals as a table", table)
        case Scannable(link):
            yield from _scannable(link)
        case Fold(words, blocks):
            below = _element("div", *map(_section, sections(blocks)), look="grid")
            yield _element("details", _element("summary", *_words(words)), below, look="fold")


def _numbers(title: str, table: Table, **attributes: str) -> Element:
    """A table that can be folded away."""
    return _element("details", _element("summary", title), _table(table), look="numbers", **attributes)


def _table(table: Table, bars: Sequence[float] = ()) -> Element:
    """A table; the bar of a row, and its course over time, stand in it."""
    looks = ["r" if side == "r" else "" for side in table.aligned]
    head = [
        _element("th", *_words(title), look=look, scope="col")
        for title, look in zip(table.head, looks, strict=True)
    ]
    if table.trends:
        head.append(_element("th", look="trend", **{"aria-hidden": "true"}))
    if bars:
        looks[0] = looks[0] or "barred"
    rows = [
        _element("tr", *_cells(row, looks, bars[at : at + 1]), *map(_trend_cell, table.trends[at : at + 1]))
        for at, row in enumerate(table.rows)
    ]
    is_told = len(table.aligned) > _NARROW and table.aligned.endswith("l")
    parts = _element("thead", _element("tr", *head)), _element("tbody", *rows)
    return _element("div", _element("table", *parts, look="told" if is_told else ""), look="scroll")


def _cells(row: Sequence[Words], looks: Sequence[str], bar: Sequence[float]) -> Iterator[Element]:
    """The cells of a row, with its bar in the first."""
    bars = [_element("i", style=f"width:{width}%") for width in bar]
    for at, (cell, look) in enumerate(zip(row, looks, strict=True)):
        yield _element("td", *_words(cell), *(bars if not at else ()), look=look)


def _card(card: NumberCard) -> Element:
    inside = [
        _element("h3", card.title),
        _element("p", f"{card.value} ", *_words([card.change]), look="value"),
        _element("p", card.note, look="note"),
    ]
    if card.trend:
        hidden = {"preserveAspectRatio": "none", "aria-hidden": "true"}
        inside.append(_trend(card.trend, look="trend", **hidden))
    return _element("div", *inside, look="card")


# ---- drawings ----


def _trend_cell(trend: Sequence[Number]) -> Element:
    return _element("td", _trend(trend), look="trend", **{"aria-hidden": "true"})


def _trend(trend: Sequence[Number], **attributes: str) -> Element:
    box = f"0 0 {drawing.TREND_WIDTH} {drawing.TREND_HEIGHT}"
    return _element("svg", *map(_path, drawing.trend(trend)), viewBox=box, **attributes)


def _path(path: drawing.Path) -> Element:
    return _element("path", look=path.look, d=path.d)


def _figure(drawn: drawing.Drawing) -> Element:
    told = {"role": "img", "aria-label": "A chart of the numbers in the table that follows"}
    shapes = [
        *map(_path, drawn.paths),
        *_grouped([(rect.look, _rect(rect)) for rect in drawn.rects]),
        *_grouped([(text.look, _text(text)) for text in drawn.texts]),
    ]
    chart = _element("svg", *shapes, look="chart", viewBox=f"0 0 {drawn.width} {drawn.height}", **told)
    keys = [_element("span", _element("bdi", name), look=f"key {look}") for look, name in drawn.legend]
    below = [*keys, *(_element("span", note) for note in drawn.notes)]
    return _element("figure", chart, *([_element("figcaption", *below)] if below else []))


def _grouped(shapes: Sequence[tuple[str, Element]]) -> Iterator[Element]:
    """The shapes of each look in a group."""
    for look in sorted({look for look, _ in shapes}):
        yield _element("g", *(shape for of, shape in shapes if of == look), look=look)


def _rect(rect: drawing.Rect) -> Element:
    sides = {"x": rect.x, "y": rect.y, "width": rect.width, "height": rect.height}
    return _element(
        "rect", _element("title", rect.title), **{name: str(side) for name, side in sides.items()}
    )


def _text(text: drawing.Text) -> Element:
    return _element("text", text.text, x=str(text.x), y=str(text.y))


def _scannable(link: str) -> Iterator[Element]:
    """The QR code of a link; none where it is too long for one."""
    if len(link) > _LONGEST_LINK:
        return
    try:
        code = qr_symbol(link)
    except ValueError:
        return
    drawn = BytesIO()
    code.save(
        drawn,
        kind="svg",
        border=_QUIET_ZONE,
        dark="#000",
        light="#fff",
        xmldecl=False,
        svgns=False,
        svgclass=None,
        lineclass=None,
        nl=False,
        omitsize=True,
    )
    svg = ElementTree.fromstring(drawn.getvalue())  # paths and numbers alone: nothing of the link is in it
    yield _element("div", svg, look="qr", role="img", **{"aria-label": "The QR code of the link"})
