"""Channels and their items (reference: Channels)."""

import sqlite3

from linkdash.demo.endpoint import (
    Answer,
    Call,
    Endpoint,
    Refusal,
    boolean,
    created,
    done,
    free_text,
    hex_colour,
    optional,
    paged,
    preview,
    required,
    text,
)

TABLES = """
CREATE TABLE channels (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, description TEXT NOT NULL DEFAULT '',
    color TEXT NOT NULL DEFAULT '#000000', starred INTEGER NOT NULL DEFAULT 0);
CREATE TABLE bios (id INTEGER PRIMARY KEY, title TEXT NOT NULL, link TEXT NOT NULL, date TEXT NOT NULL);
CREATE TABLE channel_items (
    channel_id INTEGER NOT NULL REFERENCES channels ON DELETE CASCADE,
    type TEXT NOT NULL, item_id INTEGER NOT NULL,
    PRIMARY KEY (channel_id, type, item_id));
CREATE VIEW items AS
    SELECT 'links' AS type, id, title, link, date FROM links
    UNION ALL SELECT 'bio', id, title, link, date FROM bios
    UNION ALL SELECT 'qr', id, name, link, date FROM qrs;
CREATE VIEW assigned AS
    SELECT channel_id, items.* FROM channel_items JOIN items
    ON items.type = channel_items.type AND items.id = channel_items.item_id;
"""

ITEM_TABLES = {"links": "links", "bio": "bios", "qr": "qrs"}
"""The tables of the items of each type."""


def record(row: sqlite3.Row) -> Answer:
    """A channel as listed and as created."""
    return {**dict(row), "starred": bool(row["starred"])}


def item(row: sqlite3.Row) -> Answer:
    """A channel item; its date has no time."""
    return {
        "type": row["type"],
        "id": row["id"],
        "title": row["title"],
        "preview": preview(row["type"], row["id"]),
        "link": row["link"],
        "date": row["date"][:10],
    }


def index(call: Call) -> Answer:
    """Return a page of channels."""
    return paged(call, "channels", "channels", record)


def items(call: Call) -> Answer:
    """Return a page of a channel's items."""
    channel = call.find("channels", call.id(), "Channel")
    order = "date DESC, type, id"
    return paged(
        call, "items", "assigned", item, where="channel_id = ?", params=(channel["id"],), order=order
    )


def add(call: Call) -> Answer:
    """Create a channel."""
    channel_id = call.insert("channels", call.body)
    answer = record(call.find("channels", channel_id, "Channel"))
    del answer["id"]
    return created(channel_id, **answer)


def assign(call: Call) -> Answer:
    """Put an item into a channel; one that is there already stays."""
    kind = str(call.path["type"])
    if kind not in ITEM_TABLES:
        raise Refusal(400, "type must be one of links, bio, qr.")
    channel = call.find("channels", call.id("channelid"), "Channel")
    found = call.find(ITEM_TABLES[kind], call.id("itemid"), f"Item {kind}")
    call.db.execute(
        "INSERT OR IGNORE INTO channel_items VALUES (?, ?, ?)", (channel["id"], kind, found["id"])
    )
    return done("Item has been successfully assigned to the channel.")


def update(call: Call) -> Answer:
    """Change a channel."""
    call.find("channels", call.id(), "Channel")
    call.update("channels", call.id(), call.body)
    return done("Channel has been successfully updated.")


def delete(call: Call) -> Answer:
    """Delete a channel; the database unassigns its items."""
    call.remove("channels", call.id(), "Channel")
    return done("Channel has been successfully deleted.")


DETAILS = {"description": optional(free_text), "color": optional(hex_colour), "starred": optional(boolean)}

ENDPOINTS = (
    Endpoint("GET", "/api/channels", index),
    Endpoint("GET", "/api/channel/{id:int}", items),
    Endpoint("POST", "/api/channel/add", add, {"name": required(text), **DETAILS}),
    Endpoint("POST", "/api/channel/{channelid:int}/assign/{type}/{itemid:int}", assign),
    Endpoint("PUT", "/api/channel/{id:int}/update", update, {"name": optional(text), **DETAILS}),
    Endpoint("DELETE", "/api/channel/{id:int}/delete", delete),
)
