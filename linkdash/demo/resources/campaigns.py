"""Campaigns (reference: Campaigns)."""

import sqlite3

from linkdash.demo.endpoint import (
    Answer,
    Call,
    Endpoint,
    Refusal,
    boolean,
    created,
    done,
    link_list,
    optional,
    or_empty,
    paged,
    required,
    rotator,
    slug,
    text,
)

TABLES = """
CREATE TABLE campaigns (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, slug TEXT NOT NULL DEFAULT '',
    public INTEGER NOT NULL DEFAULT 0);
CREATE TABLE links (
    id INTEGER PRIMARY KEY, title TEXT NOT NULL, link TEXT NOT NULL, date TEXT NOT NULL,
    campaign_id INTEGER REFERENCES campaigns ON DELETE SET NULL);
"""


def record(row: sqlite3.Row, name_key: str) -> Answer:
    """A campaign with its name under the given key."""
    return {
        "id": row["id"],
        name_key: row["name"],
        "public": bool(row["public"]),
        "rotator": rotator(row["slug"]) if row["slug"] else False,
        "list": link_list(row["id"]),
    }


def listed_record(row: sqlite3.Row) -> Answer:
    """A list item; every third has its name under `domain`, as the reference warns."""
    return record(row, "domain" if row["id"] % 3 == 0 else "name")


def index(call: Call) -> Answer:
    """Return a page of campaigns."""
    return paged(call, "campaigns", "campaigns", listed_record)


def add(call: Call) -> Answer:
    """Create a campaign; it has a rotator when it is given a slug."""
    _check_slug(call, 0)
    return _written(call, call.insert("campaigns", {"name": "Untitled campaign", **call.body}))


def update(call: Call) -> Answer:
    """Change a campaign."""
    call.find("campaigns", call.id(), "Campaign")
    _check_slug(call, call.id())
    call.update("campaigns", call.id(), call.body)
    return _written(call, call.id())


def _check_slug(call: Call, campaign_id: int) -> None:
    wanted = call.body.get("slug")
    if wanted and call.taken("campaigns", {"slug": wanted}, campaign_id):
        raise Refusal(400, f"The slug {wanted} is already in use.")


def _written(call: Call, campaign_id: int) -> Answer:
    answer = record(call.find("campaigns", campaign_id, "Campaign"), "domain")
    del answer["id"]
    return created(campaign_id, **answer)


def assign(call: Call) -> Answer:
    """Put a short link into a campaign; it leaves the one it was in."""
    call.find("campaigns", call.id("campaignid"), "Campaign")
    call.find("links", call.id("linkid"), "Link")
    call.update("links", call.id("linkid"), {"campaign_id": call.id("campaignid")})
    return done("Link has been successfully assigned to the campaign.")


def delete(call: Call) -> Answer:
    """Delete a campaign; its links stay."""
    call.remove("campaigns", call.id(), "Campaign")
    return done("Campaign has been successfully deleted.")


DETAILS = {"slug": optional(or_empty(slug)), "public": optional(boolean)}

ENDPOINTS = (
    Endpoint("GET", "/api/campaigns", index),
    Endpoint("POST", "/api/campaign/add", add, {"name": optional(text), **DETAILS}),
    Endpoint("POST", "/api/campaign/{campaignid:int}/assign/{linkid:int}", assign),
    Endpoint("PUT", "/api/campaign/{id:int}/update", update, {"name": required(text), **DETAILS}),
    Endpoint("DELETE", "/api/campaign/{id:int}/delete", delete),
)
