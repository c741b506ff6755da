"""QR codes and their statistics (reference: QR code, QR codes)."""

import json
import sqlite3

from linkdash.demo import statistics
from linkdash.demo.endpoint import (
    Answer,
    Call,
    Check,
    Endpoint,
    Refusal,
    choice,
    created,
    done,
    epoch,
    image,
    landing,
    optional,
    or_empty,
    paged,
    required,
    rgb_colour,
    stamp,
    text,
    url,
)

TABLES = """
CREATE TABLE qrs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, type TEXT NOT NULL, data TEXT NOT NULL,
    background TEXT NOT NULL DEFAULT '', foreground TEXT NOT NULL DEFAULT '', logo TEXT NOT NULL DEFAULT '',
    name TEXT NOT NULL, link TEXT NOT NULL, date TEXT NOT NULL);
"""


def content(value: object) -> str | None:
    """Text, or the parts it is built from: an object or an array."""
    if isinstance(value, dict | list):
        return None if value else "must not be empty"
    return text(value) and "must be a string or an array with something in it"


DATA: dict[str, Check] = {
    "text": text,
    "vcard": content,
    "link": url,
    "email": content,
    "phone": text,
    "sms": content,
    "wifi": content,
}
"""The check of `data` for each type."""


def index(call: Call) -> Answer:
    """Return a page of QR codes."""
    return paged(call, "qrs", "qrs", lambda row: details(row, call))


def details(row: sqlite3.Row, call: Call) -> Answer:
    """A QR code as listed, its scans as of now."""
    scans = statistics.totals(*_growth(row, call)).scans
    return {"id": row["id"], "link": row["link"], "scans": scans, "name": row["name"], "date": row["date"]}


def _growth(row: sqlite3.Row, call: Call) -> tuple[statistics.CodeProfile, statistics.Times]:
    times = statistics.Times(epoch(row["date"]), call.made, call.now)
    return statistics.profile(call.seed, row["id"]), times


def get(call: Call) -> Answer:
    """Return one QR code with its statistics as of now."""
    row = call.find("qrs", call.id(), "QR code")
    numbers = statistics.statistics(*_growth(row, call))
    return {"error": 0, "details": details(row, call), "data": numbers}


def add(call: Call) -> Answer:
    """Create a QR code; it is named after its type, as no member names it."""
    kind = str(call.body["type"])
    _check_data(kind, call.body["data"])
    values = {**_columns(call), "name": f"New {kind} code", "link": "", "date": stamp(call.now)}
    code_id = call.insert("qrs", values)
    link = landing("qr", code_id)
    call.update("qrs", code_id, {"link": link})
    return created(code_id, link=link)


def update(call: Call) -> Answer:
    """Change a QR code; its type stays."""
    row = call.find("qrs", call.id(), "QR code")
    _check_data(row["type"], call.body["data"])
    call.update("qrs", call.id(), _columns(call))
    return done("QR code has been successfully updated.")


def _check_data(kind: str, data: object) -> None:
    if problem := DATA[kind](data):
        raise Refusal(400, f"data {problem}.")


def _columns(call: Call) -> dict[str, object]:
    return {**call.body, "data": json.dumps(call.body["data"])}


def delete(call: Call) -> Answer:
    """Delete a QR code, which leaves its channels too."""
    call.remove("qrs", call.id(), "QR code")
    call.db.execute("DELETE FROM channel_items WHERE type = 'qr' AND item_id = ?", (call.id(),))
    return done("QR code has been successfully deleted.")


LOOKS = {
    "background": optional(rgb_colour),
    "foreground": optional(rgb_colour),
    "logo": optional(or_empty(image)),
}

ENDPOINTS = (
    Endpoint("GET", "/api/qr", index),
    Endpoint("GET", "/api/qr/{id:int}", get),
    Endpoint(
        "POST", "/api/qr/add", add, {"type": required(choice(*DATA)), "data": required(content), **LOOKS}
    ),
    Endpoint("PUT", "/api/qr/{id:int}/update", update, {"data": required(content), **LOOKS}),
    Endpoint("DELETE", "/api/qr/{id:int}/delete", delete),
)
