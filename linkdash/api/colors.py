"""Colors: how light they are, and whether two can be told apart."""

from typing import TypeAlias

Rgb: TypeAlias = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""

BLACK: Rgb = (0, 0, 0)
WHITE: Rgb = (255, 255, 255)
LEAST_FOR_SCANNERS = 4.0
"""How much lighter the paper of a QR code has to be than its ink."""


def contrast(dark: Rgb, light: Rgb) -> float:
    """The contrast of two colors (WCAG 2): 21 for black and white, below 1 if `dark` is the lighter one."""
    return (_luminance(light) + 0.05) / (_luminance(dark) + 0.05)


def is_scannable(ink: Rgb, paper: Rgb) -> bool:
    """Return whether a scanner can tell a code of these colors from what it stands on."""
    return contrast(ink, paper) >= LEAST_FOR_SCANNERS


def _luminance(color: Rgb) -> float:
    """The relative luminance, from 0 for black to 1 for white."""
    red, green, blue = (
        part / 255 / 12.92 if part / 255 <= 0.04045 else ((part / 255 + 0.055) / 1.055) ** 2.4
        for part in color
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
