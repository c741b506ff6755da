"""The one form in which letters are compared: what looks the same, in any case, is the same."""

import unicodedata


def folded(text: str) -> str:
    """`text` without regard to case, and to how its letters are put together."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).casefold())
