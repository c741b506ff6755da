"""A word to click beside an input; it is no stop for the tab key, because a key does the same."""

from textual.widgets import Button


class Shortcut(Button):
    """A small button that leaves the focus where it is."""

    can_focus = False

    def __init__(self, label: str, name: str) -> None:
        super().__init__(label, name=name, compact=True)
