"""The clipboard of the terminal: what is sent there can be pasted where the terminal runs, also over SSH."""

from textual.app import App

MANY_BYTES = 100_000
"""What a terminal's clipboard takes for certain; many take no more, and none says so."""


def copy(app: App[object], what: str, text: str) -> None:
    """Sends `text` to the terminal's clipboard and says so; nobody can know whether it took it."""
    app.copy_to_clipboard(text)
    told = f"{what}: sent to the terminal's clipboard."
    if (size := len(text.encode("utf-8", "replace"))) > MANY_BYTES:
        told += f" That is much ({size / 1e6:.1f} MB): if it took only a part of it, use a file."
    app.notify(told, markup=False)
