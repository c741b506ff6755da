"""A document as one page of HTML that opens in any browser and prints on A4.

Nothing is loaded from anywhere and nothing runs, which a policy in the page says to the browser; every text
is inert and escaped, what comes from outside keeps its direction to itself, and charts are SVG in the page.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.util import find_spec
from io import BytesIO
from typing import TYPE_CHECKING

from linkdash import __version__
from linkdash.api.errors import Misconfigured
from linkdash.api.inert_text import inert
from linkdash.model.document import drawing
from linkdash.model.document.blocks import (
    Block,
    DrawnTable,
    Fold,
    Heading,
    NumberCards,
    Outside,
    Scannable,
    Table,
    Toned,
    Words,
    parts_of,
)
from linkdash.model.local_time import zone_name
from linkdash.model.qr_symbol import qr_symbol
from linkdash.model.statistics.chart_data import Bars, Columns

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup

_NARROW = 5
"""Columns up to which a table stands beside another one."""
_WITHIN_A_CHANGE = re.compile("(?<=[▲▼]) | (?=%)")
_QUIET_ZONE = 4
_LONGEST_LINK = 1_000
"""Characters of a link from which on no scanner reads its code well."""


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
    """The whole page; `at` is when what it tells of a profile was so. Raises Misconfigured without jinja2."""
    first, *rest = sections(blocks)
    told = f"As of {at:%Y-%m-%d %H:%M}, {zone_name(at)} · profile {profile} · linkdash {__version__}"
    return _template().render(first=first, sections=rest, told=told)


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


# ---- the template ----

_INSTALL = "pip install 'linkdash[report]'"


def lacking() -> str:
    """Return why no page can be made on this machine, and the command that changes that; "" where it can."""
    return "" if find_spec("jinja2") is not None else f"needs: {_INSTALL}"


@cache
def _template() -> "Template":
    """The page, which is a file beside this one."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError:
        raise Misconfigured("Pages of HTML are not supported here.", _INSTALL) from None
    environment = Environment(
        loader=PackageLoader("linkdash.model.document", ""),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        parts=parts_of,
        kind=_kind,
        sections=sections,
        drawn=_drawn,
        widths=drawing.bar_widths,
        trend=drawing.trend,
        scannable=_scannable,
    )
    environment.tests.update(
        outside=lambda part: isinstance(part, Outside),
        toned=lambda part: isinstance(part, Toned),
        bars=lambda data: isinstance(data, Bars),
    )
    return environment.get_template("page.html.j2")


def _shown(value: object) -> object:
    """Whatever the template writes: text is inert, before it is escaped; no line ends within `▼ 5 %`."""
    if type(value) is not str and not isinstance(value, Outside | Toned):
        return value
    return _WITHIN_A_CHANGE.sub("\N{NO-BREAK SPACE}", inert(value))


def _kind(block: Block) -> str:
    return type(block).__name__.lower()


def _drawn(chart: DrawnTable) -> drawing.Drawing:
    data = chart.data
    assert not isinstance(data, Bars), "bars stand in the rows of their table"
    return drawing.columns(data) if isinstance(data, Columns) else drawing.lines(data)


def _scannable(block: Scannable) -> "Markup | None":
    """The QR code of a link as SVG; None where it is too long for one."""
    from markupsafe import Markup

    if len(block.link) > _LONGEST_LINK:
        return None
    try:
        code = qr_symbol(block.link)
    except ValueError:
        return None
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
    return Markup(drawn.getvalue().decode())  # paths and numbers alone: nothing of the link is in it as text
