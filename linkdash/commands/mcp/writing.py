"""The tools that change something: each asks the user before, where the client can show a question.

Where it cannot, the first call sends nothing and gives a token for `confirm_change`, good for one use. What
is sent goes through the journal like every change.
"""

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, Literal, NamedTuple, TypeAlias

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from mcp_types import InputRequiredResult
from pydantic import Field

from linkdash.api.budget.lanes import Lane
from linkdash.api.endpoints import body_of
from linkdash.api.errors import InvalidBody
from linkdash.api.inert_text import inert
from linkdash.api.records import Record
from linkdash.api.resources.channels import ItemType
from linkdash.commands.delete import deletion_of
from linkdash.commands.mcp.answers import ChangeAnswer, SentChange
from linkdash.commands.mcp.call import (
    as_answer,
    asks_by_answer,
    can_ask,
    is_agreed,
    tell_progress,
    was_agreed,
)
from linkdash.commands.mcp.tool import READS, Members, OneOf, RecordId, tool
from linkdash.commands.name_value_arguments import model_of
from linkdash.commands.send_writes import doubts_about, item_line
from linkdash.commands.signals import to_its_end
from linkdash.commands.subscribe import subscription_of
from linkdash.commands.verbs import TERMS
from linkdash.commands.write_output import outcome_line
from linkdash.model.as_command import request_for
from linkdash.model.declaration import declaration, declarations
from linkdash.model.humanize import counted
from linkdash.model.json_text import json_line
from linkdash.model.lists.collection import AnyCollection
from linkdash.model.resources.campaigns import link_assignment
from linkdash.model.resources.channels import item_assignment
from linkdash.model.session import Session
from linkdash.model.writes import planned_changes
from linkdash.model.writes.guard import ChangedElsewhere, reads_for
from linkdash.model.writes.named_updates import shown_at, update_of_named
from linkdash.model.writes.one_write import WriteResult
from linkdash.model.writes.typed_values import sendable_members
from linkdash.model.writes.write_words import summary_of
from linkdash.store.job import Job
from linkdash.store.journal_entry import WriteIntent

MOST_AT_ONCE = 50
"""Changes that one call can make."""

_GOOD_FOR = 600.0
"""Seconds for which a token is good."""
_TOKENS_KEPT = 100
_SHOWN = 20
"""Changes that a question names one by one."""
_LONGEST_LINE = 500
"""Characters of a line in a question."""

_CHANGES = READS.model_copy(update={"read_only_hint": False, "idempotent_hint": False})
_OVERWRITES = _CHANGES.model_copy(update={"destructive_hint": True})
_OVERWRITES_ALIKE = _OVERWRITES.model_copy(update={"idempotent_hint": True})
_HOW = " A person is asked before; where the client cannot ask, the answer has a token for confirm_change."

# ---- what the tools take ----

_MAY_CREATE = OneOf(tuple(resource.id for resource in declarations() if resource.create is not None))
_MAY_UPDATE = OneOf(tuple(resource.id for resource in declarations() if resource.update is not None))
_MAY_DELETE = OneOf(tuple(resource.id for resource in declarations() if resource.delete is not None))
_Ids: TypeAlias = Annotated[tuple[RecordId, ...], Field(min_length=1, max_length=MOST_AT_ONCE)]

# ---- the tools ----

_Answer: TypeAlias = ChangeAnswer | InputRequiredResult
"""The answer of a tool, or a question to the person."""


class Proposal(NamedTuple):
    """Changes that are to be agreed to."""

    title: str
    intents: Sequence[WriteIntent]
    details: Sequence[str] = ()
    """More for the person to know, in lines."""
    overwrite: Mapping[int, ChangedElsewhere] = {}
    """What they may replace of others' changes: what was asked about, by position."""
    job: Job | None = None
    """The job that they are left of."""


class WritingTools:
    """The tools that change something. Errors say what to do."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._kept: dict[str, tuple[float, Proposal]] = {}
        self._sending_many = asyncio.Lock()

    @property
    def tools(self) -> Sequence[Tool]:
        """All of them, for a client."""
        return (
            tool(self.create_record, "Create a record", f"Creates a record; one request.{_HOW}", _CHANGES),
            tool(
                self.update_record,
                "Change a record",
                "Changes members of a record; what is not named stays. One request, and one to read "
                f"the record first.{_HOW}",
                _OVERWRITES_ALIKE,
            ),
            tool(
                self.delete_records,
                "Delete records",
                "Deletes records for good; one request each, and one a page to read first what is known of "
                f"them.{_HOW}",
                _OVERWRITES_ALIKE,
            ),
            tool(
                self.assign_items,
                "Assign items",
                f"Puts items into a channel, or links into a campaign; one request each.{_HOW}",
                _CHANGES,  # whether an item can be in a channel twice, the reference does not say
            ),
            tool(
                self.subscribe_user,
                "Subscribe a user to a plan",
                "Subscribes a user to a plan: the user's plan and expiry change. One request, one to "
                "read the user before the question, one more where the answer takes a while, and one for "
                f"plans that are not kept; for keys of admins.{_HOW}",
                _OVERWRITES,  # nor whether a second time prolongs it
            ),
            tool(
                self.confirm_change,
                "Confirm a change",
                "Makes the change that an answer with a token has shown, once. Only after a person has "
                "agreed to exactly that change.",
                _OVERWRITES,
            ),
        )

    async def create_record(
        self,
        context: Context,
        resource: Annotated[str, _MAY_CREATE, Field(description="The kind of record")],
        members: Annotated[Members, Field(description="By name, as `linkdash create` takes them")],
    ) -> _Answer:
        """A new record."""

        async def proposed() -> Proposal:
            declared = declaration(resource)
            model = model_of(declared, declared.create, "create")
            intent = planned_changes.creation(declared, body_of(model, sendable_members(model, members)))
            return Proposal(summary_of(intent), [intent], doubts_about([intent]))

        return await self._if_agreed(context, proposed)

    async def update_record(
        self,
        context: Context,
        resource: Annotated[str, _MAY_UPDATE, Field(description="The kind of record")],
        members: Annotated[
            Members, Field(description="Those to change, by name; the others stay as they are")
        ],
        id: Annotated[RecordId | None, Field(description="Not needed for account")] = None,
    ) -> _Answer:
        """A record with other members."""

        async def proposed() -> Proposal:
            declared = declaration(resource)
            if not declared.is_single and id is None:
                raise InvalidBody("id is missing.", "list_records lists those there are.")
            if not members:
                raise InvalidBody("members is empty.", "Name what to change.")
            collection = self._session.collection(declared.id)
            model = model_of(declared, declared.update, "edit")
            wanted = sendable_members(model, members)
            intent = await update_of_named(self._session, collection, id or 0, wanted)
            if intent is None:
                missing = f"There is no {declared.singular} {id} at the service."
                raise InvalidBody(missing, "Nothing was sent.")
            details = planned_changes.described(intent, declared.update)[1:]
            return Proposal(summary_of(intent), [intent], [*details, *doubts_about([intent])])

        return await self._if_agreed(context, proposed)

    async def delete_records(
        self,
        context: Context,
        resource: Annotated[str, _MAY_DELETE, Field(description="The kind of records")],
        ids: Annotated[_Ids, Field(description="The records, by id")],
    ) -> _Answer:
        """No such records."""

        async def proposed() -> Proposal:
            declared = declaration(resource)
            collection = self._session.collection(declared.id)
            await collection.recall()
            known = {id: collection.listing.record(id) for id in ids}
            return _deletion(collection, known)

        return await self._if_agreed(context, proposed)

    async def assign_items(
        self,
        context: Context,
        target: Annotated[Literal["channel", "campaign"], Field(description="What they are put into")],
        id: Annotated[RecordId, Field(description="The id of the channel or campaign")],
        type: Annotated[ItemType, Field(description="What the items are; only links for a campaign")],
        ids: Annotated[_Ids, Field(description="The items, by id")],
    ) -> _Answer:
        """Items in a channel, or links in a campaign."""

        async def proposed() -> Proposal:
            if target == "channel":
                wanted = [item_assignment(id, type, item) for item in dict.fromkeys(ids)]
            elif type == "links":
                wanted = [link_assignment(id, link) for link in dict.fromkeys(ids)]
            else:
                raise InvalidBody("type must be links for a campaign.", "Nothing was sent.")
            return _several(f"assign {counted(len(wanted), 'item')} to {target} {id}", wanted)

        return await self._if_agreed(context, proposed)

    async def subscribe_user(
        self,
        context: Context,
        user: Annotated[RecordId, Field(description="The id of the user")],
        plan: Annotated[RecordId, Field(description="The id of the plan")],
        term: Annotated[str, OneOf(TERMS), Field(description="For how long")],
        expiration: Annotated[
            str, Field(max_length=40, description="YYYY-MM-DD HH:MM:SS; else the term decides")
        ] = "",
    ) -> _Answer:
        """A user on a plan."""

        async def proposed() -> Proposal:
            intent, found = await subscription_of(self._session, user, plan, term, expiration)
            return Proposal(summary_of(intent), [intent], () if found is None else found.lines)

        return await self._if_agreed(context, proposed)

    async def confirm_change(
        self,
        context: Context,
        token: Annotated[str, Field(max_length=100, description="Of the answer that showed the change")],
    ) -> _Answer:
        """A change that was shown before."""

        async def proposed() -> Proposal:
            return self._take(token)

        return await self._if_agreed(context, proposed, is_shown=True)

    # ---- agreeing ----

    async def _if_agreed(
        self, context: Context, proposed: Callable[[], Awaitable[Proposal]], *, is_shown: bool = False
    ) -> _Answer:
        """Send what is proposed once it is agreed to; go on with that where the call is made again."""
        if context.request_state is not None:
            kept = self._take(context.request_state)
            return await self._sent(kept, context) if was_agreed(context) else _declined(kept)
        proposal = await proposed()
        if is_shown and not can_ask(context):
            return await self._sent(proposal, context)
        return await self._agreed(proposal, context)

    async def _agreed(self, proposal: Proposal, context: Context) -> _Answer:
        """Send what the user agrees to, or answer with a token without a terminal here."""
        if not can_ask(context):
            return ChangeAnswer(
                state="needs_confirmation",
                what=proposal.title,
                details=[*proposal.details],
                requests=await _requests(proposal),
                token=self._keep(proposal),
            )
        question = await self._question(proposal)
        if asks_by_answer(context):
            return as_answer(question, self._keep(proposal))
        if await is_agreed(context, question):
            return await self._sent(proposal, context)
        return _declined(proposal)

    async def _question(self, proposal: Proposal) -> str:
        """Return the question to the person, in inert lines."""
        named = [summary_of(intent) for intent in proposal.intents] if len(proposal.intents) > 1 else []
        lines = [proposal.title[:1].upper() + proposal.title[1:], *named[:_SHOWN], *proposal.details[:_SHOWN]]
        hidden = len(named[_SHOWN:])
        lines += [f"and {hidden} more"] if hidden else []
        lines += [(await _requests(proposal))[0]] if len(proposal.intents) == 1 else []
        requests = len(proposal.intents) + reads_for(self._session.collections, proposal.intents)
        lines.append(f"{self._session.gate.quote(requests)}. Send it?")
        return "\n".join(_shortened(inert(line)) for line in lines)

    def _keep(self, proposal: Proposal) -> str:
        now, token = time.monotonic(), secrets.token_urlsafe(16)
        fresh = {kept: one for kept, one in self._kept.items() if now - one[0] < _GOOD_FOR}
        self._kept = dict([*fresh.items()][1 - _TOKENS_KEPT :])
        self._kept[token] = (now, proposal)
        return token

    def _take(self, token: str) -> Proposal:
        kept = self._kept.pop(token, None)
        if kept is None or time.monotonic() - kept[0] >= _GOOD_FOR:
            raise InvalidBody("This token is unknown, used up or too old.", "Propose the change again.")
        return kept[1]

    # ---- sending ----

    async def _sent(self, proposal: Proposal, context: Context) -> _Answer:
        """Send what was agreed to, several changes as a job that the same call goes on with.

        Where others have changed what it would replace, the person is asked about that.
        """
        self._session.collections.forget_reads()
        if len(proposal.intents) > 1 or proposal.job is not None:
            return await self._run(proposal, context)
        write = self._session.writes.carry_out(
            proposal.intents[0], lane=Lane.BACKGROUND, overwrite=proposal.overwrite.get(0, False)
        )
        result = await to_its_end(self._session, write, proposal.intents[0])
        if isinstance(refusal := result.error, ChangedElsewhere):
            told = [refusal.what, *map(str, refusal.clashes)]
            return await self._agreed(proposal._replace(details=told, overwrite={0: refusal}), context)
        return ChangeAnswer(state="sent", what=proposal.title, changes=[_sent_change(result)])

    async def _run(self, proposal: Proposal, context: Context) -> _Answer:
        jobs = self._session.jobs
        if self._sending_many.locked():
            raise InvalidBody(
                "Other changes are under way.", "Call again when they are done. Nothing was sent."
            )
        async with self._sending_many:
            over = await self._over(proposal)
        changes = [SentChange.model_validate(line) for line in map(item_line, over.items)]
        if asked := jobs.to_ask:
            refused = [*asked.values()]
            left = proposal._replace(
                intents=[one.intent for one in refused],
                details=[one.what for one in refused],
                overwrite=asked,
                job=over,
            )
            answer = await self._agreed(left, context)
            if isinstance(answer, InputRequiredResult) or answer.state == "sent":
                return answer
            return answer.model_copy(update={"changes": changes})
        await jobs.discard_unsent(over)
        return ChangeAnswer(state="sent", what=proposal.title, changes=changes, left=over.left)

    async def _over(self, proposal: Proposal) -> Job:
        """The job of changes, once it is over."""
        jobs = self._session.jobs
        job = proposal.job or (await jobs.begun_or_new(proposal.title, proposal.intents))[0]
        telling = set[asyncio.Future[None]]()

        def tell() -> None:
            telling.add(
                asyncio.ensure_future(tell_progress(jobs.current(job).over, len(job.items), "Sending"))
            )

        unwatch = self._session.job_changes.watch(tell)
        try:
            run = jobs.run(
                job, overwrite=proposal.overwrite or False, lane=Lane.BACKGROUND, is_attended=False
            )
            await to_its_end(self._session, run)
        finally:
            unwatch()
            await asyncio.gather(*telling)
        return jobs.current(job)


def _deletion(collection: AnyCollection, known: Mapping[int, Record | None]) -> Proposal:
    resource, wanted, details = collection.resource, list[WriteIntent](), list[str]()
    for id, record in known.items():
        if record is None or resource.delete is None:
            wanted.append(deletion_of(resource, id))
        else:
            wanted.append(planned_changes.deletion(resource, record, shown_at(collection, record)))
            details.append(f"{id}: {resource.delete.loses(record)}")
    return _several(f"delete {counted(len(wanted), resource.singular)}", wanted, details)


def _several(title: str, wanted: Sequence[WriteIntent], details: Sequence[str] = ()) -> Proposal:
    return Proposal(summary_of(wanted[0]) if len(wanted) == 1 else title, wanted, details)


async def _requests(proposal: Proposal) -> list[str]:
    """The requests that would be sent, with their bodies, secrets masked."""
    made = []
    for intent in proposal.intents:
        request = await request_for(intent)
        made.append(str(request) if request.body is None else f"{request} {json_line(request.masked_body)}")
    return made


def _shortened(line: str) -> str:
    """A line of a question: none is so long that what follows is out of sight."""
    return line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}… ({len(line):,} characters)"


def _declined(proposal: Proposal) -> ChangeAnswer:
    return ChangeAnswer(state="declined", what=proposal.title, left=len(proposal.intents))


def _sent_change(result: WriteResult) -> SentChange:
    line = outcome_line(result)
    return SentChange.model_validate({name: line[name] for name in SentChange.model_fields if name in line})
