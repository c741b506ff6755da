"""Changing records by way of the journal: `create`, `update`, `delete`, `assign`, `subscribe`, `import`."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from linkdash.api.budget import Lane
from linkdash.api.errors import InvalidBody
from linkdash.api.fields import Field, Kind, fields_of
from linkdash.api.model import Body, Record
from linkdash.api.plans import Subscription
from linkdash.api.resource import body_of
from linkdash.commands.output import ProgressBar, json_line, write_rows
from linkdash.commands.parser import positive
from linkdash.commands.records import find, load
from linkdash.commands.running import FAILED, FINE, REFUSED, UNKNOWN, NotAgreed, WrongUsage, to_its_end
from linkdash.commands.streams import ask, ask_secret, put, tell, write
from linkdash.model import intents
from linkdash.model.as_text import request_for
from linkdash.model.humanize import counted
from linkdash.model.importing import (
    FILE_FORMATS,
    Line,
    Plan,
    ResultFile,
    concerns_all,
    have_ids,
    left_to_do,
    outcome_words,
    plan,
    read_file,
)
from linkdash.model.resource import AnyResource, declaration
from linkdash.model.resources.plans import subscription
from linkdash.model.session import Session
from linkdash.model.writes import WriteResult, created_id
from linkdash.store.jobs import ItemState, Job, JobItem
from linkdash.store.journal import Outcome, WriteIntent

_STATUSES = {
    Outcome.DONE: FINE,
    Outcome.NOT_SENT: FAILED,
    Outcome.REJECTED: REFUSED,
    Outcome.UNKNOWN: UNKNOWN,
}
"""The exit status that an outcome is."""

# ---- the verbs ----


async def create(session: Session, flags: argparse.Namespace) -> int:
    """`linkdash create RESOURCE name=value …`: creates a record and writes its id."""
    resource = declaration(flags.resource)
    model = model_of(resource, resource.create, "create")
    body = body_of(model, _members(model, flags.members))
    return await _send(session, intents.creation(resource, body), flags)


async def update(session: Session, flags: argparse.Namespace) -> int:
    """`linkdash update RESOURCE ID name=value …`: changes what is named, and nothing else."""
    resource = declaration(flags.resource)
    model = model_of(resource, resource.update, "edit")
    id, members = _id_and_members(resource, flags.id, flags.members)
    return await _send(session, await update_intent(session, resource, id, _members(model, members)), flags)


def _id_and_members(resource: AnyResource, first: str, rest: Sequence[str]) -> tuple[int, Sequence[str]]:
    if resource.is_single:
        return 0, [first, *rest]
    try:
        return positive(first), rest
    except argparse.ArgumentTypeError as error:
        raise WrongUsage(f"The id of a {resource.singular} {error}.") from None


async def update_intent(
    session: Session, resource: AnyResource, id: int, given: Mapping[str, object]
) -> WriteIntent:
    """The write that sets what was given on a record. What the service wants of it besides is its own.

    Costs a read where that is needed and not stored, or stored long ago. Raises InvalidBody, ServiceError.
    """
    model = model_of(resource, resource.update, "edit")
    required = {field.name for field in fields_of(model) if field.required}
    shown = required & set(resource.record.model_fields)
    record = await _stored(session, resource, id)
    if (record is None or await _is_old(session, resource)) and shown - given.keys():
        record = await find(session, resource, id)
    if record is not None:
        return intents.update(resource, record, intents.body_for(model, record, given))
    body = body_of(model, given)
    ids, summary = ((), "edit account") if resource.is_single else ((id,), f"edit {resource.singular} {id}")
    return WriteIntent(resource.id, "update", ids, body.given(), summary, None, body)


async def _stored(session: Session, resource: AnyResource, id: int) -> Record | None:
    collection = session.collection(resource.id)
    await collection.recall()
    if resource.is_single:
        return next(iter(collection.records), None)
    record: Record | None = collection.listing.record(id)
    return record


async def _is_old(session: Session, resource: AnyResource) -> bool:
    listing = session.collection(resource.id).listing
    oldest = min((page.at for page in listing.pages.values()), default=0.0)
    return session.now() - oldest > intents.OLD


async def delete(session: Session, flags: argparse.Namespace) -> int:
    """`linkdash delete RESOURCE ID … --yes`: deletes records; many of them as a job that can be resumed."""
    resource = declaration(flags.resource)
    if resource.delete is None:
        raise WrongUsage(f"The service offers no way to delete {resource.title.lower()}.")
    ids = list(dict.fromkeys(flags.ids))
    wanted = [WriteIntent(resource.id, "delete", (id,), {}, f"delete {resource.singular} {id}") for id in ids]
    title = wanted[0].summary if len(ids) == 1 else f"delete {counted(len(ids), resource.singular)}"
    return await _send_all(session, wanted, title, flags)


async def assign(session: Session, flags: argparse.Namespace) -> int:
    """`linkdash assign channel|campaign ID ITEM …`: an item is `qr:12`, `links:7`, `bio:3`; a link is `7`."""
    of = _to_channel if flags.target == "channel" else _to_campaign
    wanted = [of(flags.id, item) for item in dict.fromkeys(flags.items)]
    title = f"assign {counted(len(wanted), 'item')} to {flags.target} {flags.id}"
    return await _send_all(session, wanted, title, flags)


def _to_channel(channel: int, item: str) -> WriteIntent:
    kind, _, number = item.partition(":")
    if kind not in ("links", "bio", "qr") or not _is_id(number):
        raise WrongUsage(f"{item!r} names no item.", "Write qr:12, links:7 or bio:3.")
    summary = f"assign {kind} {number} to channel {channel}"
    return WriteIntent("channels", "assign", (channel, int(number)), {"type": kind}, summary)


def _to_campaign(campaign: int, item: str) -> WriteIntent:
    number = item.removeprefix("links:")
    if not _is_id(number):
        raise WrongUsage(f"{item!r} names no link.", "Only links are assigned to campaigns: write 7.")
    summary = f"assign link {number} to campaign {campaign}"
    return WriteIntent("campaigns", "assign", (campaign, int(number)), {}, summary)


def _is_id(text: str) -> bool:
    try:
        return bool(positive(text))
    except argparse.ArgumentTypeError:
        return False


async def subscribe(session: Session, flags: argparse.Namespace) -> int:
    """`linkdash subscribe USER PLAN --term TERM`: subscribes a user to a plan."""
    members: dict[str, object] = {"type": flags.term}
    if flags.expiration:
        members["expiration"] = flags.expiration
    body = body_of(Subscription, members)
    summary = f"subscribe user {flags.user} to plan {flags.plan}, {flags.term}"
    return await _send(session, subscription(flags.user, flags.plan, body, summary), flags)


# ---- one write ----


async def _send(session: Session, intent: WriteIntent, flags: argparse.Namespace) -> int:
    if flags.dry_run:
        await show([intent])
        return 0
    return await to_its_end(session, _sent(session, intent))


async def _sent(session: Session, intent: WriteIntent) -> int:
    result = await session.writes.send(intent)
    write(json_line(outcome_line(result)))
    if result.error is not None:
        tell(str(result.error))
    if result.outcome is Outcome.UNKNOWN:
        tell("linkdash journal --check finds out whether it happened.")
    return _STATUSES[result.outcome]


async def show(wanted: Sequence[WriteIntent]) -> None:
    """Writes the request that each write would be; nothing is sent. Raises InvalidBody."""
    for intent in wanted:
        request = await request_for(intent)
        body = "" if request.body is None else f" {json_line(request.masked_body)}"
        write(f"{request}{body}")
    tell("Nothing was sent: --dry-run.")


def outcome_line(result: WriteResult) -> dict[str, object]:
    """How a write ended, as a line of JSON lines; with the id of a record that was created."""
    line: dict[str, object] = {"outcome": result.outcome.value, "what": result.intent.summary}
    if result.intent.action == "create" and (id := created_id(result)) is not None:
        line["id"] = id
    if result.error is not None:
        line["message"] = str(result.error)
    return line


# ---- many writes ----


async def _send_all(
    session: Session, wanted: Sequence[WriteIntent], title: str, flags: argparse.Namespace
) -> int:
    if flags.dry_run:
        await show(wanted)
        return 0
    if not flags.yes and (len(wanted) > 1 or wanted[0].action == "delete"):
        agree(session, title, len(wanted))
    if len(wanted) == 1:
        return await _send(session, wanted[0], flags)
    job = await _interrupted(session, wanted)
    if job is not None:
        tell(f"Going on with what was begun {job.created.astimezone():%Y-%m-%d %H:%M}: {job.left} left.")
    return await run_job(session, job or await session.jobs.create(title, wanted))


async def _interrupted(session: Session, wanted: Sequence[WriteIntent]) -> Job | None:
    """The unfinished job of exactly these writes: what it has sent is never sent again."""
    return next(
        (
            job
            for job in await session.store.jobs.unfinished()
            if len(job.items) == len(wanted)
            and all(item.intent.is_same(intent) for item, intent in zip(job.items, wanted, strict=True))
        ),
        None,
    )


def agree(session: Session, title: str, requests: int) -> None:
    """Asks the person at the terminal. Raises WrongUsage where nobody can be asked, NotAgreed for a no."""
    if not sys.stdin.isatty():
        raise WrongUsage(f"Nobody can be asked whether to {title}.", "Add --yes. Nothing was sent.")
    question = f"{title[0].upper()}{title[1:]}? {session.gate.quote(requests, Lane.TASK)}. Type yes:"
    if ask(question).lower() != "yes":
        raise NotAgreed("Nothing was sent.")


async def run_job(session: Session, job: Job) -> int:
    """Does what is left of a job, and writes a line of JSON for each of its writes as it ends."""
    bar, told = ProgressBar(len(job.items), job.title), set[int]()
    trouble = ""

    def changed() -> None:
        nonlocal trouble
        current = session.jobs.current(job)
        for item in current.items:
            if item.position not in told and item.state not in (ItemState.PENDING, ItemState.SENT):
                told.add(item.position)
                bar.end()
                write(json_line(_item_line(item)))
        bar.show(current.over)
        if session.jobs.is_paused:  # nobody is there to go on
            trouble = session.jobs.trouble
            session.jobs.stop()

    unwatch = session.jobs.watch(changed)
    try:
        await session.jobs.run(job)
    finally:
        unwatch()
        bar.end()
    return _told_status(session.jobs.current(job), trouble)


def _word(state: ItemState) -> str:
    """What became of an item, in the words of a single write."""
    return Outcome.REJECTED.value if state is ItemState.FAILED else state.value


def _item_line(item: JobItem) -> dict[str, object]:
    line: dict[str, object] = {"outcome": _word(item.state), "what": item.intent.summary}
    return {**line, "message": item.message} if item.message else line


def _told_status(job: Job, trouble: str) -> int:
    counts = job.counts
    parts = [f"{counts[ItemState.DONE]} done"]
    bad = (ItemState.FAILED, ItemState.UNKNOWN)
    parts += [f"{counts[state]} {_word(state)}" for state in bad if counts[state]]
    parts += [f"{job.left} left"] if job.left else []
    tell(f"{trouble} Finished: {', '.join(parts)}.".strip())
    if job.left:
        tell("The same command goes on from here.")
    if counts[ItemState.UNKNOWN]:
        tell("linkdash journal --check finds out what became of the unknown.")
        return _STATUSES[Outcome.UNKNOWN]
    if counts[ItemState.FAILED]:
        return _STATUSES[Outcome.REJECTED]
    return _STATUSES[Outcome.NOT_SENT] if job.left else _STATUSES[Outcome.DONE]


# ---- members as arguments ----


def model_of(resource: AnyResource, model: type[Body] | None, verb: str) -> type[Body]:
    """The request model of a verb. Raises WrongUsage where the service has none."""
    if model is None:
        raise WrongUsage(f"The service offers no way to {verb} {resource.title.lower()}.")
    return model


def _members(model: type[Body], given: Sequence[str]) -> Mapping[str, object]:
    """The members in `name=value` arguments. Raises WrongUsage, InvalidBody."""
    fields = {field.name: field for field in fields_of(model)}
    members: dict[str, object] = {}
    for argument in given:
        name, equals, text = argument.partition("=")
        if not equals or name not in fields:
            shown = repr(name) if name else "An empty name"
            raise WrongUsage(f"{shown} is not a member.", f"Write NAME=VALUE; names: {', '.join(fields)}.")
        members[name] = _value(fields[name], text)
    if not members:
        raise WrongUsage("Nothing is given.", f"Write NAME=VALUE; names: {', '.join(fields)}.")
    return members


def _value(field: Field, text: str) -> object:
    """A value as the request model takes it; a secret is read from the terminal, never from an argument."""
    if field.kind is Kind.SECRET:
        if text not in ("", "-"):
            raise WrongUsage(
                f"{field.name}: every user of this machine can read an argument.",
                f"Write {field.name}=- and give it on standard input.",
            )
        return ask_secret(f"{field.title}: ")
    if field.kind is Kind.PAYLOAD and text[:1] in ("{", "["):
        try:
            data: object = json.loads(text)
        except ValueError:
            raise InvalidBody(f"{field.name}: this is no JSON.", "Nothing was sent.") from None
        return data
    by_label = {str(label).casefold(): word for word, label in field.labels.names.items()}
    return by_label.get(text.casefold(), text)


# ---- rows of a file ----

_NOTHING = "Nothing was sent."
_PROBLEM_TITLES = {"row": "Row", "column": "Column", "reason": "Reason"}


async def import_records(session: Session, flags: argparse.Namespace) -> int:
    """Creates or changes a record for every row of a file. Raises LinkdashError."""
    resource, path = declaration(flags.resource), Path(flags.file)
    if resource.create is None and resource.update is None:
        raise WrongUsage(f"The service offers no way to create or edit {resource.title.lower()}.")
    if path.suffix.removeprefix(".").lower() not in FILE_FORMATS:
        raise WrongUsage(f"{path.name} has no known ending.", "Use .csv, .jsonl or .json.")
    rows, digest = read_file(path)
    planned = plan(resource, rows, await _known(session, resource) if have_ids(rows) else {})
    if planned.ignored:
        tell(f"Left out, because no request has them: {', '.join(planned.ignored)}.")
    if planned.problems:
        return _refused(planned)
    results = ResultFile(path, digest)
    if results.path.exists() and not (flags.resume or flags.dry_run):
        raise WrongUsage(f"An import of this file was begun: {results.path}.", "--resume goes on.")
    states = results.states()
    left = left_to_do(planned, states)
    same = len(planned.lines) - len(planned.writes)
    done = f", {len(states)} tried before" if states else ""
    tell(f"{counted(len(rows), 'row')}: {len(left):,} to send, {same:,} unchanged{done}.")
    if flags.dry_run:
        await show([line.intent for line in left if line.intent is not None])
        return FINE
    if len(left) > 1 and not flags.yes:
        agree(session, f"import {counted(len(left), 'row')} into {resource.title}", len(left))
    return await _send_rows(session, left, results, states)


async def _known(session: Session, resource: AnyResource) -> Mapping[int, Record]:
    """Every record there is, as it is now."""
    collection = session.collection(resource.id)
    await load(session, collection, every=True, anew=True)
    return {record.id: record for record in collection.records}


def _refused(planned: Plan) -> int:
    """Tells every row that cannot be sent: then none is."""
    rows = [vars(problem) for problem in planned.problems]
    write_rows(_PROBLEM_TITLES, rows, "table")
    tell(f"{counted(len(rows), 'row')} cannot be sent. {_NOTHING}")
    return REFUSED


async def _send_rows(session: Session, left: list[Line], file: ResultFile, states: dict[int, str]) -> int:
    file.begin()
    bar, unknown = ProgressBar(len(left), "rows"), 0
    try:
        for number, line in enumerate(left):
            bar.show(number)
            result = await to_its_end(session, _sent_row(session, line, file, states, bar))
            unknown = unknown + 1 if result.outcome is Outcome.UNKNOWN else 0
            if unknown > 1 or concerns_all(result):
                break
    finally:
        bar.end()
        status = _status_of_rows(states, [line.row for line in left])
    return status


async def _sent_row(
    session: Session, line: Line, file: ResultFile, states: dict[int, str], bar: ProgressBar
) -> WriteResult:
    """Sends a row and tells how it ended, also where the verb is ended meanwhile."""
    result, told = await file.send(session, line)
    bar.end()
    states[line.row] = result.outcome.value
    put(told)
    return result


def _status_of_rows(states: dict[int, str], rows: Sequence[int]) -> int:
    ended = {outcome for outcome in Outcome if outcome.value in states.values()}
    left = len([row for row in rows if row not in states])
    words = f"{outcome_words(states)}, {left} left" if left else outcome_words(states)
    tell(f"Finished: {words}." + (" --resume goes on." if left or Outcome.NOT_SENT in ended else ""))
    worst = (Outcome.UNKNOWN, Outcome.REJECTED, Outcome.NOT_SENT)
    return next((_STATUSES[outcome] for outcome in worst if outcome in ended), FINE)
