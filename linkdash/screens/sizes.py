"""The sizes of a terminal at which screens change how they are laid out, as classes for the style sheets."""

from linkdash.widgets.states import LEAST_COLUMNS, LEAST_LINES

HORIZONTAL = [
    (0, "-too-narrow"),
    (LEAST_COLUMNS, "-narrow"),
    (100, "-sidebar"),
    (120, "-beside"),
    (200, "-huge"),
]
VERTICAL = [(0, "-too-low"), (LEAST_LINES, "-tiny"), (20, "-low"), (30, "-high")]
