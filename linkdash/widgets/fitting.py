"""Text of exactly as many cells as there are."""

from typing import Literal

from rich.cells import cell_len, set_cell_size

from linkdash.api.text import inert

Align = Literal["left", "right"]
CUT = "\N{HORIZONTAL ELLIPSIS}"
_JOINER = "\N{ZERO WIDTH JOINER}"


def fit_text(text: str, width: int, align: Align = "left") -> str:
    """`text` cut with an ellipsis or padded with blanks to exactly `width` cells."""
    if width <= 0:
        return ""
    text = inert(text).rstrip(_JOINER)
    cells = cell_len(text)
    if cells > width:
        return set_cell_size(text, width - 1) + CUT
    return " " * (width - cells) + text if align == "right" else text + " " * (width - cells)
