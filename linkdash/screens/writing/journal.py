"""The journal: every change that was sent from here, what became of it, and what can still be found out."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime

from textual import on
from textual.app import ComposeResult
from textual.message import Message
from textual.widgets import Static

from linkdash.api.fields import Kind
from linkdash.model.columns import Column
from linkdash.model.humanize import counted
from linkdash.screens.actions import Action, bindings
from linkdash.screens.host import HostScreen
from linkdash.screens.layout import table_and_pane
from linkdash.store.database import StoreUnavailable
from linkdash.store.journal import Entry, Outcome
from linkdash.widgets.cells import Piece, Tone
from linkdash.widgets.details import Details, Line
from linkdash.widgets.states import StatePanel
from linkdash.widgets.table import RecordTable

SHOWN = 500
"""Entries shown, the newest first."""

JOURNAL_ACTIONS = (
    Action(
        "find-out",
        "f",
        "Find out",
        "Look whether a change of unknown outcome happened",
        "Change",
        "1 request",
        shown=True,
        needs=("unknown",),
    ),
    Action(
        "go-there",
        "enter",
        "Go there",
        "Go to where the change was made",
        "Move",
        needs=("entry",),
        shown=True,
    ),
    Action("refresh", "r", "Refresh", "Read the journal again"),
    Action("back", "escape", "Back", "Back to where you were", "Move", shown=True),
)


@dataclass(frozen=True)
class Row:
    """One entry as the table shows it."""

    entry: Entry
    when: datetime
    what: str
    outcome: str
    requests: int

    @classmethod
    def of(cls, entry: Entry) -> "Row":
        """The row of an entry, its moment as the clock on the wall shows it."""
        when = entry.begun.astimezone().replace(tzinfo=None)
        return cls(entry, when, entry.write.purpose, outcome_words(entry), entry.requests)


def outcome_words(entry: Entry) -> str:
    """What became of a change, in a word or two."""
    if entry.outcome is None:
        return "on its way"
    if entry.settlement is not None:
        return "done after all" if entry.settlement.found else "not done"
    return entry.outcome.value


def entry_lines(entry: Entry) -> list[Line]:
    """An entry in full: when, what, the difference, the outcome, the requests."""
    write = entry.write
    lines = [
        Line("When", (Piece(f"{entry.begun.astimezone():%Y-%m-%d %H:%M:%S}"),)),
        Line("What", (Piece(write.purpose),)),
        Line("Request", (Piece(f"{write.method} {write.path}"),)),
    ]
    for name, value in (write.body or {}).items():
        before = f"{_before(write.before.get(name))} → " if write.before else ""
        lines.append(Line(name, (Piece(before, Tone.MUTED), Piece(_text(value)))))
    lines.append(Line("Outcome", (Piece(outcome_words(entry), _TONES.get(entry.outcome, Tone.PLAIN)),)))
    if entry.message:
        lines.append(Line("Said", (Piece(entry.message),)))
    if entry.settlement is not None:
        lines.append(Line("Found out", (Piece(entry.settlement.words),)))
    return [*lines, Line("Cost", (Piece(counted(entry.requests, "request")),))]


_TONES: dict[Outcome | None, Tone] = {
    Outcome.DONE: Tone.GOOD,
    Outcome.UNKNOWN: Tone.ODD,
    Outcome.REJECTED: Tone.ODD,
}


def _before(value: object) -> str:
    return "(not shown)" if value is None else _text(value)


def _text(value: object) -> str:
    return "(empty)" if value in (None, "") else str(value)


class JournalScreen(HostScreen):
    """Changes, the newest first. Reading it costs nothing."""

    TITLE = "Journal"
    ACTIONS = JOURNAL_ACTIONS
    BINDINGS = bindings(JOURNAL_ACTIONS)
    columns: Sequence[Column[Row]] = (
        Column("when", "When", Kind.MOMENT, 16, essential=True),
        Column("what", "What", Kind.TEXT, 20, grow=True, essential=True),
        Column("outcome", "Outcome", Kind.TEXT, 14, essential=True),
        Column("requests", "Requests", Kind.COUNT, 8, align="right"),
    )

    class Found(Message):
        """The entries were read."""

        def __init__(self, rows: list[Row], trouble: StoreUnavailable | None) -> None:
            super().__init__()
            self.rows, self.trouble = rows, trouble

    class Wanted(Message):
        """A person wants to go to where a change was made."""

        def __init__(self, entry: Entry) -> None:
            super().__init__()
            self.entry = entry

    class Doubted(Message):
        """A person wants to know what became of a change."""

        def __init__(self, entry: Entry) -> None:
            super().__init__()
            self.entry = entry

    def compose_middle(self) -> ComposeResult:
        records = RecordTable(self.columns, key=_key, id="records")
        yield table_and_pane(records, StatePanel(), pane=Details(id="details"))

    @property
    def table(self) -> RecordTable[Row]:
        return self.query_one("#records", RecordTable)

    @property
    def entry(self) -> Entry | None:
        """The entry under the cursor."""
        row = self.table.cursor_row
        return row.entry if isinstance(row, Row) else None

    def on_screen_resume(self) -> None:
        self.do_refresh()

    def do_refresh(self) -> None:
        self.run_worker(self._read(), group="read", exclusive=True, exit_on_error=False)

    async def _read(self) -> None:
        try:
            entries = await self.session.store.journal.recent(SHOWN)
        except StoreUnavailable as error:
            self.post_message(self.Found([], error))
        else:
            self.post_message(self.Found([Row.of(entry) for entry in entries], None))

    @on(Found)
    def _show(self, message: Found) -> None:
        panel, trouble = self.query_one(StatePanel), message.trouble
        panel.display = not message.rows
        self.table.display = bool(message.rows)
        if trouble is not None:
            panel.show(trouble.what, trouble.advice, failed=True)
        elif not message.rows:
            panel.show(
                "Nothing was changed from here yet.", "Every change will be listed here, with its outcome."
            )
        self.table.show(message.rows)
        open_entries = sum(row.entry.is_open for row in message.rows)
        unknown = f" · {open_entries} of unknown outcome: f finds out" if open_entries else ""
        newest = "the newest " if len(message.rows) == SHOWN else ""
        self.query_one("#truth", Static).update(f"{newest}{counted(len(message.rows), 'change')}{unknown}")
        (self.table if message.rows else panel).focus()

    @on(RecordTable.CursorMoved)
    def _show_details(self) -> None:
        self.query_one("#details", Details).show(None, lines=entry_lines(self.entry) if self.entry else ())

    def missing_entry(self) -> str | None:
        """Why there is no change to do something with."""
        return None if self.entry else "There is no change under the cursor."

    def missing_unknown(self) -> str | None:
        """Why there is nothing to find out."""
        if self.entry is None:
            return self.missing_entry()
        return (
            None
            if self.entry.is_open
            else f"What became of this change is known: {outcome_words(self.entry)}."
        )

    def do_find_out(self) -> None:
        if self.entry is not None:
            self.post_message(self.Doubted(self.entry))

    @on(RecordTable.Opened)
    async def _opened(self) -> None:
        await self.action_do("go-there")

    def do_go_there(self) -> None:
        if self.entry is not None:
            self.post_message(self.Wanted(self.entry))

    def do_back(self) -> None:
        self.dismiss()


def _key(row: Row) -> Hashable:
    return row.entry.id
