"""Pixels (reference: Pixels)."""

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


def pixels(call: Call) -> Answer:
    """Return a page of pixels."""
    return paged(call, "pixels", "pixels", dict)


def add_pixel(call: Call) -> Answer:
    """Create a pixel."""
    return created(call.insert("pixels", {**call.body, "date": stamp(call.now)}))


def update_pixel(call: Call) -> Answer:
    """Change a pixel."""
    call.find("pixels", call.id(), "Pixel")
    call.update("pixels", call.id(), call.body)
    return done("Pixel has been successfully updated.")


def delete_pixel(call: Call) -> Answer:
    """Delete a pixel."""
    call.remove("pixels", call.id(), "Pixel")
    return done("Pixel has been successfully deleted.")


ENDPOINTS = (
    Endpoint("GET", "/api/pixels", pixels),
    Endpoint(
        "POST",
        "/api/pixel/add",
        add_pixel,
        {"type": required(choice(*PIXEL_TYPES)), "name": required(text), "tag": required(text)},
    ),
    Endpoint(
        "PUT", "/api/pixel/{id:int}/update", update_pixel, {"name": optional(text), "tag": required(text)}
    ),
    Endpoint("DELETE", "/api/pixel/{id:int}/delete", delete_pixel),
)
