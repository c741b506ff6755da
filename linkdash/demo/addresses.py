"""The addresses the service hands out, all in a reserved domain."""

import hashlib

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
