"""The audit of loaded records: the checks, and below them the findings, each of which leads to its record."""

import asyncio
from bisect import bisect_right
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.geometry import Size

from linkdash.api.fields import Kind
from linkdash.model.humanize import ATTENTION
from linkdash.model.insight.audit import DAYS, Check, Suspect, audit, known_now
from linkdash.model.lists.columns import Column
from linkdash.model.resources import place
from linkdash.model.session import Session
from linkdash.screens.actions import BACK, Action, Flow, bindings
from linkdash.screens.rows_screen import RowsScreen
from linkdash.widgets.details import DetailLine, Details
from linkdash.widgets.frame.sidebar import CURSOR, SPARE
from linkdash.widgets.panel import Panel
from linkdash.widgets.styled_text import DrawnLines, Lines, Piece, Tone, fitted
from linkdash.widgets.table.record_table import RecordTable

_TIMES = (DAYS, 90, 7)  # days without a scan, in the order one key goes through them

AUDIT_ACTIONS: tuple[Action["AuditScreen"], ...] = (
    Action(
        "open",
        "enter",
        "Go there",
        "Go to the record, or to the list that is not loaded",
        "Move",
        shown=True,
        do=lambda screen: screen.do_open(),
    ),
    Action(
        "next-check",
        "tab",
        "Next check",
        "The first finding of the next check",
        "Move",
        shown=True,
        do=lambda screen: screen.do_next_check(1),
    ),
    Action(
        "previous-check",
        "shift+tab",
        "Previous check",
        "The first finding of the check before",
        "Move",
        do=lambda screen: screen.do_next_check(-1),
    ),
    Action(
        "days",
        "t",
        "Days",
        "Codes without a scan in 30, 90 or 7 days",
        shown=True,
        do=lambda screen: screen.do_days(),
    ),
    Action(
        "refresh",
        "r",
        "Refresh",
        "Check again what is loaded",
        shown=True,
        do=lambda screen: screen.do_refresh(),
    ),
    BACK,
)


@dataclass(frozen=True)
class AuditRow:
    """A finding, or what a check could not see."""

    check: Check
    suspect: Suspect | None

    @property
    def resource(self) -> str:
        """Return the resource of the record, or the one to load for what was not seen."""
        return self.suspect.resource if self.suspect is not None else self.check.resource

    @property
    def facts(self) -> str:
        """Return what else is known of the record."""
        return self.suspect.facts if self.suspect is not None else ""

    @property
    def record(self) -> str:
        """Return the record that it is about."""
        if self.suspect is None:
            return f"? {self.check.title}"
        return self.suspect.name or f"{self.suspect.resource} {self.suspect.id}"

    @property
    def why(self) -> str:
        """Return the finding in full."""
        return self.check.unseen if self.suspect is None else self.suspect.why


def audit_rows(checks: Sequence[Check]) -> list[AuditRow]:
    """The findings of each check, and below them what it could not see."""
    rows = []
    for check in checks:
        rows += [AuditRow(check, suspect) for suspect in check.found]
        if check.unseen:
            rows.append(AuditRow(check, None))
    return rows


def row_lines(row: AuditRow, key: str) -> list[DetailLine]:
    """A finding in full: why it is one, what else is known, and where its key goes."""
    where = f"{place(row.resource).title} · {key} goes there"
    unseen = row.check.unseen if row.suspect is not None else ""
    told = {"Why": row.why, "Where": where, "Details": row.facts, "Not seen": unseen}
    return [DetailLine(title, (Piece(text),)) for title, text in told.items() if text]


class AuditScreen(RowsScreen[AuditRow]):
    """Findings by check, what could not be seen among them; looking costs nothing."""

    TITLE = "Audit"
    ACTIONS = AUDIT_ACTIONS
    BINDINGS = bindings(AUDIT_ACTIONS)
    place_id = "overview"
    columns = (
        Column("record", "Record", Kind.TEXT, 24, grow=True, essential=True),
        Column("why", "Why", Kind.TEXT, 25, grow=True, essential=True),
        Column("facts", "Details", Kind.TEXT, 34, grow=True),
    )

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.days = DAYS
        self.checks: Sequence[Check] = ()
        """The checks with their findings, those that found the most first."""
        self._rows: Sequence[AuditRow] = ()

    def compose_middle(self) -> ComposeResult:
        with Vertical(id="audit"):
            yield Panel(CheckLines(), title="Checks", id="checks")
            yield self.layout_of(pane=Details(id="details"))

    def anew(self) -> "AuditScreen":
        return AuditScreen(self.session)

    def key(self, row: AuditRow) -> Hashable:
        return row.check.title, row.suspect

    def on_screen_resume(self) -> None:
        self.list_panel.say("Findings")
        self.table.focus()
        self.action_do("refresh")

    async def do_refresh(self) -> None:
        self.show_status("looking…")
        known = await known_now(self.session, self.days)
        checks = await asyncio.to_thread(audit, known)
        self.checks = sorted(checks, key=lambda check: -len(check.found))
        self._rows = audit_rows(self.checks)
        columns = self.columns if any(row.facts for row in self._rows) else self.columns[:-1]
        advice = "Everything that is loaded was checked."
        self.show_rows(self._rows, "Nothing was found.", advice, columns=columns)
        blind = [row for row in self._rows if row.suspect is None]
        self.show_status(f"{len(self._rows) - len(blind):,} in all")
        self.query_one(CheckLines).show(self.checks)
        lacks = f"{len(blind)} of {len(self.checks)} could not see all, as they say" if blind else ""
        self.query_one("#checks", Panel).say(above=[Piece("no request spent", Tone.MUTED)], below=[lacks])
        self._show_details()

    def on_resize(self) -> None:
        self.call_after_refresh(self._show_details)

    @on(RecordTable.CursorMoved)
    def _show_details(self) -> None:
        """Mark the check of the finding, and tell what the table has no room for."""
        self.set_class(self.table.hidden > 0, "-cut")
        row = self.row
        self.query_one(CheckLines).point_at(row.check if row is not None else None)
        self.query_one("#pane", Panel).say(row.record if row is not None else "Details")
        told = row_lines(row, self.key_of("open")) if row is not None else []
        self.query_one("#details", Details).show(None, lines=told)

    def do_open(self) -> None:
        """Go to the record, or to where what was not seen is loaded."""
        if self.row is None:
            return
        resource, suspect = self.row.resource, self.row.suspect
        if suspect is None:
            self.say(f"{place(resource).title}: {self.row.why}.")
        self.services.navigation.go_to_record(resource, suspect.id if suspect is not None else None)

    def do_next_check(self, by: int) -> None:
        """Go to where the next check begins, or the one before, round and round."""
        begins = [number for number, row in enumerate(self._rows) if self._begins(number, row)]
        if begins:
            current = bisect_right(begins, self.table.cursor) - 1
            self.table.move_cursor(begins[(current + by) % len(begins)])

    def _begins(self, number: int, row: AuditRow) -> bool:
        return number == 0 or self._rows[number - 1].check != row.check

    def do_days(self) -> Flow:
        self.days = _TIMES[(_TIMES.index(self.days) + 1) % len(_TIMES)]
        return self.do_refresh()


class CheckLines(DrawnLines):
    """The checks with how many each has found, two beside each other where there is room."""

    def __init__(self) -> None:
        super().__init__()
        self._checks: Sequence[Check] = ()
        self._pointed_at: Check | None = None

    def show(self, checks: Sequence[Check]) -> None:
        """Show other checks."""
        self._checks = checks
        self.refresh(layout=True)

    def point_at(self, check: Check | None) -> None:
        """Mark the check whose finding is under the cursor."""
        self._pointed_at = check
        self.update_lines()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self.lines(width, 0))

    def lines(self, width: int, height: int) -> Lines:
        titles = max((cell_len(check.title) for check in self._checks), default=0)
        told = [_check_line(check, titles, is_marked=check == self._pointed_at) for check in self._checks]
        if self.is_linear or width < 2 * (titles + _FOUND_CELLS):
            return told
        half = (len(told) + 1) // 2
        pairs = zip_longest(told[:half], told[half:], fillvalue=list[Piece]())
        return [[*fitted(left, width // 2), *right] for left, right in pairs]


_FOUND_CELLS = 14  # of the cursor, the gap, and the number that was found


def _check_line(check: Check, titles: int, *, is_marked: bool) -> list[Piece]:
    """`▌Domains without redirects ! 5 found`"""
    count = len(check.found)
    if count:
        number = f"{count:,} or more" if check.unseen else f"{count:,} found"
        said = Piece(f"{ATTENTION} {number}", Tone.WARNING)
    else:
        said = Piece("? unknown", Tone.MUTED) if check.unseen else Piece("✓ none", Tone.GOOD)
    mark = Piece(CURSOR if is_marked else SPARE, Tone.KEY)
    return [mark, *fitted([Piece(check.title, bold=is_marked)], titles + 1), said]
