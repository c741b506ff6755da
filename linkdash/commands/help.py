"""`linkdash help`: the topics of the guide, one of them, or the help of a command."""

import argparse
import os
import sys
from collections.abc import Iterable, Mapping

from linkdash.commands.parser import parser
from linkdash.commands.standard_streams import put, say_lines, say_text
from linkdash.commands.verbs import VERBS
from linkdash.guide import TOPICS, page

_WIDEST = 100  # cells of a line that is easy to read


def show_help(flags: argparse.Namespace, _environment: Mapping[str, str]) -> int:
    """Print a page of the guide or the help of a command; without a topic, list both. Return the status."""
    verbs, topic = parser().verbs, flags.topic
    if topic is None:
        say_lines(_contents())
        return 0
    if topic in verbs:
        verbs[topic].parser.print_help()
    if topic in TOPICS:  # one can be both
        say_lines([""] if topic in verbs else [])
        _show_page(topic)
    return 0


def _contents() -> list[str]:
    commands = [(name, verb.about) for name, verb in VERBS.items()]
    return [
        *("linkdash help TOPIC shows a page of the guide:", "", *_listed(TOPICS.items()), ""),
        *("linkdash help COMMAND shows the flags of a command:", "", *_listed(commands)),
    ]


def _listed(entries: Iterable[tuple[str, str]]) -> list[str]:
    return [f"  {name:<15}  {about}" for name, about in entries]


def _show_page(topic: str) -> None:
    """Print a page: drawn on a terminal, as Markdown elsewhere."""
    if not sys.stdout.isatty() or os.environ.get("TERM") == "dumb":
        say_text(page(topic))
        return
    from rich.console import Console

    from linkdash.guide.rendering import drawn_page

    console = Console()
    with console.capture() as captured:
        console.print(drawn_page(topic, min(_WIDEST, console.width)), soft_wrap=True)
    put(captured.get())
