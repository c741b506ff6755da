"""The app keeps whatever watches something of it, also when that was removed."""

from textual.dom import DOMNode


def watch_no_more(watcher: DOMNode, watched: DOMNode) -> None:
    """Let `watched` forget a node that watches something of it and goes before it."""
    known: dict[str, list[tuple[DOMNode, object]]] = getattr(watched, "__watchers", {})
    for pairs in known.values():
        pairs[:] = [pair for pair in pairs if pair[0] is not watcher]
