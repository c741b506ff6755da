"""Users (reference: Users)."""

import sqlite3

from linkdash.demo.endpoint import (
    Answer,
    Call,
    Endpoint,
    Refusal,
    avatar,
    done,
    email,
    found,
    integer,
    listed,
    moment,
    new_api_key,
    new_password,
    optional,
    required,
    stamp,
    username,
)
from linkdash.demo.resources.account import account
from linkdash.demo.resources.plans import FREE, membership

TABLES = """
CREATE TABLE users (
    id INTEGER PRIMARY KEY AUTOINCREMENT, email TEXT NOT NULL UNIQUE, username TEXT NOT NULL UNIQUE,
    avatar TEXT NOT NULL, class TEXT NOT NULL, expires TEXT, registered TEXT NOT NULL,
    planid INTEGER NOT NULL REFERENCES plans, apikey TEXT NOT NULL UNIQUE);
"""

CLASSES = ("admin", "free", "pro")


def user_record(row: sqlite3.Row) -> Answer:
    """A user as an admin sees it."""
    return {**account(row), "planid": row["planid"], "apikey": row["apikey"]}


def list_users(call: Call) -> Answer:
    """All users, or those of one class, in one array."""
    wanted = call.query.get("filter")
    if wanted is not None and wanted not in CLASSES:
        raise Refusal(400, f"filter must be one of {', '.join(CLASSES)}.")
    query = "SELECT * FROM users WHERE ? IS NULL OR class = ? ORDER BY id"
    return listed([user_record(row) for row in call.db.execute(query, (wanted, wanted))])


def get_user(call: Call) -> Answer:
    """Return one user."""
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


ENDPOINTS = (
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
)
