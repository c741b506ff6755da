"""Whatever a text holds, it is inert wherever it comes out: on a screen, in a line, a log, a file, a copy.

`LINKDASH_LONG=1 .venv/bin/pytest tests/test_sinks.py` takes 20,000 texts. Each of the three layers is tried
with the other two taken away: what is read of an answer, what a widget draws, what leaves for the terminal.
"""

import csv
import io
import json
import os
import random
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime

import pytest
from pydantic import SecretStr
from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color

from linkdash.api.errors import LinkdashError
from linkdash.api.exchange import Exchange, Request, Response
from linkdash.api.fields import Kind, read_text
from linkdash.api.overlays import Pixel
from linkdash.api.qr import QrCode
from linkdash.commands.output import cell_text, json_line, write_members, write_records
from linkdash.commands.setup import Finding
from linkdash.commands.streams import plain, tell
from linkdash.model.as_text import copies, exchange_text, hidden_host
from linkdash.model.columns import Odd
from linkdash.model.export import comparison_csv, record_members, records_csv, records_json
from linkdash.model.faults import FaultReports
from linkdash.model.resources.pixels import RESOURCE as PIXELS
from linkdash.model.statistics.periods import period
from linkdash.model.statistics.report import json as report_json
from linkdash.model.statistics.report import markdown, report
from linkdash.model.statistics.report import text as report_text
from linkdash.store.history import Reading
from linkdash.widgets.terminal import InertFilter
from linkdash.widgets.values import cell, full, record_lines
from tests.screens.driver import is_inert
from tests.screens.hostile import HOSTILE

TEXTS = 20_000 if os.environ.get("LINKDASH_LONG") else 100
EXECUTED = ("=", "+", "-", "@", "\t", "\r")
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
WIDTH = 20
PARTS = (
    *HOSTILE.values(),
    *("\x1b[", "\x9b", "\x07", "\r", "\n", "\t", "\x00", "\u202e", "\u200d", "\u2028", "\ud800", "\x1b\\"),
    *("=", "@", "a", "é", "日", "👩", "क", "م", '"', "'", "|", "`", "[/]", "<b>", "&amp;", "\\", "%", ","),
)


def texts() -> Iterator[str]:
    """The same texts each time: what acts on terminals, markup, tables and shells, among letters."""
    chance = random.Random(21)
    yield from HOSTILE.values()
    for _ in range(TEXTS):
        parts = chance.choices(PARTS, k=chance.randint(1, 6))
        parts.append(chr(chance.choice((chance.randrange(0x300), chance.randrange(0x11_0000)))))
        chance.shuffle(parts)
        yield "".join(parts)[:600]


def parsed(text: str) -> str:
    """A text as the parser of answers leaves it: without half of a surrogate pair."""
    return text.encode("utf-8", "replace").decode()


def pixel(text: str) -> Pixel:
    """A record with a text in every member, in one that is not known, and in its name."""
    text = parsed(text)
    members = ("type", "name", "tag", "date", "news")
    raw = {**dict.fromkeys(members, text), text[:200]: {text: [text]}, "id": 1}
    record = Pixel.read(raw)
    assert isinstance(record, Pixel)
    return record


def lines_of(text: str) -> Sequence[str]:
    """The lines of what has line ends of its own, as files and pages do."""
    return text.replace("\r\n", "\n").split("\n")


# ---- each layer without the others ----

LAYERS: dict[str, Callable[[str], str]] = {
    "read of an answer": read_text,
    "drawn in a cell": lambda text: "".join(piece.text for piece in cell(text, Kind.TEXT, WIDTH)),
    "drawn in full": lambda text: "".join(piece.text for piece in full(text, Kind.TEXT)),
    "drawn as a link": lambda text: "".join(piece.text for piece in cell(text, Kind.LINK, WIDTH)),
    "drawn as it came": lambda text: "".join(piece.text for piece in full(Odd(text), Kind.TEXT)),
    "on its way to the terminal": lambda text: "".join(
        segment.text for segment in InertFilter().apply([Segment(text)], Color(0, 0, 0))
    ),
}


@pytest.mark.parametrize("layer", LAYERS)
def test_each_layer_alone_lets_nothing_through(layer: str) -> None:
    for text in texts():
        assert is_inert(LAYERS[layer](text)), repr(text)


def test_a_cell_is_as_wide_as_its_column_whatever_it_holds() -> None:
    for text in texts():
        shown = "".join(piece.text for piece in cell(text, Kind.TEXT, WIDTH))
        assert cell_len(shown) == WIDTH, repr(text)


# ---- where texts come out ----


def exchanged(text: str) -> str:
    """A request and its answer as the budget screen shows them."""
    exchange = Exchange(Request("POST", "/api/pixel/add", body={"name": text}), 0.0)
    body = json.dumps({"error": 0, "message": text}).encode() + text.encode("utf-8", "replace")
    exchange.end(Response(200, {"X-Echo": text}, body), 0.1, LinkdashError(text))
    return exchange_text(exchange, "https://x.example", SecretStr("a-key"))


def reported(text: str) -> str:
    code = QrCode(id=3, name=read_text(text), link=read_text(text))
    reading = Reading(NOW, clicks=1, breakdowns={"countries": {read_text(text): 1}})
    found = report([(code, [reading])], period("week", NOW), NOW)
    return markdown(found) + report_text(found) + report_json(found) + comparison_csv([(code, reading)])


SINKS: dict[str, Callable[[str], str]] = {
    "an error": lambda text: str(LinkdashError(text, text)),
    "the details of a record": lambda text: "".join(
        line.title + line.text for line in record_lines(pixel(text))
    ),
    "a line of standard error": plain,
    "a cell of a table": cell_text,
    "a line of doctor": lambda text: str(Finding("settings", text)),
    "JSON for a terminal": lambda text: json_line({text: text}),
    "an export as CSV": lambda text: records_csv(Pixel, PIXELS.columns, [pixel(text)]),
    "an export as JSON": lambda text: records_json([pixel(text)], NOW),
    "members": lambda text: json_line(record_members(pixel(text)), indent=2),
    "a copy": lambda text: "\n".join(choice.value.replace("\t", " ") for choice in copies(pixel(text))),
    "the report of a fault": lambda text: FaultReports(None).text(ValueError(text)),
    "an exchange": exchanged,
    "a report": reported,
    "the host of a link": lambda text: hidden_host(f"https://{text}/"),
    "a logged request": lambda text: repr(str(Request("GET", "/api/pixels", {"q": parsed(text)}))),
}


@pytest.mark.parametrize("sink", SINKS)
def test_what_comes_out_is_inert(sink: str) -> None:
    for text in texts():
        for line in lines_of(SINKS[sink](text)):
            assert is_inert(line), f"{text!r} gives {line!r}"


def test_no_cell_of_an_export_is_a_formula() -> None:
    for text in texts():
        for row in csv.reader(io.StringIO(records_csv(Pixel, PIXELS.columns, [pixel(text)]), newline="")):
            assert not [found for found in row if found.startswith(EXECUTED)], repr(text)


def test_an_export_as_json_is_json_of_the_same_record() -> None:
    for text in texts():
        (found,) = json.loads(records_json([pixel(text)], NOW))["records"]
        assert found["name"] == read_text(parsed(text))


@pytest.mark.parametrize("form", ["table", "json", "jsonl", "csv"])
def test_every_format_of_a_verb_is_inert(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    records = [pixel(text) for text in texts()]
    write_records(Pixel, PIXELS.columns, records, form)
    for record in records[:TEXTS]:
        if form == "table":
            write_members(record.model_dump())
        tell(record.name)
    out, told = capsys.readouterr()
    assert [line for line in lines_of(out + told) if not is_inert(line)] == []
