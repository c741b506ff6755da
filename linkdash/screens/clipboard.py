"""Texts sent to the terminal's clipboard."""

from textual.app import App

from linkdash.api.inert_text import encodable

MANY_BYTES = 100_000
"""The bytes that a terminal's clipboard takes for certain; many take no more, and none says so."""


def copy_text(app: App[object], what: str, text: str) -> None:
    """Send `text` to the terminal's clipboard and say so; no answer tells whether it took it."""
    text = encodable(text)
    app.copy_to_clipboard(text)
    told = f"{what}: sent to the terminal's clipboard."
    if (size := len(text.encode())) > MANY_BYTES:
        told += f" {size / 1e6:.1f} MB is large; if the paste is cut off, export to a file."
    app.notify(told, markup=False)
