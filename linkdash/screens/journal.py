"""The journal: every change sent from here, its outcome, and what can still be checked."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import NamedTuple

from rich.cells import cell_len
from textual import on

from linkdash.api.fields import Kind
from linkdash.api.resources.plans import Plan
from linkdash.model.humanize import ESTIMATED, counted
from linkdash.model.lists.columns import Column, Computed
from linkdash.model.resources.plans import RESOURCE as PLANS
from linkdash.model.resources.plans import expected
from linkdash.model.session import Session
from linkdash.model.writes.kept_members import kept_before
from linkdash.model.writes.planned_changes import UNDOABLE
from linkdash.model.writes.write_words import declaration_of, name_and_what, summary_of, titled, verb_and_kind
from linkdash.screens.actions import BACK, CHECK, WRITING, Action, Flow, Need, bindings
from linkdash.screens.change_lines import ended
from linkdash.screens.rows_screen import RowsScreen
from linkdash.screens.windows import questions
from linkdash.store.database import StoreUnavailable
from linkdash.store.journal_entry import JournalEntry, Outcome, WriteIntent
from linkdash.widgets.charts.cell_pictures import ended_pieces
from linkdash.widgets.details import DetailLine, Details
from linkdash.widgets.frame.state_panel import StatePanel
from linkdash.widgets.panel import Panel
from linkdash.widgets.styled_text import Piece, Tone
from linkdash.widgets.table.record_table import RecordTable

SHOWN = 500
"""Entries shown, the newest first."""

ENTRY: Need["JournalScreen"] = Need(lambda screen: screen.missing_entry())
EDIT_DONE: Need["JournalScreen"] = Need(lambda screen: screen.missing_edit())
JOURNAL_ACTIONS: tuple[Action["JournalScreen"], ...] = (
    Action(
        "open",
        "enter",
        "Inspect",
        "Show the request and its answer, of this run",
        needs=(ENTRY,),
        shown=True,
        do=lambda screen: screen.do_open(),
    ),
    CHECK,
    Action(
        "go-there",
        "o",
        "Go there",
        "Go to the record that was changed",
        "Move",
        needs=(ENTRY,),
        shown=True,
        do=lambda screen: screen.do_go_there(),
    ),
    Action(
        "undo",
        "u",
        "Undo",
        "Undo this edit or subscription, after a preview, or fill in what was deleted",
        "Change",
        "1 request, and 1 to read first",
        shown=True,
        needs=(WRITING, EDIT_DONE),
        do=lambda screen: screen.do_undo(),
        asks=True,
    ),
    Action(
        "copy",
        "y",
        "Copy",
        "Copy the command that does the same",
        needs=(ENTRY,),
        do=lambda screen: screen.do_copy(),
        opens=True,
    ),
    Action(
        "whose",
        "p",
        "Author",
        "Show only the changes of one person or machine",
        shown=True,
        do=lambda screen: screen.do_whose(),
        opens=True,
    ),
    Action("refresh", "r", "Refresh", "Read the journal again", do=lambda screen: screen.do_refresh()),
    replace(BACK, help="Go back to where you were"),
)


class EntryRow(NamedTuple):
    """An entry as the table shows it."""

    entry: JournalEntry
    when: str
    """The day, where it is not that of the entry above, and the time, by the clock on the wall."""
    verb: str
    kind: str
    name: str
    said: str
    """The change of the record, or why there was none."""
    who: str
    requests: int

    @property
    def did(self) -> str:
        """Its verb and the kind of record."""
        return f"{self.verb} {self.kind}"

    @property
    def bare_name(self) -> str:
        """The record without its id."""
        return self.name.removesuffix(f" ({self.entry.record_id})")

    @property
    def name_and_what(self) -> str:
        """The record without its id, and what was done to it or why it was not, in one line."""
        return " · ".join(filter(None, (self.bare_name, self.said_here)))

    @property
    def what(self) -> str:
        """The same after how it ended, where it was not just done."""
        is_done = self.entry.outcome is Outcome.DONE
        return " · ".join(filter(None, ("" if is_done else self.entry.outcome_words, self.said)))

    @property
    def said_here(self) -> str:
        """The part that the sign of the outcome does not say, which is enough of one that is final."""
        return self.said if ended(self.entry).how in ("done", "failed") else self.what


def entry_rows(entries: Sequence[JournalEntry], today: date) -> list[EntryRow]:
    """The rows of entries, the newest first."""
    rows, day_before = list[EntryRow](), None
    days = [_day(entry.begun.astimezone().date(), today) for entry in entries]
    widest = max(map(len, days), default=0)
    for entry, day_told in zip(entries, days, strict=True):
        begun, intent = entry.begun.astimezone(), entry.intent
        day = day_told if begun.date() != day_before else ""
        day_before = begun.date()
        rows.append(
            EntryRow(
                entry,
                f"{day:<{widest}} {begun:%H:%M}",
                *verb_and_kind(intent),
                *_name_and_said(entry),
                str(entry.author),
                entry.requests,
            )
        )
    return rows


def _name_and_said(entry: JournalEntry) -> tuple[str, str]:
    """The record and what was done to it; of what was refused, why, before it."""
    name, what = name_and_what(entry.intent)
    why = entry.message if entry.outcome is Outcome.REJECTED else ""
    waits = "not handed in yet" if entry.waits else ""
    return name, " · ".join(filter(None, (waits, why, what)))


_WEEK = 7  # days
_WHAT = "What"


def _day(day: date, today: date) -> str:
    """A day in few cells: `Today`, `Sun` within a week, `20 Nov`, and `2025-11` of another year."""
    ago = (today - day).days
    if ago == 0:
        return "Today"
    if 0 < ago < _WEEK:
        return f"{day:%a}"
    return f"{day.day} {day:%b}" if day.year == today.year else f"{day:%Y-%m}"


def entry_lines(
    entry: JournalEntry,
    content: Mapping[str, object] | None = None,
    plans: Mapping[int, Plan] | None = None,
) -> list[DetailLine]:
    """An entry in full: what, the difference, the outcome, when, by whom, the requests.

    `content` is that of the code before, as far as it is known from earlier entries; `plans` are those that
    are known, by id.
    """
    intent = entry.intent
    known = {
        **(content or {}),
        **{name: was for name, was in (intent.before or {}).items() if was is not None},
    }
    lines = [
        what_line(intent),
        *_subscription_lines(entry, plans or {}),
        *value_lines(intent, known),
    ]
    lines.append(DetailLine("Outcome", ended_pieces(ended(entry), cell_len(entry.outcome_words) + 2)))
    if entry.settlement is not None:
        lines.append(DetailLine("Checked", (Piece(entry.settlement.message),)))
    if entry.message:
        lines.append(DetailLine("Message", (Piece(entry.message),)))
    by = f" by {entry.author}" if str(entry.author) else ""
    return [
        *lines,
        DetailLine("When", (Piece(f"{entry.begun.astimezone():%Y-%m-%d %H:%M:%S}{by}"),)),
        *([DetailLine("Request", (Piece(f"{entry.method} {entry.path}"),))] if entry.path else []),
        DetailLine("Cost", (Piece(counted(entry.requests, "request")),)),
    ]


def what_line(intent: WriteIntent) -> DetailLine:
    """The line that says what a write does."""
    return DetailLine(_WHAT, (Piece(summary_of(intent)),))


def below_its_row(lines: Sequence[DetailLine], intent: WriteIntent) -> list[DetailLine]:
    """The lines of an entry that neither its title nor its row tells.

    A cost of one request goes without saying.
    """
    name = name_and_what(intent)[0].removesuffix(f" ({intent.record_id})")
    cost = counted(1, "request")
    return [
        line
        for line in lines
        if line.title != _WHAT and line.text != name and (line.title, line.text) != ("Cost", cost)
    ]


def value_lines(intent: WriteIntent, known: Mapping[str, object]) -> list[DetailLine]:
    """The values that a write sends, of an edit after those it replaces; those that a delete loses."""
    lines = []
    for name, value in intent.params.items():
        is_changed = intent.action == "update" and intent.before and known.get(name) != value
        title, now = titled(intent.resource, name, value)
        was = f"{_before(intent.resource, name, known.get(name))} → " if is_changed else ""
        lines.append(DetailLine(title, (Piece(was, Tone.MUTED), Piece(now))))
    if intent.action == "delete":
        told = (titled(intent.resource, name, was) for name, was in known.items())
        lines += [DetailLine(title, (Piece(was),)) for title, was in told]
    return lines


def _subscription_lines(entry: JournalEntry, plans: Mapping[int, Plan]) -> list[DetailLine]:
    """Plan and end of a subscription, as they were and as it has set them."""
    intent = entry.intent
    if intent.action != "subscribe" or not intent.before:
        return []
    before, after = intent.before, expected(intent, entry.begun)
    names = [_plan_name(plans, plan) for plan in (before.get("planid"), intent.record_ids[1])]
    plan = plans.get(intent.record_ids[1])
    guess = "no end" if plan is not None and plan.free else f"{ESTIMATED} {after.beside.get('expires')}"
    ends = [str(before.get("expires") or "none reported"), str(after.sent.get("expires") or guess)]
    return [
        DetailLine(title, (Piece(f"{was} → ", Tone.MUTED), Piece(now)) if was != now else (Piece(now),))
        for title, (was, now) in (("Plan", names), ("Ends", ends))
    ]


def _plan_name(plans: Mapping[int, Plan], id: object) -> str:
    plan = plans.get(id) if isinstance(id, int) else None
    return plan.name if plan is not None else f"plan {id}" if id else "no plan"


def _before(resource: str, name: str, value: object) -> str:
    return "(not shown)" if value is None else titled(resource, name, value)[1]


_LOOK_EVERY = 1.0  # seconds
_HANDED_IN_FIRST = "It is handed in first."
_NOT_KEPT = DetailLine("Answer", (Piece("kept in memory only, for the last requests of a run", Tone.MUTED),))


class JournalScreen(RowsScreen[EntryRow]):
    """Changes, the newest first, below those that wait for the team's store. Reading it costs nothing."""

    TITLE = "Journal"
    ACTIONS = JOURNAL_ACTIONS
    BINDINGS = bindings(JOURNAL_ACTIONS)
    columns = (
        Column("when", "When", Kind.TEXT, len("20 Nov 12:34"), essential=True),
        Computed[EntryRow](
            "outcome", "", Kind.TEXT, 2, essential=True, draw=lambda row: ended(row.entry)._replace(words="")
        ),
        Column("did", "Did", Kind.TEXT, len("subscribe user"), essential=True),
        Column("name_and_what", "Name and what", Kind.TEXT, 20, grow=True, essential=True),
    )
    _AUTHOR = Column[EntryRow]("who", "By", Kind.TEXT, 12, grow=True)
    _COST = Column[EntryRow]("requests", "Requests", Kind.COUNT, 8, align="right")

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._user: str | None = None
        self._host: str | None = None
        self._shown_entries: Sequence[JournalEntry] = ()
        self._rows: Sequence[EntryRow] = ()
        self._plans: Mapping[int, Plan] = {}
        self._sent: Sequence[WriteIntent] = ()
        """What was on its way when the journal was read last."""

    def key(self, row: EntryRow) -> Hashable:
        return row.entry.waits, row.entry.id

    @property
    def entry(self) -> JournalEntry | None:
        """The entry under the cursor."""
        return self.row.entry if self.row is not None else None

    def on_mount(self) -> None:
        self.set_interval(_LOOK_EVERY, self._look)

    def on_screen_resume(self) -> None:
        self.begin(self.do_refresh(), "refresh")

    def _look(self) -> None:
        """Read the journal again where a change has left or ended since."""
        if self.is_active and self.session.writes.sent != self._sent:
            self.begin(self.do_refresh(), "refresh")

    async def do_refresh(self) -> None:
        journal, entries, away = self.session.store.journal, list[JournalEntry](), None
        self._sent = self.session.writes.sent
        try:
            entries = await journal.recent(SHOWN, user=self._user, host=self._host)
        except StoreUnavailable as error:
            away = error
        waiting = await self.session.waiting(self._user, self._host)
        if away is not None and not waiting:
            self.show_rows([], away.what, away.advice, failed=True)
            return
        self._shown_entries = entries
        today = self.session.wall_time().date()
        self._plans = {plan.id: plan for plan in await self.session.collections.of(PLANS).known_records()}
        self._rows = [*entry_rows(waiting, today), *entry_rows(entries, today)]
        self._show_changes()
        unknown = sum(entry.is_open for entry in entries)
        waits = f"{counted(len(waiting), 'change')} to be handed in" if waiting else ""
        checks = f" · {unknown} of unknown outcome: {self.key_of('check')} checks" if unknown else ""
        newest = "the newest " if len(entries) == SHOWN else ""
        whose = f" by {self._user}" if self._user else f" on {self._host}" if self._host else ""
        told = away.what if away else f"{newest}{counted(len(entries), 'change')}{whose}{checks}"
        self.show_status(" · ".join(filter(None, (waits, told))))
        if self.focused is None or not self.focused.display:  # who reads the details goes on there
            (self.table if self._rows else self.query_one(StatePanel)).focus()

    def _show_changes(self) -> None:
        """Show the rows, with whom and the cost where those differ."""
        rows = self._rows
        many = [self._AUTHOR] if len({row.who for row in rows}) > 1 else []
        costs = [self._COST] if any(row.requests != 1 and row.entry.outcome for row in rows) else []
        advice = "Every change will be listed here, with its outcome."
        self.show_rows(rows, "Nothing was changed yet.", advice, columns=[*self.columns, *many, *costs])

    async def do_whose(self) -> None:
        """Ask whose changes are to be shown."""
        from linkdash.model.copy_choices import PickerChoice
        from linkdash.screens.windows.picker import PickerScreen

        authors = await self.session.store.journal.authors()
        users, hosts = (sorted(set(names)) for names in zip(*authors, strict=True)) if authors else ((), ())
        everybody = PickerChoice("everybody", "")
        by_user = {PickerChoice(user, "a person"): user for user in users}
        by_host = {PickerChoice(host, "a machine"): host for host in hosts}
        picker = PickerScreen("Changes by", [everybody, *by_user, *by_host])
        chosen: PickerChoice | None = await self.app.push_screen_wait(picker)
        if chosen is not None:
            self._user, self._host = by_user.get(chosen), by_host.get(chosen)
            await self.do_refresh()

    @on(RecordTable.CursorMoved)
    def _show_details(self) -> None:
        pane, details = self.query_one("#pane", Panel), self.query_one("#details", Details)
        if self.row is None:
            pane.say("Details")
            details.show(None, lines=[])
        else:
            intent = self.row.entry.intent
            pane.say(summary_of(intent))
            details.show(None, lines=below_its_row(self._lines(self.row.entry), intent))

    def _lines(self, entry: JournalEntry) -> list[DetailLine]:
        """An entry in full, with the content that a code had before; among the changes of all, to be sure."""
        resource = declaration_of(entry.intent.resource)
        is_whole = self._user is None and self._host is None and not entry.waits
        content = None
        if resource is not None and entry.intent.action == "update" and is_whole:
            content = kept_before(self._shown_entries, entry, resource).sendable
        return entry_lines(entry, content, self._plans)

    def missing_entry(self) -> str | None:
        return "There is no change under the cursor." if self.entry is None else None

    def missing_unknown(self) -> str | None:
        if self.entry is not None and self.entry.waits:
            return _HANDED_IN_FIRST
        if self.entry is not None and not self.entry.is_open:
            return f"The outcome of this change is known: {self.entry.outcome_words}."
        return self.missing_entry()

    def missing_edit(self) -> str | None:
        """Return why the change under the cursor cannot be undone."""
        entry, key_of = self.entry, self.key_of
        if entry is None:
            return self.missing_entry()
        if entry.waits:
            return _HANDED_IN_FIRST
        if entry.outcome is None:
            return "It is still being sent."
        if entry.is_open:
            return f"It is not known whether this was done: {key_of('check')} checks."
        if not entry.was_done:
            return f"There is nothing to undo: {entry.outcome_words}."
        if entry.intent.action in UNDOABLE or self._is_renewable(entry.intent):
            return None
        return self._no_way_back(entry.intent.action)

    def _is_renewable(self, intent: WriteIntent) -> bool:
        """Return whether it has deleted a record that is known as it was, and can be created anew."""
        resource = declaration_of(intent.resource)
        if intent.action != "delete" or resource is None or resource.create is None:
            return False
        return intent.record_id in self.session.collections.of(resource).deleted

    def _no_way_back(self, action: str) -> str:
        whys = {
            "create": f"Only a delete undoes it: {self.key_of('go-there')} goes to the record.",
            "delete": questions.NO_WAY_BACK,
        }
        return whys.get(action, "The service cannot undo an assignment.")

    def do_undo(self) -> Flow | None:
        if self.entry is None:
            return None
        if self._is_renewable(intent := self.entry.intent):
            self.services.navigation.go_to_record(intent.resource, intent.record_id, "anew")
            return None
        return self._undo(self.entry)

    async def _undo(self, entry: JournalEntry) -> None:
        from linkdash.screens.writes.undoing import undo_entry  # whose job shows entries, too

        await undo_entry(self, entry)
        await self.do_refresh()

    def do_check(self) -> Flow | None:
        return self._check(self.entry) if self.entry is not None else None

    async def _check(self, entry: JournalEntry) -> None:
        found = await self.session.check(entry)
        self.say(found.message, summary_of(entry.intent))
        await self.do_refresh()

    def do_open(self) -> None:
        """Show what was sent; of an earlier run, what the journal keeps of it."""
        from linkdash.screens.lists.record_actions import show_exchange, show_in_full

        entry = self.entry
        if entry is None:
            return
        request = self.session.requests.get(entry.origin)
        exchange = self.session.client.connection.exchanges.of(request) if request is not None else None
        if exchange is not None:
            show_exchange(self, summary_of(entry.intent), exchange)
        else:
            show_in_full(self, summary_of(entry.intent), [*self._lines(entry), _NOT_KEPT])

    def do_copy(self) -> Flow | None:
        return self._copy(self.entry.intent) if self.entry is not None else None

    async def _copy(self, intent: WriteIntent) -> None:
        from linkdash.model.as_command import write_commands
        from linkdash.screens.lists.record_actions import copy_one

        commands = await write_commands(self.session.settings.base_url, [intent])
        await copy_one(self, f"Copy: {summary_of(intent)}", commands)

    def anew(self) -> "JournalScreen":
        return JournalScreen(self.session)

    def do_go_there(self) -> None:
        if self.entry is not None:
            intent = self.entry.intent
            self.services.navigation.go_to_record(intent.resource, intent.record_id)
