"""The audit of loaded records: the checks, and below them the findings of one, each a way to its record."""

import asyncio
from collections.abc import Hashable, Sequence
from itertools import zip_longest

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.geometry import Size

from linkdash.api.fields import Kind
from linkdash.model.humanize import ATTENTION
from linkdash.model.insight.audit import DAYS, Check, Suspect, audit, known_now, silent_title
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
        "Show what the next check has found",
        "Move",
        shown=True,
        do=lambda screen: screen.do_next_check(1),
    ),
    Action(
        "previous-check",
        "shift+tab",
        "Previous check",
        "Show what the check before has found",
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


def common_why(check: Check) -> str:
    """Return why its findings are findings, where that is the same of all of them; else nothing."""
    reasons = {suspect.why for suspect in check.found}
    return reasons.pop() if len(reasons) == 1 else ""


def row_lines(row: Suspect, key: str, common: str, unseen: str, *, facts: bool) -> list[DetailLine]:
    """A finding in full: why it is one, if not as all others, where its key goes, and what else is known.

    The `facts` are left out where its row has them.
    """
    where, why = f"{place(row.resource).title} · {key} goes there", "" if common else row.why
    told = {"Why": why, "Where": where, "Details": row.facts if facts else "", "Not seen": unseen}
    return [DetailLine(title, (Piece(text),)) for title, text in told.items() if text]


class AuditScreen(RowsScreen[Suspect]):
    """The findings of one check; looking costs nothing."""

    TITLE = "Audit"
    ACTIONS = AUDIT_ACTIONS
    BINDINGS = bindings(AUDIT_ACTIONS)
    place_id = "overview"
    columns = (
        Column("label", "Record", Kind.TEXT, 24, grow=True, essential=True),
        Column("why", "Why", Kind.TEXT, 25, grow=True, essential=True),
        Column("facts", "Details", Kind.TEXT, 34, grow=True),
    )

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.days = DAYS
        self.checks: Sequence[Check] = ()
        """The checks with their findings, those that found the most first."""
        self._chosen = ""

    def compose_middle(self) -> ComposeResult:
        with Vertical(id="audit"):
            yield Panel(CheckLines(), title="Checks", id="checks")
            yield self.layout_of(pane=Details(id="details"))

    def anew(self) -> "AuditScreen":
        return AuditScreen(self.session)

    def key(self, row: Suspect) -> Hashable:
        return row

    def on_screen_resume(self) -> None:
        self.table.focus()
        self.begin(self.do_refresh(), "refresh")

    @property
    def check(self) -> Check | None:
        """Return the check whose findings are shown; None before the first look."""
        return self.checks[self._position] if self.checks else None

    @property
    def _position(self) -> int:
        return next((at for at, check in enumerate(self.checks) if check.title == self._chosen), 0)

    async def do_refresh(self) -> None:
        self.show_status("looking…")
        known = await known_now(self.session, self.days)
        checks = await asyncio.to_thread(audit, known)
        self.checks = sorted(checks, key=lambda check: -len(check.found))
        self.query_one(CheckLines).show(self.checks)
        blind = sum(bool(check.unseen) for check in self.checks)
        lacks = f"{blind} of {len(self.checks)} are incomplete" if blind else ""
        self.query_one("#checks", Panel).say(above=[Piece("no request spent", Tone.MUTED)], below=[lacks])
        self._show_check()

    def _show_check(self) -> None:
        """Show the findings of the check."""
        check = self.check
        if check is None:
            return
        self._chosen = check.title
        facts = any(suspect.facts for suspect in check.found)
        hidden = {*(["why"] if common_why(check) else []), *([] if facts else ["facts"])}
        columns = [column for column in self.columns if column.name not in hidden]
        headline, advice = self._why_empty(check)
        self.show_rows(check.found, headline, advice, columns=columns)
        self.list_panel.say(below=())
        self.query_one(CheckLines).point_at(check)
        if check.found:
            self.table.focus()  # which it has lost where a check without findings was shown before
        self._show_details()

    def on_mount(self) -> None:
        """Follow the room that there is: which columns have some is known once it is laid out."""
        self.screen_layout_refresh_signal.subscribe(self, lambda _: self._show_details())

    def _why_empty(self, check: Check) -> tuple[str, str]:
        """The text where a check has found nothing, and what can be done."""
        if not check.unseen:
            return "Nothing was found.", "Everything was looked at."
        return f"Unknown: {check.unseen}.", f"{self.key_of('open')} goes to {place(check.resource).title}."

    @on(RecordTable.CursorMoved)
    def _show_details(self) -> None:
        """Tell in the frame what all findings have in common, and of one what the table has no room for."""
        self.set_class(self.table.hidden > 0, "-cut")
        row, check = self.row, self.check
        if check is None:
            return
        common, boxed = common_why(check), self.list_panel.is_boxed
        unseen = check.unseen if boxed and check.found else ""  # a rule has no room for both
        said = " · ".join(filter(None, [common, unseen]))
        self.list_panel.say(check.title, above=[Piece(said, Tone.MUTED)] if said else ())
        self.query_one("#pane", Panel).say(row.label if row is not None else "Details")
        unseen = "" if boxed else check.unseen
        facts = "facts" in self.table.without_room
        told = row_lines(row, self.key_of("open"), common, unseen, facts=facts) if row is not None else []
        self.query_one("#details", Details).show(None, lines=told)

    def do_open(self) -> None:
        """Go to the record, or where there is none, to what the check could not see."""
        row, check = self.row, self.check
        if row is not None:
            self.services.navigation.go_to_record(row.resource, row.id)
        elif check is not None and check.unseen:
            self.say(f"{place(check.resource).title}: {check.unseen}.")
            self.services.navigation.go_to_record(check.resource, None)

    def do_next_check(self, by: int) -> None:
        """Show the next check, or the one before, round and round."""
        if self.checks:
            self._chosen = self.checks[(self._position + by) % len(self.checks)].title
            self._show_check()
            self.table.move_cursor(0)

    def do_days(self) -> Flow:
        self.days = _TIMES[(_TIMES.index(self.days) + 1) % len(_TIMES)]
        self._chosen = silent_title(self.days)
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
        is_paired = width >= 2 * (titles + _FOUND_CELLS)
        half = width // 2 if is_paired else width
        told = [
            _check_line(check, titles, half, is_marked=check == self._pointed_at) for check in self._checks
        ]
        if not is_paired:
            return told
        rows = (len(told) + 1) // 2
        pairs = zip_longest(told[:rows], told[rows:], fillvalue=list[Piece]())
        return [[*fitted(left, half), *right] for left, right in pairs]


_FOUND_CELLS = 14  # of the cursor, the gap, and the number that was found
_SIGN_CELLS = 5  # of the cursor, the gap and the sign before what is said of it, and the gap after


def _check_line(check: Check, titles: int, width: int, *, is_marked: bool) -> list[Piece]:
    """`▌Domains lacking redirects ! 5 found`, and why nothing is known where that has room."""
    if check.found:
        found = _number_found(check) if check.unseen else f"{_number_found(check)} found"
        said = Piece(f"{ATTENTION} {found}", Tone.WARNING)
    else:
        why = check.unseen if titles + cell_len(check.unseen) + _SIGN_CELLS <= width else "unknown"
        said = Piece(f"? {why}", Tone.MUTED) if check.unseen else Piece("✓ none", Tone.GOOD)
    mark = Piece(CURSOR if is_marked else SPARE, Tone.KEY)
    return [mark, *fitted([Piece(check.title, bold=is_marked)], titles + 1), said]


def _number_found(check: Check) -> str:
    """`5`; where it did not see everything, `10 or more` or `at most 17`."""
    found = f"{len(check.found):,}"
    if not check.unseen:
        return found
    return f"at most {found}" if check.is_most else f"{found} or more"
