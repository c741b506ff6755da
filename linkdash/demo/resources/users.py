"""The account, users, and the plans that admins subscribe them to (reference: Account, Users, Plans)."""

import json
import sqlite3

from linkdash.demo.endpoint import (
    Answer,
    Call,
    Endpoint,
    Refusal,
    avatar,
    choice,
    done,
    email,
    found,
    integer,
    listed,
    moment,
    months_later,
    new_api_key,
    new_password,
    optional,
    required,
    stamp,
    text,
    username,
)

TABLES = """
CREATE TABLE plans (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, monthly REAL, yearly REAL, lifetime REAL,
    limits TEXT NOT NULL);
CREATE TABLE users (
    id INTEGER PRIMARY KEY AUTOINCREMENT, email TEXT NOT NULL UNIQUE, username TEXT NOT NULL UNIQUE,
    avatar TEXT NOT NULL, class TEXT NOT NULL, expires TEXT, registered TEXT NOT NULL,
    planid INTEGER NOT NULL REFERENCES plans, apikey TEXT NOT NULL UNIQUE);
"""

# ---- the account and users ----

CLASSES = ("admin", "free", "pro")


def account(row: sqlite3.Row) -> Answer:
    """A user as the account shows it. The status of an admin is pro: admin is a class, not a status."""
    return {
        "id": row["id"],
        "email": row["email"],
        "username": row["username"],
        "avatar": row["avatar"],
        "status": "free" if row["class"] == "free" else "pro",
        "expires": row["expires"],
        "registered": row["registered"],
    }


def user_record(row: sqlite3.Row) -> Answer:
    """A user as an admin sees it."""
    return {**account(row), "planid": row["planid"], "apikey": row["apikey"]}


def list_users(call: Call) -> Answer:
    """All users, or those of one class, in one array."""
    wanted = call.query.get("filter")
    if wanted is not None and wanted not in CLASSES:
        raise Refusal(400, f"filter must be one of {', '.join(CLASSES)}.")
    query = "SELECT * FROM users WHERE ?1 IS NULL OR class = ?1 ORDER BY id"
    return listed([user_record(row) for row in call.db.execute(query, (wanted,))])


def get_user(call: Call) -> Answer:
    """One user."""
    return found(user_record(call.find("users", call.id(), "User")))


def add_user(call: Call) -> Answer:
    """Create a user: free, or on a premium plan until the expiration (without one, for a month)."""
    for name in ("username", "email"):
        if call.taken("users", {name: call.body[name]}):
            raise Refusal(400, f"This {name} is in use.")
    user_id = call.insert("users", {**_new_user(call), **_new_membership(call)})
    call.update("users", user_id, {"avatar": avatar(user_id)})
    data = {"id": user_id, "email": call.body["email"], "username": call.body["username"]}
    return {**done("User has been successfully created."), "data": data}


def _new_user(call: Call) -> dict[str, object]:
    return {
        "email": call.body["email"],
        "username": call.body["username"],
        "avatar": "",
        "registered": stamp(call.now),
        "apikey": new_api_key(),
    }


def _new_membership(call: Call) -> dict[str, object]:
    plan_id = call.body.get("planid")
    if not isinstance(plan_id, int):
        return {"class": "free", "planid": FREE, "expires": None}
    plan = call.find("plans", plan_id, "Plan")
    if plan["monthly"] is None:
        raise Refusal(400, f"planid must be a premium plan; {plan['name']} is free.")
    return membership(plan, "monthly", call.now, call.body.get("expiration"))


def delete_user(call: Call) -> Answer:
    """Delete a user, whose key stops working; not the one who asks."""
    if call.id() == call.user["id"]:
        raise Refusal(400, "You cannot delete your own account.")
    call.remove("users", call.id(), "User")
    return done("User has been successfully deleted.")


def get_account(call: Call) -> Answer:
    """The account."""
    return found(account(call.user))


def update_account(call: Call) -> Answer:
    """Change the e-mail. A password is checked and not kept: nobody signs in here with one."""
    if "email" in call.body:
        if call.taken("users", {"email": call.body["email"]}, call.user["id"]):
            raise Refusal(400, "This e-mail address is in use.")
        call.update("users", call.user["id"], {"email": call.body["email"]})
    return done("Account has been successfully updated.")


# ---- plans ----

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
"""How long each subscription type lasts; a lifetime is a hundred years."""


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
    Endpoint("GET", "/api/account", get_account),
    Endpoint(
        "PUT",
        "/api/account/update",
        update_account,
        {"email": optional(email), "password": optional(text)},
    ),
    Endpoint("GET", "/api/users", list_users, admin=True),
    Endpoint("GET", "/api/user/{id:int}", get_user, admin=True),
    Endpoint(
        "POST",
        "/api/user/add",
        add_user,
        {
            "username": required(username),
            "email": required(email),
            "password": required(new_password),
            "planid": optional(integer),
            "expiration": optional(moment),
        },
        admin=True,
    ),
    Endpoint("DELETE", "/api/user/{id:int}/delete", delete_user, admin=True),
    Endpoint("GET", "/api/plans", plans, admin=True),
    Endpoint(
        "PUT",
        "/api/plan/{planid:int}/user/{userid:int}",
        subscribe,
        {"type": required(choice(*MONTHS)), "expiration": optional(moment)},
        admin=True,
    ),
)
