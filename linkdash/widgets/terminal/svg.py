"""The screen as an SVG picture that needs nothing but itself."""

import re
from collections.abc import Iterator, Sequence
from html import escape

from rich.cells import cell_len
from rich.color import Color
from rich.style import Style
from rich.terminal_theme import SVG_EXPORT_THEME
from textual.strip import Strip

CELL = (8.4, 18)
"""Width and height of a cell."""
_WIDTH, _HEIGHT = CELL
_BASE = 13.5  # where its text stands
_EIGHTHS = " ▁▂▃▄▅▆▇█"
_UPPER = {"▀": 1 / 2, "▔": 1 / 8}
"""Blocks at the top of their cells, and their part of it."""
_RUN = re.compile(r"([▁▂▃▄▅▆▇█▀▔])\1*|[^\s▁▂▃▄▅▆▇█▀▔]+(?: [^\s▁▂▃▄▅▆▇█▀▔]+)*")
LOOK = """font-size="14" font-family="ui-monospace,'Cascadia Mono',Menlo,Consolas,monospace\""""
LOOK += ' shape-rendering="crispEdges"'  # no seams between rows in any size


def svg(strips: Sequence[Strip], title: str, ground: str) -> str:
    """A picture of strips; `ground` is the color behind what has none."""
    columns, rows = max(strip.cell_length for strip in strips), len(strips)
    size = f"{columns * _WIDTH:.0f} {rows * _HEIGHT}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" {LOOK}>',
        f"<title>{escape(title)}</title>",
        f'<rect width="100%" height="100%" rx="6" fill="{ground}"/>',
        *(line for row, strip in enumerate(strips) for line in row_lines(row, strip, ground)),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def row_lines(row: int, strip: Strip, ground: str) -> Iterator[str]:
    """The elements that one line of the screen is drawn with."""
    column = 0
    for segment in strip.simplify():
        cells = cell_len(segment.text)
        x, width, y = column * _WIDTH, cells * _WIDTH, row * _HEIGHT
        ink, paper = _colors(segment.style or Style(), ground)
        if paper != ground:
            yield f'<rect x="{x:.1f}" y="{y}" width="{width + 0.3:.1f}" height="{_HEIGHT}" fill="{paper}"/>'
        for start, run in _runs(segment.text):
            if run[0] in _EIGHTHS or run[0] in _UPPER:
                yield from _blocks(run, x + start * _WIDTH, y, ink)
            else:
                yield _text(run, segment.style or Style(), x + start * _WIDTH, y + _BASE, ink)
        column += cells


def _runs(text: str) -> Iterator[tuple[int, str]]:
    """Return what stands between gaps, with the cell it begins at: no font can move it from there.

    Blocks are apart from letters, and of one height in a run: what they look like no font decides.
    """
    for match in _RUN.finditer(text):
        yield cell_len(text[: match.start()]), match[0]


def _blocks(run: str, x: float, y: float, ink: str) -> Iterator[str]:
    """Equal blocks as one shape; they stand on the bottom of their cells, but for the upper ones."""
    part = _UPPER.get(run[0])
    height = _HEIGHT * (_EIGHTHS.index(run[0]) / 8 if part is None else part)
    top, width = y + _HEIGHT - height if part is None else y, len(run) * _WIDTH
    yield f'<rect x="{x:.1f}" y="{top:.1f}" width="{width + 0.1:.1f}" height="{height:.1f}" fill="{ink}"/>'


def _text(text: str, style: Style, x: float, y: float, ink: str) -> str:
    bold = ' font-weight="bold"' * bool(style.bold)
    line = ' text-decoration="underline"' * bool(style.underline)
    dim = ' opacity="0.6"' * bool(style.dim)
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" textLength="{cell_len(text) * _WIDTH:.1f}"'
        f' lengthAdjust="spacingAndGlyphs" fill="{ink}"{bold}{line}{dim}'
        f' xml:space="preserve">{escape(text)}</text>'
    )


def _colors(style: Style, ground: str) -> tuple[str, str]:
    ink = drawn_color(style.color) if style.color else "#c0c0c0"
    paper = drawn_color(style.bgcolor, is_ground=True) if style.bgcolor else ground
    return (paper, ink) if style.reverse else (ink, paper)


def drawn_color(color: Color, *, is_ground: bool = False) -> str:
    """Return a colour as it is drawn; those that a terminal has of its own are those of a dark one."""
    return color.get_truecolor(SVG_EXPORT_THEME, foreground=not is_ground).hex
