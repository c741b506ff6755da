"""Secrets in data of any shape, masked before it is shown, stored or written to a file."""

from collections.abc import Mapping

MASK = "\N{BULLET}" * 8
"""What stands where a secret was; its length says nothing of the secret's."""

_SECRET_ENDINGS = ("apikey", "password", "passphrase", "token", "secret", "authorization")


def is_secret(member: str) -> bool:
    """Whether a member of this name holds a secret, in a request or an answer: `api_key`, `newPassword`."""
    letters = "".join(character for character in member.lower() if character.isalnum())
    return letters.endswith(_SECRET_ENDINGS)


def masked(data: object) -> object:
    """A copy of JSON-like `data` with every secret replaced by `MASK`; absent secrets stay absent."""
    if isinstance(data, Mapping):
        return {
            name: MASK if is_secret(str(name)) and value not in (None, "") else masked(value)
            for name, value in data.items()
        }
    if isinstance(data, list | tuple):
        return [masked(item) for item in data]
    return data
