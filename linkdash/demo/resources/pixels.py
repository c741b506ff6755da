"""Tracking pixels (reference: Pixels)."""

from linkdash.demo.endpoint import (
    Answer,
    Call,
    Endpoint,
    choice,
    created,
    done,
    optional,
    paged,
    required,
    stamp,
    text,
)

TABLES = """
CREATE TABLE pixels (
    id INTEGER PRIMARY KEY AUTOINCREMENT, type TEXT NOT NULL, name TEXT NOT NULL, tag TEXT NOT NULL,
    date TEXT NOT NULL);
"""

PIXEL_TYPES = (
    "gtmpixel",
    "gapixel",
    "fbpixel",
    "adwordspixel",
    "linkedinpixel",
    "twitterpixel",
    "adrollpixel",
    "quorapixel",
    "pinterest",
    "bing",
    "snapchat",
    "reddit",
    "tiktok",
)


def index(call: Call) -> Answer:
    """One page of pixels."""
    return paged(call, "pixels", "pixels", dict)


def add(call: Call) -> Answer:
    """Create a pixel."""
    return created(call.insert("pixels", {**call.body, "date": stamp(call.now)}))


def update(call: Call) -> Answer:
    """Change a pixel."""
    call.find("pixels", call.id(), "Pixel")
    call.update("pixels", call.id(), call.body)
    return done("Pixel has been successfully updated.")


def delete(call: Call) -> Answer:
    """Delete a pixel."""
    call.remove("pixels", call.id(), "Pixel")
    return done("Pixel has been successfully deleted.")


ENDPOINTS = (
    Endpoint("GET", "/api/pixels", index),
    Endpoint(
        "POST",
        "/api/pixel/add",
        add,
        {"type": required(choice(*PIXEL_TYPES)), "name": required(text), "tag": required(text)},
    ),
    Endpoint("PUT", "/api/pixel/{id:int}/update", update, {"name": optional(text), "tag": required(text)}),
    Endpoint("DELETE", "/api/pixel/{id:int}/delete", delete),
)
