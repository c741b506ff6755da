"""The account (reference: Account). It is a row of the users."""

import sqlite3

from linkdash.demo.endpoint import Answer, Call, Endpoint, Refusal, done, email, found, optional, text

TABLES = ""


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


def get_account(call: Call) -> Answer:
    """The account."""
    return found(account(call.user))


def update_account(call: Call) -> Answer:
    """Change the e-mail. A password is checked and not kept: there is no sign-in with one."""
    if "email" in call.body:
        if call.taken("users", {"email": call.body["email"]}, call.user["id"]):
            raise Refusal(400, "This e-mail address is in use.")
        call.update("users", call.user["id"], {"email": call.body["email"]})
    return done("Account has been successfully updated.")


ENDPOINTS = (
    Endpoint("GET", "/api/account", get_account),
    Endpoint(
        "PUT",
        "/api/account/update",
        update_account,
        {"email": optional(email), "password": optional(text)},
    ),
)
