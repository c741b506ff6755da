"""The audit of loaded records: each finding leads to its record."""

import asyncio
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from textual import on

from linkdash.api.fields import Kind
from linkdash.model.humanize import ATTENTION, counted
from linkdash.model.insight.audit import DAYS, Check, Suspect, audit, known_now
from linkdash.model.lists.columns import Column
from linkdash.model.resources import place
from linkdash.model.session import Session
from linkdash.screens.actions import BACK, Action, Flow, bindings
from linkdash.screens.rows_screen import RowsScreen
from linkdash.widgets.details import DetailLine, Details
from linkdash.widgets.styled_text import Piece, Tone
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
    def finding(self) -> str:
        """Return the finding, in words."""
        return self.check.title

    @property
    def record(self) -> str:
        """Return the record that it is about."""
        if self.suspect is None:
            return "? not all of it is known" if self.check.found else "? cannot tell"
        return self.suspect.name or f"{self.suspect.resource} {self.suspect.id}"

    @property
    def why(self) -> str:
        """Return the finding in full."""
        return self.check.unseen if self.suspect is None else self.suspect.why


class AuditScreen(RowsScreen[AuditRow]):
    """Findings by check, what could not be seen among them; looking costs nothing."""

    TITLE = "Audit"
    ACTIONS = AUDIT_ACTIONS
    BINDINGS = bindings(AUDIT_ACTIONS)
    place_id = "overview"
    columns = (
        Column("record", "Record", Kind.TEXT, 24, grow=True, essential=True),
        Column("finding", "Finding", Kind.TEXT, 25, essential=True),
        Column("why", "Why", Kind.TEXT, 38, grow=True),
    )

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.days = DAYS
        self.checks: Sequence[Check] = ()
        """The checks, with their findings."""

    def key(self, row: AuditRow) -> Hashable:
        return row.check.title, row.suspect

    def on_screen_resume(self) -> None:
        self.table.focus()
        self.action_do("refresh")

    async def do_refresh(self) -> None:
        self.show_status("looking…")
        known = await known_now(self.session, self.days)
        self.checks = await asyncio.to_thread(audit, known)
        rows = [row for check in self.checks for row in _rows(check)]
        self.show_rows(rows, "Nothing was found.", "Everything that is loaded was checked.")
        found = sum(len(check.found) for check in self.checks)
        blind = sum(bool(check.unseen) for check in self.checks)
        lacks = f" · {blind} of {counted(len(self.checks), 'check')} incomplete" if blind else ""
        self.show_status(f"{counted(found, 'finding')}{lacks} · no request spent")
        self._show_details()

    @on(RecordTable.CursorMoved)
    def _show_details(self) -> None:
        why = [DetailLine(self.row.finding, (Piece(self.row.why),)), DetailLine("")] if self.row else []
        checks = map(_check_line, self.checks)
        self.query_one("#details", Details).show(None, lines=[*([] if self._tells_why else why), *checks])

    @property
    def _tells_why(self) -> bool:
        """Return whether the table has room to say why, so that nothing else has to."""
        return self.has_class("-roomy") or self.has_class("-wide")

    def on_resize(self) -> None:
        self.call_after_refresh(self._show_details)

    def do_open(self) -> None:
        """Go to the record, or to where what was not seen is loaded."""
        if self.row is None:
            return
        resource, id = self.row.check.resource, None
        if self.row.suspect is not None:
            resource, id = self.row.suspect.resource, self.row.suspect.id
        else:
            self.say(f"{place(resource).title}: {self.row.why}.")
        self.services.go_to_record(resource, id)

    def do_days(self) -> Flow:
        self.days = _TIMES[(_TIMES.index(self.days) + 1) % len(_TIMES)]
        return self.do_refresh()


def _rows(check: Check) -> list[AuditRow]:
    unseen = [AuditRow(check, None)] if check.unseen else []
    return [*unseen, *(AuditRow(check, suspect) for suspect in check.found)]


def _check_line(check: Check) -> DetailLine:
    count = len(check.found)
    if count:
        said = Piece(f"{ATTENTION} {count:,} found", Tone.WARNING)
    else:
        said = Piece("? cannot tell", Tone.MUTED) if check.unseen else Piece("✓ none", Tone.GOOD)
    more = (Piece("  and perhaps more", Tone.MUTED),) if count and check.unseen else ()
    return DetailLine(check.title, (said, *more))
