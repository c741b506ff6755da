"""Copying from a list: parts of a record, and the commands that show it and that list what is shown."""

import asyncio
from itertools import takewhile
from typing import TypeVar

from linkdash.api.records import Record
from linkdash.model.as_command import list_commands, record_commands
from linkdash.model.copy_choices import PickerChoice, copies
from linkdash.model.declaration import declaration
from linkdash.model.lists.order import Orders
from linkdash.model.raw_answer import is_large
from linkdash.screens.lists import record_actions
from linkdash.screens.lists.record_list import RecordList

T = TypeVar("T", bound=Record)


async def copy_from(records: RecordList[T]) -> None:
    """Ask what is to be copied from a list and the record under its cursor, and copy it."""
    screen, row = records.screen, records.row
    choices = await _choices(records, row)
    if choices:
        whence = records.resource.title if row is None else records.resource.title_of(row)
        await record_actions.copy_one(screen, f"Copy from {whence}", choices)
    else:
        screen.warn("There is nothing to copy.")


async def _choices(records: RecordList[T], row: T | None) -> list[PickerChoice]:
    resource, collection = records.resource, records.collection
    base_url = records.screen.session.settings.base_url
    listed = collection.source.request(collection.listing.current, collection.page_size)
    choices = list[PickerChoice]()
    if row is not None:
        choices += copies(row) if not is_large(row.raw) else await asyncio.to_thread(copies, row)
    if row is not None and declaration(resource.id) is resource:
        choices += await record_commands(base_url, resource.id, row.id)
    if not collection.part and not resource.is_single:
        orders = _told_orders(records)
        choices += list_commands(base_url, resource.id, listed, collection.arrangement.text, orders)
    return choices


def _told_orders(records: RecordList[T]) -> Orders:
    """The orders up to the first one by a column that no command knows."""
    known = {column.name for column in records.resource.columns}
    return [*takewhile(lambda order: order[0] in known, records.collection.arrangement.orders)]
