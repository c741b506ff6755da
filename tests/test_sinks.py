"""Whatever a text holds, it is inert wherever it is shown: on a screen, in a line, a log, a report.

`.venv/bin/pytest --nightly tests/test_sinks.py` takes 20,000 texts. Each of the walls is tried
with the others taken away: what a record is read as, what leaves for the terminal, and what a verb says. What
is data stays as it came.
"""

import csv
import io
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from datetime import UTC, datetime

import pytest
from pydantic import SecretStr
from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color

from linkdash.api.errors import LinkdashError
from linkdash.api.fields import Kind, read_text
from linkdash.api.http.recent_exchanges import Exchange
from linkdash.api.http.request import Request, Response
from linkdash.api.resources.pixels import Pixel
from linkdash.api.resources.qr import QrCode
from linkdash.commands.output import cell_text, write_members
from linkdash.commands.record_output import write_records
from linkdash.commands.standard_streams import plain, say, tell
from linkdash.model.as_command import list_command
from linkdash.model.copy_choices import copies
from linkdash.model.csv_text import Formulas
from linkdash.model.fault_reports import FaultReports
from linkdash.model.json_text import json_line, json_text
from linkdash.model.link_host import hidden_host
from linkdash.model.lists.export import record_members, records_csv, records_json
from linkdash.model.raw_answer import exchange_text
from linkdash.model.resources.pixels import RESOURCE as PIXELS
from linkdash.model.statistics.period import period
from linkdash.model.statistics.report import json as report_json
from linkdash.model.statistics.report import markdown, report
from linkdash.model.statistics.report import text as report_text
from linkdash.store.reading import Reading
from linkdash.widgets.details import record_lines
from linkdash.widgets.table.cell_text import cell
from linkdash.widgets.terminal.inert_filter import InertFilter
from tests.nightly import is_nightly
from tests.screens.driver import is_inert
from tests.screens.hostile import HOSTILE

TEXTS = 20_000 if is_nightly() else 100
HALF = re.compile("[\ud800-\udfff]")
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
    """A text as the parser of answers leaves it: the halves of a surrogate pair are one character."""
    return str(json.loads(json.dumps(text)))


def pixel(text: str) -> Pixel:
    """A record with a text in every member, in one that is not known, and in its name."""
    text = parsed(text)
    members = ("type", "name", "tag", "date", "news")
    raw = {**dict.fromkeys(members, text), text[:200]: {text: [text]}, "id": 1}
    record = Pixel.read(raw, safe_text=True)
    assert isinstance(record, Pixel)
    return record


def said(text: str) -> str:
    """A line of a verb for people, which ends where it was ended."""
    with redirect_stdout(io.StringIO()) as out:
        say(text)
    assert out.getvalue().endswith("\n")
    return out.getvalue()[:-1]


def lines_of(text: str) -> Sequence[str]:
    """The lines of what has line ends of its own, as files and pages do."""
    return text.replace("\r\n", "\n").split("\n")


# ---- each layer without the others ----

LAYERS: dict[str, Callable[[str], str]] = {
    "drawn in a cell": lambda text: "".join(piece.text for piece in cell(text, Kind.TEXT, WIDTH)),
    "drawn as a link": lambda text: "".join(piece.text for piece in cell(text, Kind.LINK, WIDTH)),
    "a field, odd ones and unknown ones": lambda text: "".join(
        [(record := pixel(text)).name, *record.odd.values(), *map(str, (record.model_extra or {}).items())]
    ),
    "said by a verb": said,
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
    return markdown(found) + report_text(found) + report_json(found)


class Terminal(io.StringIO):
    """A standard output that the user looks at."""

    def isatty(self) -> bool:
        return True


def on_a_terminal(text: str) -> str:
    """A CSV as the verbs write it to a terminal."""
    with redirect_stdout(Terminal()) as out:
        write_records(Pixel, PIXELS.columns, [pixel(text)], "csv")
    return out.getvalue()


SINKS: dict[str, Callable[[str], str]] = {
    "an error": lambda text: str(LinkdashError(text, text)),
    "the details of a record": lambda text: "".join(
        line.title + line.text for line in record_lines(pixel(text))
    ),
    "a line of standard error": plain,
    "a cell of a table": cell_text,
    "JSON for a terminal": lambda text: json_line({text: text}),
    "CSV on a terminal": on_a_terminal,
    "an export as JSON": lambda text: records_json([pixel(text)], NOW),
    "members": lambda text: json_text(record_members(pixel(text))),
    "a copied row, and JSON": lambda text: "\n".join(
        choice.value.replace("\t", " ") for choice in copies(pixel(text)) if choice.label in ("Row", "JSON")
    ),
    "a copied command": lambda text: list_command(
        "pixels", orders=(), filter=HALF.sub("", text.replace("\0", ""))
    ),
    "the report of a fault": lambda text: FaultReports(None, ()).text(ValueError(text)),
    "an exchange": exchanged,
    "a report": reported,
    "the host of a link": lambda text: hidden_host(f"https://{text}/"),
    "a logged request": lambda text: repr(str(Request("GET", "/api/pixels", {"q": HALF.sub("", text)}))),
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
        assert found["name"] == parsed(text)


def test_an_export_as_csv_and_a_copy_hold_the_same_text() -> None:
    for text in texts():
        record, formulas = pixel(text), Formulas(are_quoted=False)
        exported = records_csv(Pixel, PIXELS.columns, [record], formulas)
        header, row = csv.reader(io.StringIO(exported, newline=""), strict=True)
        assert row[header.index("name")] == HALF.sub("\ufffd", parsed(text))
        assert formulas.quoted == 0
        assert [choice.value for choice in copies(record) if choice.label == "Name"] == [parsed(text)]


@pytest.mark.parametrize("form", ["table", "json", "jsonl"])
def test_every_format_of_a_verb_is_inert(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    records = [pixel(text) for text in texts()]
    write_records(Pixel, PIXELS.columns, records, form)
    for record in records[:TEXTS]:
        if form == "table":
            write_members(record.model_dump(), form)
        tell(record.name)
    out, told = capsys.readouterr()
    assert [line for line in lines_of(out + told) if not is_inert(line)] == []
