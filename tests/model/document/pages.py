"""Pages for the tests of what they are written as, and what a reader of HTML finds in them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser

from linkdash.api.resources.qr import QrCode
from linkdash.model.statistics.period import period
from linkdash.model.statistics.report import Report, html, report
from linkdash.store.reading import Reading
from tests.model.statistics.test_period_comparison import NOW
from tests.model.statistics.test_sentences import dropped

WEEK = period("week", NOW)
HOSTILE = (
    "<script>document.title='ran'</script>",
    "</title></style><img src=x onerror=alert(1)>",
    "\u202egnp.exe \u2066x\u2069 \x1b[2J\x00",
    "x" * 10_000,
    "{{ 7 * 7 }}{% raw %}",
    "'\"><a href='javascript:1'>",
)
"""Names and labels as nobody means well with them."""


def named(readings: Sequence[Reading], label: str) -> list[Reading]:
    """The readings with one more label in each breakdown they tell."""
    return [
        Reading(
            one.at,
            one.clicks,
            one.unique,
            one.scans,
            {name: {**counts, label: (one.scans or 0) // 7} for name, counts in one.breakdowns.items()},
        )
        for one in readings
    ]


def hostile_report() -> Report:
    """Codes that are called like this, with labels like this."""
    codes = [
        (QrCode(id=id, name=text, link=f"https://go.example/{id}?<b>"), named(dropped(), text))
        for id, text in enumerate(HOSTILE, 1)
    ]
    return report(codes, WEEK, NOW)


def page_of(made: Report) -> str:
    """The report as a page."""
    return html(made, "north")


@dataclass
class Found(HTMLParser):
    """The elements of a page, its texts, and the cells of its tables."""

    tags: list[str] = field(default_factory=list)
    attributes: list[tuple[str, str]] = field(default_factory=list)
    tables: list[list[list[str]]] = field(default_factory=list)
    text: str = ""
    is_in_cell: bool = False

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self.is_in_cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self.is_in_cell = False

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.is_in_cell:
            self.tables[-1][-1][-1] += data


def found_in(text: str) -> Found:
    """Return what is in a page."""
    found = Found()
    found.feed(text)
    return found


def table_with(found: Found, *titles: str) -> list[list[str]]:
    """The rows of the first table whose head begins with these titles, without the head."""
    for head, *rows in found.tables:
        if [title.strip() for title in head[: len(titles)]] == [*titles]:
            return [[cell.strip() for cell in row] for row in rows]
    raise AssertionError(f"no table has the titles {titles}")


def number(cell: str) -> int:
    """A count as it is written for people."""
    return int(cell.replace(",", "").replace("−", "-").lstrip("≈≥"))
