"""Search among all known records by name, id, address, tag or e-mail; no request is sent."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from typing import Any

from linkdash.api.fields import Field, Kind, fields_of
from linkdash.api.folded_text import folded
from linkdash.api.records import Record, Unreadable
from linkdash.api.resources.channels import Channel
from linkdash.api.slices import SLICE_SIZE, Slices, in_slices
from linkdash.model.declaration import AnyResource, declarations
from linkdash.model.humanize import shortened
from linkdash.model.lists.collections import Collections
from linkdash.model.lists.columns import value_of
from linkdash.model.lists.row_texts import RowTexts
from linkdash.model.resources.channels import ITEMS
from linkdash.model.resources.channels import RESOURCE as CHANNELS

_SEARCHED = frozenset({Kind.IDENTIFIER, Kind.TEXT, Kind.LINK, Kind.EMAIL})
_NOTE_CELLS = 40
_FEW = 3
"""Records of each resource that come before more of any."""


@dataclass(frozen=True)
class Found:
    """A record that was found, and what there is to say of it beside its name."""

    resource: AnyResource
    record: Record
    name: str
    note: str


class Finder:
    """A search among the records of every list that are loaded, or kept of an earlier run."""

    def __init__(self, collections: Collections) -> None:
        self._collections = collections
        self._texts: dict[str, RowTexts[Any]] = {}  # of one list after the other, each of its own record

    async def find(self, typed: str, most: int, *, only: str = "") -> tuple[list[Found], int]:
        """The best `most` records that hold every word typed, and how many there are.

        One that is called so comes first, then those with a word of their name that begins so, the likeliest
        resource first. The best few of each are among them before more of any. `only` is the id of the
        resource to look in, all where it is empty.
        """
        words = folded(typed).split()
        ranked: list[tuple[int, int, int, int, int, AnyResource]] = []
        count = 0
        by_turn = sorted(declarations(), key=lambda resource: resource.place.sought)
        for place, resource in enumerate(by_turn):
            if not words or resource.is_single or only not in ("", resource.id):
                continue
            texts = await self._texts_of(resource)
            found = await in_slices(_ranked(texts, resource, words))
            count += len(found)
            ranked += [
                (number // _FEW, _GRADES[rank], place, rank, index, resource)
                for number, (rank, index) in enumerate(nsmallest(most, found))
            ]
        chosen = sorted(ranked, key=lambda entry: entry[:5])[:most]
        chosen.sort(key=lambda entry: entry[1:5])
        rows = [(resource, self._texts[resource.id].rows[index]) for *_, index, resource in chosen]
        readable = [(resource, row) for resource, row in rows if not isinstance(row, Unreadable)]
        return [_found(resource, row, words, readable) for resource, row in readable], count

    async def _texts_of(self, resource: AnyResource) -> RowTexts[Any]:
        collection = self._collections.of(resource)
        await collection.recall()
        rows = collection.listing.loaded_rows()
        known = self._texts.get(resource.id)
        if known is None or known.rows is not rows:
            known = self._texts[resource.id] = RowTexts(rows, searched(resource))
        return known


def _ranked(
    searched: RowTexts[Any], resource: AnyResource, words: Sequence[str]
) -> Slices[list[tuple[int, int]]]:
    """Rank and position of every row that holds all words; the least rank is the best."""
    texts = yield from searched.all()
    found: list[tuple[int, int]] = []
    for start in range(0, len(texts), SLICE_SIZE):
        part = enumerate(texts[start : start + SLICE_SIZE], start)
        holding = [index for index, text in part if all(map(text.__contains__, words))]
        found += [(_rank(_name(searched.rows[index], resource), words), index) for index in holding]
        yield
    return found


def _name(row: Record | Unreadable, resource: AnyResource) -> str:
    value = None if isinstance(row, Unreadable) else value_of(row, resource.name_field)
    return folded(str(value or ""))


def _rank(name: str, words: Sequence[str]) -> int:
    if name == " ".join(words):
        return 0
    if name.startswith(words[0]):
        return 1
    if not all(word in name for word in words):
        return 4
    at = name.find(words[0])
    return 2 if not name[at - 1].isalnum() else 3


_GRADES = (0, 1, 1, 2, 3)
"""The grade of each rank; within one, the resource counts more than the rank."""


def searched(resource: AnyResource) -> tuple[Field, ...]:
    """The fields of a resource's records in which something is found: names, ids, addresses, tags."""
    model: type[Record] = resource.record
    return tuple(field for field in fields_of(model) if field.kind in _SEARCHED)


def _found(
    resource: AnyResource, record: Record, words: Sequence[str], among: Sequence[tuple[AnyResource, Record]]
) -> Found:
    name = resource.name_of(record) or f"{resource.singular} {record.id}"
    same = [one for kind, one in among if kind is resource and resource.name_of(one) == name]
    apart = [_apart(resource, record, same)] if len(same) > 1 else []
    facts = [resource.singular, *apart, *_facts(resource, record, name, words)]
    return Found(resource, record, name, " · ".join(facts))


def _apart(resource: AnyResource, record: Record, same: Sequence[Record]) -> str:
    """Return what tells a record from others of the same name: a text that each has another of, or its id."""
    for column in resource.columns:
        texts = [str(column.shown(one) or "") for one in same] if column.kind is Kind.TEXT else []
        if texts and all(texts) and len({*texts}) == len(same):
            return shortened(str(column.shown(record)), _NOTE_CELLS)
    return f"id {record.id}"


def _facts(resource: AnyResource, record: Record, name: str, words: Sequence[str]) -> Iterator[str]:
    """Return where the words stand that are not in the name; else the first number that is counted."""
    missing = [word for word in words if word not in folded(name)]
    for field in searched(resource) if missing else ():
        text = str(value_of(record, field.name) or "")
        if any(word in folded(text) for word in missing):
            yield f"{field.title.lower()} {shortened(text, _NOTE_CELLS)}"
            return
    for column in resource.columns if not missing else ():
        value = value_of(record, column.name)
        if column.kind is Kind.COUNT and isinstance(value, int):
            yield f"{value:,} {column.title.lower()}"
            return


async def channels_with(collections: Collections, code_id: int) -> list[Channel]:
    """The channels that a QR code is in, of those whose items are known; nothing is asked for it."""
    found = []
    for channel in await collections.of(CHANNELS).known_records():
        items = collections.of(ITEMS, channel.id)
        await items.recall()
        if any(item.type == "qr" and item.id == code_id for item in items.records):
            found.append(channel)
    return found


def spans(text: str, words: Sequence[str]) -> list[tuple[int, int]] | None:
    """Return where each of some words, which are folded, stands in a text; None unless all of them do."""
    plain = folded(text)
    found = [(plain.find(word), len(word)) for word in words]
    if any(at < 0 for at, _ in found):
        return None
    return [(at, at + length) for at, length in sorted(found)] if len(plain) == len(text) else []
