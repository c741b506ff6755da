"""The clipboard of the terminal: what is sent there can be pasted where the terminal runs, also over SSH."""

from textual.app import App


def copy(app: App[object], what: str, text: str) -> None:
    """Sends `text` to the terminal's clipboard and says so; nobody can know whether it took it."""
    app.copy_to_clipboard(text)
    app.notify(f"{what}: sent to the terminal's clipboard.", markup=False)
