"""Changing records: `create`, `update`, `delete`, `assign`, `subscribe`. Every write goes through the journal."""

import argparse
import getpass
import json
import sys
from collections.abc import Mapping, Sequence

from linkdash.api.errors import InvalidBody, LinkdashError, NotSent
from linkdash.api.exchange import Options, Request
from linkdash.api.fields import Field, Kind, fields_of
from linkdash.api.model import Body, Record
from linkdash.api.pacing import Lane
from linkdash.api.plans import Subscription
from linkdash.api.resource import body_of
from linkdash.commands.output import ProgressBar, tell, write
from linkdash.commands.records import WrongUsage
from linkdash.model import intents
from linkdash.model.humanize import counted
from linkdash.model.resource import AnyResource
from linkdash.model.resources import declaration
from linkdash.model.resources.plans import subscription
from linkdash.model.session import Session
from linkdash.model.writes import WriteResult, request_of
from linkdash.store.jobs import ItemState, Job
from linkdash.store.journal import Outcome, WriteIntent

STATUS = {Outcome.DONE: 0, Outcome.NOT_SENT: 1, Outcome.REJECTED: 3, Outcome.UNKNOWN: 4}
"""The exit status of each outcome."""


class _Shown(NotSent):
    """A request was shown instead of sent."""


# ---- the verbs ----


async def create(session: Session, flags: argparse.Namespace) -> int:
    """`linkdash create RESOURCE name=value …`: creates a record and writes its id."""
    resource = declaration(flags.resource)
    body = body_of(_model(resource, resource.create, "create"), _members(resource.create, flags.members))
    return await _send(session, intents.creation(resource, body), flags)


async def update(session: Session, flags: argparse.Namespace) -> int:
    """`linkdash update RESOURCE ID name=value …`: changes what is named, and nothing else."""
    resource = declaration(flags.resource)
    model = _model(resource, resource.update, "edit")
    given = _members(resource.update, flags.members)
    collection = session.collection(resource.id)
    await collection.recall()
    record: Record | None = (
        next(iter(collection.records), None) if resource.is_single else collection.listing.record(flags.id)
    )
    if record is not None:
        intent = intents.update(resource, record, intents.body_for(model, record, given))
    else:
        body = body_of(model, given)
        summary = f"edit {resource.singular} {flags.id or ''}".strip()
        ids = () if resource.is_single else (flags.id,)
        intent = WriteIntent(resource.id, "update", ids, body.given(), summary, None, body)
    return await _send(session, intent, flags)


async def delete(session: Session, flags: argparse.Namespace) -> int:
    """`linkdash delete RESOURCE ID … --yes`: deletes records; many of them as a job that can be resumed."""
    resource = declaration(flags.resource)
    if resource.delete is None:
        raise WrongUsage(f"The service offers no way to delete {resource.title.lower()}.")
    ids = list(dict.fromkeys(flags.ids))
    wanted = [WriteIntent(resource.id, "delete", (id,), {}, f"delete {resource.singular} {id}") for id in ids]
    return await _send_all(session, wanted, f"Delete {counted(len(ids), resource.singular)}", flags)


async def assign(session: Session, flags: argparse.Namespace) -> int:
    """`linkdash assign channel|campaign ID ITEM …`: an item is `qr:12`, `links:7`, `bio:3`; a link is `7`."""
    wanted = []
    for item in flags.items:
        kind, _, number = item.rpartition(":")
        if not number.isascii() or not number.isdigit() or not int(number):
            raise WrongUsage(f"{item!r} names no item.", "Write qr:12, links:7 or bio:3.")
        if flags.target == "campaign":
            if kind not in ("", "links"):
                raise WrongUsage(f"{item!r}: only links are assigned to a campaign.")
            summary = f"assign link {number} to campaign {flags.id}"
            wanted.append(WriteIntent("campaigns", "assign", (flags.id, int(number)), {}, summary))
        else:
            if kind not in ("links", "bio", "qr"):
                raise WrongUsage(f"{item!r} has no type.", "Write qr:12, links:7 or bio:3.")
            summary = f"assign {kind} {number} to channel {flags.id}"
            params = {"type": kind}
            wanted.append(WriteIntent("channels", "assign", (flags.id, int(number)), params, summary))
    title = f"Assign {counted(len(wanted), 'item')} to {flags.target} {flags.id}"
    return await _send_all(session, wanted, title, flags)


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
        await _show(session, intent)
        return 0
    result = await session.writes.send(intent)
    _write_result(result)
    return STATUS[result.outcome]


async def _show(session: Session, intent: WriteIntent) -> None:
    """Writes the request that a write would be; nothing is sent."""

    async def shown(request: Request) -> None:
        body = "" if request.body is None else f" {json.dumps(request.masked_body, ensure_ascii=False)}"
        write(f"{request}{body}")
        raise _Shown("It was only shown.")

    try:
        await request_of(session.client, intent, Options(on_admit=shown))
    except _Shown:
        tell("Nothing was sent: --dry-run.")


def _write_result(result: WriteResult) -> None:
    line: dict[str, object] = {"outcome": result.outcome.value, "what": result.intent.summary}
    id = result.record.id if isinstance(result.record, Record) else result.answer.get("id")
    if result.intent.action == "create" and id is not None:
        line["id"] = id
    if result.error is not None:
        line["message"] = str(result.error)
        tell(str(result.error))
    write(json.dumps(line, ensure_ascii=False))


# ---- many writes ----


async def _send_all(
    session: Session, wanted: Sequence[WriteIntent], title: str, flags: argparse.Namespace
) -> int:
    if flags.dry_run:
        for intent in wanted:
            await _show(session, intent)
        return 0
    if not flags.yes:
        _agree(session, title, len(wanted))
    if len(wanted) == 1:
        return await _send(session, wanted[0], flags)
    job = await session.jobs.create(title, wanted)
    return await run_job(session, job)


def _agree(session: Session, title: str, requests: int) -> None:
    """Asks the person at the terminal. Raises WrongUsage where nobody can be asked."""
    if not sys.stdin.isatty():
        raise WrongUsage(f"{title}? --yes says so.", "Nothing was sent.")
    tell(f"{title}? {session.gate.quote(requests, Lane.TASK)}.")
    if input("Type yes to go on: ").strip().lower() != "yes":
        raise WrongUsage("Nothing was sent.")


async def run_job(session: Session, job: Job) -> int:
    """Does what is left of a job, and writes a line of JSON for each of its writes as it ends."""
    bar, told = ProgressBar(len(job.items), job.title), set[int]()

    def changed() -> None:
        current = session.jobs.current(job)
        bar.show(current.over)
        for item in current.items:
            if item.position not in told and item.state not in (ItemState.PENDING, ItemState.SENT):
                told.add(item.position)
                line = {"outcome": item.state.value, "what": item.intent.summary, "message": item.message}
                write(json.dumps(line, ensure_ascii=False))
        if session.jobs.is_paused:
            session.jobs.stop()

    unwatch = session.jobs.watch(changed)
    try:
        await session.jobs.run(job)
    finally:
        unwatch()
        bar.end()
    return _status(session.jobs.current(job), session.jobs.trouble)


def _status(job: Job, trouble: str) -> int:
    counts = job.counts
    if job.left:
        tell(
            f"{trouble} {job.left} left: the journal keeps what was done; run it again for the rest.".strip()
        )
    if counts[ItemState.UNKNOWN]:
        return STATUS[Outcome.UNKNOWN]
    if counts[ItemState.FAILED]:
        return STATUS[Outcome.REJECTED]
    return STATUS[Outcome.NOT_SENT] if job.left else 0


# ---- members as arguments ----


def _model(resource: AnyResource, model: type[Body] | None, verb: str) -> type[Body]:
    if model is None:
        raise WrongUsage(f"The service offers no way to {verb} {resource.title.lower()}.")
    return model


def _members(model: type[Body] | None, given: Sequence[str]) -> Mapping[str, object]:
    """The members in `name=value` arguments; a secret is read from the terminal, never from an argument."""
    fields = {field.name: field for field in fields_of(model)} if model is not None else {}
    members: dict[str, object] = {}
    for argument in given:
        name, equals, text = argument.partition("=")
        if not equals or name not in fields:
            raise InvalidBody(f"{argument!r} names no member.", f"Members: {', '.join(fields)}.")
        members[name] = _value(fields[name], text)
    return members


def _value(field: Field, text: str) -> object:
    if field.kind is Kind.SECRET:
        if text not in ("", "-"):
            raise InvalidBody(
                f"{field.name}: every user of this machine can read an argument.",
                f"Write {field.name}=- and give it on standard input.",
            )
        return (
            getpass.getpass(f"{field.title}: ") if sys.stdin.isatty() else sys.stdin.readline().rstrip("\n")
        )
    if field.kind is Kind.PAYLOAD and text[:1] in ("{", "["):
        try:
            return json.loads(text)
        except ValueError:
            raise InvalidBody(f"{field.name}: this is no JSON.") from None
    by_label = {str(label).casefold(): word for word, label in field.labels.names.items()}
    return by_label.get(text.casefold(), text)


def exit_status(error: LinkdashError) -> int:
    """The exit status of a failure."""
    from linkdash.api.errors import AdminRequired, KeyRefused, OutcomeUnknown, Rejected
    from linkdash.commands.records import NotFound

    if isinstance(error, WrongUsage):
        return 2
    if isinstance(error, OutcomeUnknown):
        return 4
    return 3 if isinstance(error, Rejected | KeyRefused | AdminRequired | InvalidBody | NotFound) else 1
