"""The journal: every change that was sent from here, what became of it, and what can still be checked."""

from collections.abc import Hashable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple, Protocol, cast

from rich.cells import cell_len
from textual import on

from linkdash.api.fields import Kind
from linkdash.model.columns import Column, Computed
from linkdash.model.humanize import Ended, Ending, counted
from linkdash.model.session import Session
from linkdash.screens.actions import BACK, CHECK, Action, Flow, bindings
from linkdash.screens.host import RowsScreen
from linkdash.store.database import StoreUnavailable
from linkdash.store.journal import JournalEntry, Outcome, WriteIntent
from linkdash.widgets.frame import StatePanel
from linkdash.widgets.pictures import ended_pieces
from linkdash.widgets.pieces import Piece, Tone
from linkdash.widgets.table import RecordTable
from linkdash.widgets.values import Details, Line

SHOWN = 500
"""Entries shown, the newest first."""

JOURNAL_ACTIONS = (
    Action(
        "open",
        "enter",
        "Inspect",
        "Show the request and its answer, of this run",
        needs=("entry",),
        shown=True,
    ),
    CHECK,
    Action(
        "go-there",
        "o",
        "Go there",
        "Go to the record that was changed",
        "Move",
        needs=("entry",),
        shown=True,
    ),
    Action("copy", "y", "Copy", "Copy the command that does the same", needs=("entry",)),
    Action("whose", "p", "Author", "Show only the changes of one person or machine", shown=True),
    Action("refresh", "r", "Refresh", "Read the journal again"),
    replace(BACK, help="Go back to where you were"),
)


class EntryRow(NamedTuple):
    """One entry as the table shows it."""

    entry: JournalEntry
    when: datetime
    what: str
    who: str
    outcome: str
    requests: int

    @classmethod
    def of(cls, entry: JournalEntry) -> "EntryRow":
        """The row of an entry, its moment as the clock on the wall shows it."""
        when = entry.begun.astimezone().replace(tzinfo=None)
        return cls(entry, when, entry.intent.summary, str(entry.author), outcome_words(entry), entry.requests)


def outcome_words(entry: JournalEntry) -> str:
    """What became of a change, in a word or two."""
    if entry.outcome is None:
        return "sending"
    if entry.settlement is not None:
        return "done after all" if entry.settlement.happened else "not done"
    return entry.outcome.value


def ended(entry: JournalEntry) -> Ended:
    """What became of a change, and what that means."""
    if entry.settlement is not None:
        return Ended(outcome_words(entry), "done" if entry.settlement.happened else "failed")
    return Ended(outcome_words(entry), _HOW[entry.outcome])


def entry_lines(entry: JournalEntry) -> list[Line]:
    """An entry in full: when, what, the difference, the outcome, the requests."""
    intent = entry.intent
    lines = [
        Line("When", (Piece(f"{entry.begun.astimezone():%Y-%m-%d %H:%M:%S}"),)),
        Line("What", (Piece(intent.summary),)),
        *([Line("By", (Piece(str(entry.author)),))] if str(entry.author) else []),
        Line("Request", (Piece(f"{entry.method} {entry.path}"),)),
    ]
    for name, value in intent.params.items():
        before = f"{_before(intent.before.get(name))} → " if intent.before else ""
        lines.append(Line(name, (Piece(before, Tone.MUTED), Piece(_text(value)))))
    lines.append(Line("Outcome", ended_pieces(ended(entry), cell_len(outcome_words(entry)) + 2)))
    if entry.message:
        lines.append(Line("Message", (Piece(entry.message),)))
    if entry.settlement is not None:
        lines.append(Line("Checked", (Piece(entry.settlement.message),)))
    return [*lines, Line("Cost", (Piece(counted(entry.requests, "request")),))]


_HOW: Mapping[Outcome | None, Ending] = {
    None: "under way",
    Outcome.DONE: "done",
    Outcome.REJECTED: "failed",
    Outcome.NOT_SENT: "waiting",
    Outcome.UNKNOWN: "unknown",
}


def _before(value: object) -> str:
    return "(not shown)" if value is None else _text(value)


def _text(value: object) -> str:
    return "(empty)" if value in (None, "") else str(value)


_NOT_KEPT = Line("Answer", (Piece("kept in memory only, for the last requests of a run", Tone.MUTED),))


class ShowsRecords(Protocol):
    """The app, which leads to a record."""

    def go_to_record(
        self, resource: str, id: int | None, then: str = "", given: Mapping[str, object] | None = None
    ) -> None:
        """Goes to a record, if it is loaded; `then` is an action that is done there.

        `given` is filled into the form that it opens.
        """


class JournalScreen(RowsScreen[EntryRow]):
    """Changes, the newest first. Reading it costs nothing."""

    TITLE = "Journal"
    ACTIONS = JOURNAL_ACTIONS
    BINDINGS = bindings(JOURNAL_ACTIONS)
    columns = (
        Column("when", "When", Kind.MOMENT, 16, essential=True),
        Computed[EntryRow](
            "outcome", "Outcome", Kind.TEXT, 16, essential=True, draw=lambda row: ended(row.entry)
        ),
        Column("what", "What", Kind.TEXT, 20, grow=True, essential=True),
        Column("who", "Who", Kind.TEXT, 16),
        Column("requests", "Requests", Kind.COUNT, 8, align="right"),
    )

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._user: str | None = None
        self._host: str | None = None

    def key(self, row: EntryRow) -> Hashable:
        return row.entry.id

    @property
    def entry(self) -> JournalEntry | None:
        """The entry under the cursor."""
        return self.row.entry if self.row is not None else None

    def on_screen_resume(self) -> None:
        self.action_do("refresh")

    async def do_refresh(self) -> None:
        try:
            entries = await self.session.store.journal.recent(SHOWN, user=self._user, host=self._host)
        except StoreUnavailable as error:
            self.show_rows([], error.what, error.advice, failed=True)
            return
        self.show_rows(
            [EntryRow.of(entry) for entry in entries],
            "Nothing was changed yet.",
            "Every change will be listed here, with its outcome.",
        )
        unknown = sum(entry.is_open for entry in entries)
        checks = f" · {unknown} of unknown outcome: {self.key_of('check')} checks" if unknown else ""
        newest = "the newest " if len(entries) == SHOWN else ""
        whose = f" by {self._user}" if self._user else f" on {self._host}" if self._host else ""
        self.show_status(f"{newest}{counted(len(entries), 'change')}{whose}{checks}")
        (self.table if entries else self.query_one(StatePanel)).focus()

    async def do_whose(self) -> None:
        """Asks whose changes are to be shown."""
        from linkdash.model.as_text import Choice
        from linkdash.screens.windows import PickerScreen

        authors = await self.session.store.journal.authors()
        users, hosts = (sorted(set(names)) for names in zip(*authors, strict=True)) if authors else ((), ())
        everybody = Choice("everybody", "")
        by_user = {Choice(user, "a person"): user for user in users}
        by_host = {Choice(host, "a machine"): host for host in hosts}
        picker = PickerScreen("Changes by", [everybody, *by_user, *by_host])
        chosen: Choice | None = await self.app.push_screen_wait(picker)
        if chosen is not None:
            self._user, self._host = by_user.get(chosen), by_host.get(chosen)
            await self.do_refresh()

    @on(RecordTable.CursorMoved)
    def _show_details(self) -> None:
        self.query_one("#details", Details).show(None, lines=entry_lines(self.entry) if self.entry else ())

    def missing(self, need: str) -> str | None:
        entry = self.entry
        if need in ("entry", "unknown") and entry is None:
            return "There is no change under the cursor."
        if need == "unknown" and entry is not None and not entry.is_open:
            return f"The outcome of this change is known: {outcome_words(entry)}."
        return super().missing(need)

    def do_check(self) -> Flow | None:
        return self._check(self.entry) if self.entry is not None else None

    async def _check(self, entry: JournalEntry) -> None:
        found = await self.session.check(entry.intent, entry)
        self.say(found.message, entry.intent.summary)
        await self.do_refresh()

    @on(RecordTable.Opened)
    def _opened(self) -> None:
        self.action_do("open")

    def do_open(self) -> None:
        """Shows what was sent; of an earlier run, what the journal keeps of it."""
        from linkdash.screens.record_actions import show_exchange, show_in_full

        entry = self.entry
        if entry is None:
            return
        request = self.session.requests.get(entry.id)
        exchange = self.session.client.connection.exchanges.of(request) if request is not None else None
        if exchange is not None:
            show_exchange(self, entry.intent.summary, exchange)
        else:
            show_in_full(self, entry.intent.summary, [*entry_lines(entry), _NOT_KEPT])

    def do_copy(self) -> Flow | None:
        return self._copy(self.entry.intent) if self.entry is not None else None

    async def _copy(self, intent: WriteIntent) -> None:
        from linkdash.model.as_text import write_commands
        from linkdash.screens.record_actions import copy_one

        commands = await write_commands(self.session.settings.base_url, [intent])
        await copy_one(self, f"Copy: {intent.summary}", commands)

    def do_go_there(self) -> None:
        if self.entry is not None:
            intent = self.entry.intent
            cast("ShowsRecords", self.app).go_to_record(intent.resource, intent.record_id)
