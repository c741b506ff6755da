"""Plans and subscriptions, for admins (reference: Plans)."""

import json
import sqlite3

from linkdash.demo import moments, records
from linkdash.demo.answers import Answer, done, listed
from linkdash.demo.endpoint import Call, Endpoint
from linkdash.demo.validation import choice, moment, optional, required

MONTHS = {"monthly": 1, "yearly": 12, "lifetime": 1200}
"""How long each subscription type lasts; a lifetime is a hundred years."""


def record(row: sqlite3.Row) -> Answer:
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


def index(call: Call) -> Answer:
    """All plans."""
    return listed([record(row) for row in call.db.execute("SELECT * FROM plans ORDER BY id")])


def membership(plan: sqlite3.Row, term: str, now: float, expiration: object) -> dict[str, object]:
    """The columns of a user on a plan: until the expiration, else for a term from now; free never ends."""
    if plan["monthly"] is None:
        return {"planid": plan["id"], "expires": None, "class": "free"}
    expires = expiration or moments.stamp(moments.months_later(now, MONTHS[term]))
    return {"planid": plan["id"], "expires": expires, "class": "pro"}


def subscribe(call: Call) -> Answer:
    """Put a user on a plan. An admin stays an admin."""
    plan = records.find(call.db, "plans", call.id("planid"), "Plan")
    user = records.find(call.db, "users", call.id("userid"), "User")
    values = membership(plan, str(call.body["type"]), call.now, call.body.get("expiration"))
    if user["class"] == "admin":
        values["class"] = "admin"
    records.update(call.db, "users", user["id"], values)
    return done(f"User has been successfully subscribed to {plan['name']}.")


ENDPOINTS = (
    Endpoint("GET", "/api/plans", index, admin=True),
    Endpoint(
        "PUT",
        "/api/plan/{planid:int}/user/{userid:int}",
        subscribe,
        {"type": required(choice(*MONTHS)), "expiration": optional(moment)},
        admin=True,
    ),
)
