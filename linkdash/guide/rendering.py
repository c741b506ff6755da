"""Drawing of the guide's pages: by weight and lines alone, so that they fit every theme and terminal."""

import re
from functools import cache

from rich.console import Console, ConsoleOptions, RenderResult
from rich.default_styles import DEFAULT_STYLES
from rich.markdown import Markdown, TableElement
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from linkdash.guide import page

_STYLES = Theme(
    {name: style.without_color for name, style in DEFAULT_STYLES.items() if name.startswith("markdown.")}
)
_HEADING = re.compile(r"^# ", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\((\w+)\.md(?:#[\w-]*)?\)")


class _FoldedTable(TableElement):
    """A table that cuts no word that is wider than its column."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for table in super().__rich_console__(console, options):
            if isinstance(table, Table):
                for column in table.columns:
                    column.overflow = "fold"
            yield table


class _GuidePage(Markdown):
    elements = {**Markdown.elements, "table_open": _FoldedTable}


@cache
def drawn_page(topic: str, width: int) -> Text:
    """Return a topic's page in lines of at most `width` cells. Raises KeyError for an unknown one."""
    text = _HEADING.sub("## ", _LINK.sub(r"\1 (`linkdash help \2`)", page(topic)))
    console = Console(width=width, theme=_STYLES, color_system="standard", force_terminal=True, no_color=True)
    with console.capture() as captured:
        console.print(_GuidePage(text, code_theme="ansi_dark", hyperlinks=False))
    lines = [Text.from_ansi(line) for line in captured.get().splitlines()]
    for line in lines:
        line.rstrip()
    return Text("\n").join(lines)
