"""Paged lists (reference: Paged list envelope, Paged list endpoints). The newest record comes first."""

import sqlite3
from collections.abc import Callable

from linkdash.demo.answers import Answer, Refusal, listed
from linkdash.demo.endpoint import Call


def paged(
    call: Call,
    collection: str,
    table: str,
    record: Callable[[sqlite3.Row], Answer],
    *,
    where: str = "1",
    params: tuple[object, ...] = (),
    order: str = "id DESC",
) -> Answer:
    """One page of a table under its collection key. A `limit` above the cap is capped; `perpage` tells."""
    perpage = min(_positive(call, "limit", call.settings.perpage), call.settings.page_cap)
    page = _positive(call, "page", 1)
    (result,) = call.db.execute(f"SELECT COUNT(*) FROM {table} WHERE {where}", params).fetchone()
    maxpage = -(-result // perpage)
    rows: list[sqlite3.Row] = []
    if page <= maxpage:
        query = f"SELECT * FROM {table} WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?"
        rows = call.db.execute(query, (*params, perpage, (page - 1) * perpage)).fetchall()
    envelope = {
        "result": result,
        "perpage": perpage,
        "currentpage": page,
        "nextpage": min(page + 1, maxpage),
        "maxpage": maxpage,
    }
    return listed({**envelope, collection: [record(row) for row in rows]})


def _positive(call: Call, name: str, default: int) -> int:
    text = call.query.get(name)
    if text is None:
        return default
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise Refusal(400, f"{name} must be an integer of 1 or more.")
    return number
