"""The API keys, one a user, made at registration (reference: Authentication)."""

import hashlib
import secrets

ADMIN_ID = 1
PLAIN_ID = 2
KINDS = {ADMIN_ID: "admin", PLAIN_ID: "user"}
"""The two users whose keys are handed out."""


def api_key(seed: int, user_id: int) -> str:
    """The key of a user who is there from the start: the same for the same seed."""
    digest = hashlib.sha256(f"{seed}:{user_id}".encode()).hexdigest()
    return f"demo-{KINDS.get(user_id, 'key')}-{digest[:24]}"


def new_api_key() -> str:
    """The key of a user who registers while the service runs."""
    return f"demo-key-{secrets.token_hex(12)}"
