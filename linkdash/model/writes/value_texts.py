"""Values of members as texts: as the user types them, and as words. Pure."""

from datetime import datetime

from pydantic import SecretStr

from linkdash.api.fields import write_moment

ON, OFF = "true", "false"
"""The texts of a flag; "" is an untouched one."""


def text_of(value: object) -> str:
    """A value as the user would type it; nothing for None."""
    if value is None or isinstance(value, SecretStr):
        return ""
    if isinstance(value, bool):
        return ON if value else OFF
    return write_moment(value) if isinstance(value, datetime) else str(value)


def flag_word(text: str) -> str:
    """The text of a flag in words."""
    return "yes" if text == ON else "no"
