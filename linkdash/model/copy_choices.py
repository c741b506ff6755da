"""Copies of a record: its id, its links, its members, its row."""

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from string import ascii_letters
from urllib.parse import quote

from linkdash.api.fields import NOT_IN_A_TEXT, Field, Kind, fields_of
from linkdash.api.inert_text import inert, marked
from linkdash.api.records import Record, as_sent
from linkdash.model.raw_answer import json_of


@dataclass(frozen=True)
class PickerChoice:
    """Something to choose: what it is called, and what it would give."""

    label: str
    value: str
    key: str = ""
    """The letter that chooses it; "" for none."""
    sample: str = ""
    """The part of it to be shown in a line, where that is not its beginning."""

    @property
    def in_a_line(self) -> str:
        """Return as much of it as tells it from others."""
        return self.sample or self.value


LETTERS = frozenset(ascii_letters) - {"q"}
"""The keys that can choose something: q goes back."""
MOVING = frozenset("jkgG")
"""Letters that move in lists: where many things are lettered, none of them has one of these."""


def with_keys(choices: Sequence[PickerChoice], *, others: Set[str] = frozenset()) -> list[PickerChoice]:
    """The same choices, each with a key: its own, else the first letter of its label that is free.

    `others` are for something else.
    """
    taken = {choice.key for choice in choices} | others
    found = []
    for choice in choices:
        free = (letter for letter in choice.label.lower() if letter in LETTERS - taken)
        found.append(choice if choice.key else replace(choice, key=next(free, "")))
        taken.add(found[-1].key)
    return found


def copies(record: Record) -> list[PickerChoice]:
    """Return the copies of a record: each field that has something, the whole row, and its JSON."""
    fields = [field for field in fields_of(type(record)) if field.kind not in NOT_IN_A_TEXT]
    values = [(field.title, member_text(record, field)) for field in fields]
    row = "\t".join(inert(value) for _, value in values)  # a tab or a line end is a cell's end
    json = json_of(record.raw)
    return [
        *(PickerChoice(title, value) for title, value in values if value),
        PickerChoice("Row", row),
        PickerChoice("JSON", json, sample=" ".join(line.strip() for line in json.splitlines())),
    ]


def links(record: Record) -> list[PickerChoice]:
    """The web addresses in a record; anything else is not offered to a browser."""
    found = [
        (field.title, member_text(record, field))
        for field in fields_of(type(record))
        if field.kind is Kind.LINK
    ]
    return [
        PickerChoice(title, _openable(link))
        for title, link in found
        if link.startswith(("http://", "https://"))
    ]


def _openable(link: str) -> str:
    """An address with what is not printable as a browser sends it: in percent signs."""
    return "".join(
        letter if letter == mark else quote(letter, safe="", errors="replace")
        for letter, mark in zip(link, marked(link), strict=True)
    )


def member_text(record: Record, field: Field) -> str:
    """The text of a member as it was sent."""
    sent = as_sent(record)
    value: object = sent.odd.get(field.name) or getattr(sent, field.name)
    if field.name in record.estimated:
        return ""
    return "" if value is None else str(value)
