"""The screen as an SVG picture that needs nothing but itself."""

from collections.abc import Iterator, Sequence
from html import escape

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

_WIDTH, _HEIGHT, _BASE = 8.4, 18, 13.5  # of a cell, and where its text stands
_FONT = """font-size="14" font-family="ui-monospace,'Cascadia Mono',Menlo,Consolas,monospace\""""


def svg(strips: Sequence[Strip], title: str, ground: str) -> str:
    """A picture of strips; `ground` is the color behind what has none."""
    columns, rows = max(strip.cell_length for strip in strips), len(strips)
    size = f"{columns * _WIDTH:.0f} {rows * _HEIGHT}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" {_FONT}>',
        f"<title>{escape(title)}</title>",
        f'<rect width="100%" height="100%" rx="6" fill="{ground}"/>',
        *(line for row, strip in enumerate(strips) for line in _row(row, strip, ground)),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _row(row: int, strip: Strip, ground: str) -> Iterator[str]:
    column = 0
    for segment in strip.simplify():
        cells = cell_len(segment.text)
        x, width, y = column * _WIDTH, cells * _WIDTH, row * _HEIGHT
        ink, paper = _colors(segment.style or Style(), ground)
        if paper != ground:
            yield f'<rect x="{x:.1f}" y="{y}" width="{width + 0.3:.1f}" height="{_HEIGHT}" fill="{paper}"/>'
        yield from _text(segment, x, y + _BASE, ink)
        column += cells


def _text(segment: Segment, x: float, y: float, ink: str) -> Iterator[str]:
    text = segment.text.rstrip()
    lead = len(text) - len(text.lstrip())
    text, style = text.lstrip(), segment.style or Style()
    if text:
        x, width = x + lead * _WIDTH, cell_len(text) * _WIDTH
        bold = ' font-weight="bold"' * bool(style.bold)
        line = ' text-decoration="underline"' * bool(style.underline)
        yield (
            f'<text x="{x:.1f}" y="{y:.1f}" textLength="{width:.1f}" lengthAdjust="spacingAndGlyphs"'
            f' fill="{ink}"{bold}{line} xml:space="preserve">{escape(text)}</text>'
        )


def _colors(style: Style, ground: str) -> tuple[str, str]:
    ink = style.color.get_truecolor().hex if style.color else "#c0c0c0"
    paper = style.bgcolor.get_truecolor().hex if style.bgcolor else ground
    return (paper, ink) if style.reverse else (ink, paper)
