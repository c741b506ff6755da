"""Records in lines that tell those apart which are called alike. Pure."""

from collections.abc import Sequence
from typing import TypeVar

from rich.cells import cell_len

from linkdash.api.records import Record
from linkdash.model.declaration import Resource
from linkdash.model.humanize import shortened
from linkdash.model.lists.rows import MappedSequence

T = TypeVar("T", bound=Record)

_MOST = 500  # records that are all looked at
_MOST_CELLS = 36  # of a value
_GAP = "  "


def told_apart(resource: Resource[T], records: Sequence[T], room: int) -> Sequence[str]:
    """Lines of records: what each is called, then the texts of its row in columns, as far as there is room.

    Of very many each is only what it is called, and looked at when its line is.
    """
    if len(records) > _MOST:
        return MappedSequence(resource.called, records)
    lines = [resource.called(record) for record in records]
    for column in resource.columns:
        shown = [column.shown(record) for record in records]
        texts = [shortened(one, _MOST_CELLS) if isinstance(one, str) else "" for one in shown]
        if column.name == resource.name_field or len({*texts}) == 1:
            continue
        widest = max(map(cell_len, lines))
        if widest + len(_GAP) + max(map(cell_len, texts)) > room:
            break
        lines = [
            line + " " * (widest - cell_len(line)) + _GAP + text
            for line, text in zip(lines, texts, strict=True)
        ]
    return [line.rstrip() for line in lines]
