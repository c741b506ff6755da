"""The account of the key's owner (reference: Account)."""

from linkdash.demo import records
from linkdash.demo.answers import Answer, Refusal, done, found
from linkdash.demo.endpoint import Call, Endpoint
from linkdash.demo.resources.users import account
from linkdash.demo.validation import email, optional, password


def get(call: Call) -> Answer:
    """The account."""
    return found(account(call.user))


def update(call: Call) -> Answer:
    """Change the e-mail. A password is checked and not kept: nobody signs in here with one."""
    if "email" in call.body:
        if records.taken(call.db, "users", {"email": call.body["email"]}, call.user["id"]):
            raise Refusal(400, "This e-mail address is in use.")
        records.update(call.db, "users", call.user["id"], {"email": call.body["email"]})
    return done("Account has been successfully updated.")


ENDPOINTS = (
    Endpoint("GET", "/api/account", get),
    Endpoint(
        "PUT", "/api/account/update", update, {"email": optional(email), "password": optional(password)}
    ),
)
