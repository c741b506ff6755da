"""How the service spells what it hands out: date-times, addresses in reserved domains, and keys."""

import calendar
import hashlib
import secrets
from datetime import UTC, datetime

# ---- date-times: `YYYY-MM-DD HH:MM:SS`, in UTC (reference: Conventions) ----

FORMAT = "%Y-%m-%d %H:%M:%S"


def stamp(epoch: float) -> str:
    """The epoch seconds as the service spells them."""
    return datetime.fromtimestamp(epoch, UTC).strftime(FORMAT)


def epoch(text: str) -> float:
    """The epoch seconds of a date-time as the service spells it; ValueError when it is none."""
    if len(text) != len("YYYY-MM-DD HH:MM:SS"):
        raise ValueError(text)
    return datetime.strptime(text, FORMAT).replace(tzinfo=UTC).timestamp()


def months_later(start: float, months: int) -> float:
    """The same day and time some months on, or the last day of a shorter month."""
    moment = datetime.fromtimestamp(start, UTC)
    year, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
    day = min(moment.day, calendar.monthrange(year, month + 1)[1])
    return moment.replace(year=year, month=month + 1, day=day).timestamp()


# ---- addresses ----

PUBLIC = "https://lnk.example"


def landing(kind: str, number: int) -> str:
    """Where a short link, a bio page or a QR code leads; kind is `s`, `b` or `qr`."""
    code = hashlib.sha256(f"{kind}:{number}".encode()).hexdigest()
    return f"{PUBLIC}/{kind}/{code[:7]}"


def preview(kind: str, number: int) -> str:
    """A picture of a channel item."""
    return f"{PUBLIC}/preview/{kind}-{number}.png"


def rotator(slug: str) -> str:
    """The rotator of a campaign."""
    return f"{PUBLIC}/r/{slug}"


def link_list(campaign_id: int) -> str:
    """The public list of a campaign's links."""
    return f"{PUBLIC}/list/{campaign_id}"


def avatar(user_id: int) -> str:
    """A user's picture."""
    return f"https://avatars.example/{user_id}.png"


# ---- keys, one a user, made at registration (reference: Authentication) ----

ADMIN_ID = 1
PLAIN_ID = 2
"""The two users whose keys are handed out."""


KINDS = {ADMIN_ID: "admin", PLAIN_ID: "user"}


def new_api_key(user_id: int = 0) -> str:
    """A key that nobody can guess."""
    return f"demo-{KINDS.get(user_id, 'key')}-{secrets.token_hex(12)}"
