"""Tracking pixels (reference: Pixels)."""

from linkdash.demo.endpoint import Answer, Call, Endpoint, Refusal, created, done, paged
from linkdash.demo.spelling import stamp
from linkdash.demo.validation import choice, optional, required, text

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
    """Create a pixel; a vendor's tag can be there once."""
    _check_tag(call, call.body["type"], 0)
    return created(call.insert("pixels", {**call.body, "date": stamp(call.now)}))


def update(call: Call) -> Answer:
    """Change a pixel."""
    pixel = call.find("pixels", call.id(), "Pixel")
    _check_tag(call, pixel["type"], pixel["id"])
    call.update("pixels", call.id(), call.body)
    return done("Pixel has been successfully updated.")


def _check_tag(call: Call, kind: object, pixel_id: int) -> None:
    if call.taken("pixels", {"type": kind, "tag": call.body["tag"]}, pixel_id):
        raise Refusal(400, f"A pixel of the type {kind} with this tag exists already.")


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
