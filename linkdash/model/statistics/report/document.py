"""A report as people read it, the answer first: the same blocks for Markdown, the screen and a page."""

from collections.abc import Iterator

from linkdash.model.document.blocks import Block
from linkdash.model.statistics.report.content import Report
from linkdash.model.statistics.report.known_times import notes
from linkdash.model.statistics.report.one_code import one_code
from linkdash.model.statistics.report.several_codes import several_codes


def blocks(report: Report) -> Iterator[Block]:
    """The report from top to bottom."""
    if len(report.codes) == 1:
        yield from one_code(report, report.codes[0])
    else:
        yield from several_codes(report)
    yield from notes(report)
