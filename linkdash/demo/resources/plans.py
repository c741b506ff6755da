"""The plans that admins subscribe users to (reference: Plans)."""

import json
import sqlite3

from linkdash.demo.endpoint import (
    Answer,
    Call,
    Endpoint,
    choice,
    done,
    listed,
    moment,
    months_later,
    optional,
    required,
    stamp,
)

TABLES = """
CREATE TABLE plans (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, monthly REAL, yearly REAL, lifetime REAL,
    limits TEXT NOT NULL);
"""

FREE = 1
ENTERPRISE = 4

PLAIN_FEATURES = ("custom", "multiple", "alias", "device", "geo", "bundle", "parameters", "export", "api")
COUNTED_FEATURES = ("team", "splash", "overlay", "pixels", "domain")


def _limits(links: int, clicks: int, retention: int, enabled: str, counts: str) -> str:
    """The plan's limits as stored JSON: `enabled` lists features, `counts` one number a counted feature."""
    features: dict[str, object] = {
        name: {"enabled": "1" if name in enabled.split() else "0"} for name in PLAIN_FEATURES
    }
    for name, count in zip(COUNTED_FEATURES, counts.split(), strict=True):
        features[name] = {"enabled": "0" if count == "0" else "1", "count": count}
    return json.dumps({"links": links, "clicks": clicks, "retention": retention, **features})


EVERYTHING = " ".join(PLAIN_FEATURES)

PLANS = (
    (FREE, "Starter", None, None, None, _limits(50, 1_000, 14, "api", "0 0 0 1 0")),
    (2, "Pro", 9.0, 90.0, 249.0, _limits(1_000, 50_000, 90, "custom alias device geo api", "0 2 2 5 1")),
    (3, "Business", 29.5, 295.0, 799.0, _limits(10_000, 500_000, 365, EVERYTHING, "5 10 10 25 5")),
    (ENTERPRISE, "Enterprise", 99.0, 990.0, 2490.0, _limits(0, 0, 0, EVERYTHING, "50 100 100 250 50")),
)

MONTHS = {"monthly": 1, "yearly": 12, "lifetime": 1200}
"""The length of each subscription type; a lifetime is a hundred years."""


def plan_record(row: sqlite3.Row) -> Answer:
    """A plan as listed."""
    free = row["monthly"] is None
    prices = None if free else {name: row[name] for name in MONTHS}
    return {
        "id": row["id"],
        "name": row["name"],
        "free": free,
        "prices": prices,
        "limits": json.loads(row["limits"]),
    }


def plans(call: Call) -> Answer:
    """All plans."""
    return listed([plan_record(row) for row in call.db.execute("SELECT * FROM plans ORDER BY id")])


def membership(plan: sqlite3.Row, term: str, now: float, expiration: object) -> dict[str, object]:
    """The columns of a user on a plan: until the expiration, else for a term from now; free never ends."""
    if plan["monthly"] is None:
        return {"planid": plan["id"], "expires": None, "class": "free"}
    expires = expiration or stamp(months_later(now, MONTHS[term]))
    return {"planid": plan["id"], "expires": expires, "class": "pro"}


def subscribe(call: Call) -> Answer:
    """Put a user on a plan. An admin stays an admin."""
    plan = call.find("plans", call.id("planid"), "Plan")
    user = call.find("users", call.id("userid"), "User")
    values = membership(plan, str(call.body["type"]), call.now, call.body.get("expiration"))
    if user["class"] == "admin":
        values["class"] = "admin"
    call.update("users", user["id"], values)
    return done(f"User has been successfully subscribed to {plan['name']}.")


ENDPOINTS = (
    Endpoint("GET", "/api/plans", plans, admin=True),
    Endpoint(
        "PUT",
        "/api/plan/{planid:int}/user/{userid:int}",
        subscribe,
        {"type": required(choice(*MONTHS)), "expiration": optional(moment)},
        admin=True,
    ),
)
