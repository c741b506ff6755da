"""A screen that was left keeps the lines it was drawn of, each with seven caches: some 10 MB a place."""

from textual.widget import Widget


def let_go_of_lines(screen: Widget) -> None:
    """Let go of every line; each is drawn again when it is shown."""
    for widget in screen.walk_children(Widget, with_self=True):
        widget._styles_cache.clear()
