"""A report of codes over a period, in every format, the answer first."""

from linkdash.model.document import markdown as as_markdown
from linkdash.model.document import plain_text
from linkdash.model.statistics.report.content import CodeReport as CodeReport
from linkdash.model.statistics.report.content import Report as Report
from linkdash.model.statistics.report.content import Sort as Sort
from linkdash.model.statistics.report.content import ordered as ordered
from linkdash.model.statistics.report.content import report as report
from linkdash.model.statistics.report.csv_and_json import csv as csv
from linkdash.model.statistics.report.csv_and_json import json as json
from linkdash.model.statistics.report.csv_and_json import members as members
from linkdash.model.statistics.report.document import blocks as blocks


def markdown(made: Report) -> str:
    """The report for a ticket."""
    return as_markdown.markdown(blocks(made))


def text(made: Report, width: int | None = None) -> str:
    """The report to be read on a screen of so many cells."""
    return plain_text.text(blocks(made), width)


def html(made: Report, profile: str) -> str:
    """The report on a profile's codes as a page for any browser."""
    from linkdash.model.document.html import page

    return page(blocks(made), made.at, profile)
