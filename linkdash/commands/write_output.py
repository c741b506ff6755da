"""Outcomes of writes on standard output, as JSON; how many ended; and what a dry run shows."""

import argparse
from collections.abc import Sequence

from linkdash.api.fields import identifier_in
from linkdash.api.http.secrecy import masked
from linkdash.commands.failures import form_of, is_for_program, tell_failure, tell_members
from linkdash.commands.output import write_members, write_rows
from linkdash.commands.standard_streams import say, tell, tell_error
from linkdash.model.as_command import request_for
from linkdash.model.json_text import json_line
from linkdash.model.writes.one_write import WriteResult
from linkdash.model.writes.write_words import summary_of
from linkdash.store.journal_entry import Outcome, WriteIntent

_CODES = {
    Outcome.NOT_SENT: "not_sent",
    Outcome.REJECTED: "rejected",
    Outcome.UNKNOWN: "outcome_unknown",
}
"""The same codes as those of single failures."""


def outcome_form(flags: argparse.Namespace) -> str:
    """The format of outcomes: lines of JSON where nothing else is asked for."""
    return form_of(flags) or "jsonl"


def put_result(result: WriteResult, flags: argparse.Namespace) -> None:
    """Write the outcome of a single write, and why it failed."""
    write_members(outcome_line(result), outcome_form(flags))
    if result.error is not None:
        tell_failure(result.error, flags)
    if result.outcome is Outcome.UNKNOWN and not is_for_program(flags):
        tell_error("linkdash journal --check checks whether it happened.")


def outcome_line(result: WriteResult) -> dict[str, object]:
    """Return the outcome of a write, as a line of JSON lines; with the id of a record that was created.

    The answer of the service stands in it whole, secrets masked.
    """
    line: dict[str, object] = {"outcome": result.outcome.value, "what": summary_of(result.intent)}
    if result.intent.action == "create" and (id := identifier_in(result.answer)) is not None:
        line["id"] = id
    if result.error is not None:
        line["message"] = str(result.error)
    if result.answer:
        line["answer"] = masked(result.answer)
    return line


def tell_end_of_many(
    outcome: Outcome, status: int, message: str, advice: str, flags: argparse.Namespace
) -> None:
    """Say how many writes ended: `outcome` is the worst of them, `status` the exit status that it is."""
    if not status:
        tell(message)
    elif is_for_program(flags):
        retriable = outcome is Outcome.NOT_SENT
        members = {"code": _CODES[outcome], "message": message, "advice": advice, "retriable": retriable}
        tell_members({**members, "status": status})
    else:
        for line in filter(None, (message, advice)):
            tell_error(line)


async def show(wanted: Sequence[WriteIntent], flags: argparse.Namespace) -> None:
    """Write the request that each write would be; nothing is sent. Raises InvalidBody."""
    requests = [await request_for(intent) for intent in wanted]
    members = [
        {"method": request.method, "path": request.path, "body": request.masked_body} for request in requests
    ]
    if form := form_of(flags):
        write_rows({}, members, form)
    else:
        for request in requests:
            say(f"{request}{'' if request.body is None else f' {json_line(request.masked_body)}'}")
    tell("Nothing was sent: --dry-run.")
