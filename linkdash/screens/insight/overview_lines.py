"""The lines of the overview's panels, and what each of them leads to."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from linkdash.api.budget.ledger import HOUR, spending
from linkdash.api.errors import KeyRefused
from linkdash.model.humanize import ATTENTION, LATER, SOON, UNKNOWN, TimeLeft, ago, counted, first_of
from linkdash.model.insight.allowances import (
    PlanAllowance,
    limit_words,
    uses_unknown,
)
from linkdash.model.insight.expiry import plan_name, time_left
from linkdash.model.insight.overview import MOST, Overview
from linkdash.model.lists.list_status import advice_of
from linkdash.model.resources import FELL, MOST_SCANNED, PLACES, ROSE, WITHIN_A_WEEK, Place
from linkdash.screens.change_lines import change_pieces
from linkdash.screens.frame_entries import freshness
from linkdash.screens.insight.allowance_signs import allowance_sign, plan_advice
from linkdash.screens.left_over_time import left_over_time
from linkdash.store.alerts import Alert
from linkdash.widgets.charts.budget_history import LeftOverTime, budget_rows
from linkdash.widgets.charts.cell_pictures import gauge, time_left_pieces
from linkdash.widgets.menu import MenuLine, menu_line
from linkdash.widgets.styled_text import Piece, Tone

if TYPE_CHECKING:  # the first picture says what is kept of the account, and is not held up by all else
    from linkdash.api.resources.account import Account
    from linkdash.api.resources.users import User
    from linkdash.model.insight.first_day import FirstDay
    from linkdash.model.statistics.period_comparison import Comparison
    from linkdash.model.statistics.scan_activity import Activity, Together

_FEW = 8
"""Lines of a list of codes or changes, where panels stand below one another."""
BUDGET_SECONDS, _BUDGET_ROWS = 1800.0, 5  # of the picture of what was left
_DUE = 20
"""Users who expire soon that are listed; the list of users has all."""
_PLAN, _LEFT = 12, 11  # cells of a plan and of the time that is left
_NAME = 8  # cells of an allowance's name
_GAUGE = 30  # cells at most


# ---- what a line leads to ----


class ToPlace(NamedTuple):
    """The list of a resource."""

    id: str


class ToAction(NamedTuple):
    """An action of the program."""

    id: str


class ToRecord(NamedTuple):
    """A record in the list of its resource."""

    resource: str
    id: int


class ToCode(NamedTuple):
    """The statistics of a code."""

    id: int


class ToFinding(NamedTuple):
    """The list of a resource, with what one of its findings shows."""

    resource: str
    name: str


Target: TypeAlias = ToPlace | ToAction | ToRecord | ToCode | ToFinding

_ACCOUNT, _CODES, _USERS = ToPlace("account"), ToPlace("qr"), ToPlace("users")
_WITH_A_HISTORY = "What rose and fell: after two weeks of readings (linkdash collect)."


def _note(text: str, target: Target) -> MenuLine:
    return menu_line([Piece(text, Tone.MUTED)], (), target)


@dataclass(frozen=True)
class OverviewLines:
    """The lines of each panel, from what is known."""

    known: Overview
    key_of: Callable[[str], str]
    """The key of an action as the user reads it."""
    is_wide: bool
    """True where panels stand side by side, each with a room of its own."""
    account_width: int
    """The cells of the account's panel."""

    @property
    def _most(self) -> int:
        return MOST if self.is_wide else _FEW

    def most_of(self, panel: str) -> int | None:
        """Return how many lines a panel lists at most; None where it lists all."""
        return {"top": self._most, "moved": self._most, "changes": self._most, "expiring": _DUE}.get(panel)

    # ---- since yesterday ----

    def since(self) -> list[MenuLine]:
        """Return what needs the user, and how the scans of all codes changed."""
        known = self.known.pulse
        if known is None:
            return [_note("Reading saved data…", _CODES)]
        if not known.codes:
            return [*self._needed(), *self._no_history()]
        first_day = self.known.first_day
        whole = [
            (known.day, _whole("yesterday", self._weekday_before, "", known.day)),
            (known.week, _whole("in 7 days", "in the 7 before", "not comparable yet", known.week)),
        ]
        lines = [
            *(line for one, line in whole if first_day is None or one.comparison.now is not None),
            *(self._sharp("▼", FELL, known.fell) if known.fell else []),
            *(self._sharp("▲", ROSE, known.rose) if known.rose else []),
            *(self._headline(one) for one in known.headlines),
        ]
        if first_day is not None:
            lines += self._first_day(first_day)
        elif not (known.headlines or known.fell or known.rose):
            lines.append(_note("No code rose or fell by more than usual.", _CODES))
        return [*self._needed(), *lines]

    @property
    def _weekday_before(self) -> str:
        """The day that the last whole one is compared with: a Sunday is no fall after a Saturday."""
        return f"the {self.known.statistics.now - timedelta(days=1):%a} before"

    def _needed(self) -> list[MenuLine]:
        """Return what needs the user, the most urgent first."""
        sign = Piece(f"{ATTENTION} ", Tone.WARNING)
        mistaken = [menu_line([sign, Piece(text, Tone.WARNING)], (), _CODES) for text in self.known.unmatched]
        alerts = map(_alert, self.known.alerts)
        return [
            *self._refused_key(),
            *alerts,
            *self._unknown_changes(),
            *self._interrupted(),
            *mistaken,
            *self._ending_soon(),
        ]

    def _refused_key(self) -> list[MenuLine]:
        error = self.known.collection.listing.error
        if not isinstance(error, KeyRefused):
            return []
        return [menu_line([Piece("✗ ", Tone.BAD), Piece(error.what, Tone.BAD, bold=True)], (), _ACCOUNT)]

    def _unknown_changes(self) -> list[MenuLine]:
        if not self.known.unknown_changes:
            return []
        text = f"{counted(self.known.unknown_changes, 'change')} of unknown outcome"
        left = [Piece("? ", Tone.WARNING), Piece(text, Tone.WARNING, bold=True)]
        return [menu_line(left, (), ToAction("journal"))]

    def _interrupted(self) -> list[MenuLine]:
        """Return the bulk jobs that somebody may resume."""
        sign = Piece(f"{ATTENTION} ", Tone.WARNING)
        told = [f"Interrupted, {job.left} left: {job.title}" for job in self.known.interrupted]
        return [menu_line([sign, Piece(text, Tone.WARNING)], (), ToAction("bulk")) for text in told]

    def _ending_soon(self) -> list[MenuLine]:
        soon = self.known.ending_within(SOON)
        if not soon:
            return []
        verb = "expires" if len(soon) == 1 else "expire"
        said = [
            Piece(f"{ATTENTION} ", Tone.WARNING),
            Piece(f"{counted(len(soon), 'user')} {verb} within 7 days  ", Tone.HERO),
        ]
        names = Piece(first_of([user.username for user in soon], 2), Tone.MUTED)
        return [menu_line([*said, names], (), ToFinding("users", WITHIN_A_WEEK))]

    def _sharp(self, sign: str, finding: str, found: "Sequence[Activity]") -> list[MenuLine]:
        """Return how many codes rose or fell in a week, and which of them most."""
        first, tone = found[0], _change_tone(found[0].week)
        percent, difference = first.week.percent, first.week.difference
        by = f"{abs(difference):,}" if percent is None else f"{abs(percent):,} %"
        left = [
            Piece(f"{sign} ", tone),
            Piece(f"{counted(len(found), 'code')} {finding}", Tone.HERO),
            Piece(f"  {self.known.name_of(first.code_id)}", Tone.MUTED),
            Piece(f" by {by}", tone),
        ]
        return [menu_line(left, (), ToFinding("qr", finding) if len(found) > 1 else ToCode(first.code_id))]

    def _no_history(self) -> list[MenuLine]:
        key = self.key_of("go-qr")
        loads = f"No scans are known yet: press {key} to load QR codes, 1 request a page."
        return [_note(loads, _CODES), *self._terms(), _note(_WITH_A_HISTORY, _CODES)]

    def _first_day(self, known: "FirstDay") -> list[MenuLine]:
        """Return what needs no history: the newest codes, those never scanned, and users by their term."""
        newest = [code.shown_name for code in known.newest]
        unscanned = [code.shown_name for code in known.unscanned]
        lines = [
            ("Newest", newest),
            (f"{counted(len(unscanned), 'code')} never scanned", unscanned),
        ]
        told = [
            menu_line([Piece(f"{title}  ", Tone.HERO), Piece(first_of(names, 2), Tone.MUTED)], (), _CODES)
            for title, names in lines
            if names
        ]
        return [*told, *self._terms(), _note(_WITH_A_HISTORY, _CODES)]

    def _terms(self) -> list[MenuLine]:
        """Return how many users have how much time left, where users are known."""
        if not self.known.terms:
            return []
        words = ", ".join(f"{number:,} {term}" for term, number in self.known.terms)
        return [menu_line([Piece("Users  ", Tone.HERO), Piece(words, Tone.MUTED)], (), _USERS)]

    # ---- codes ----

    @property
    def has_weeks(self) -> bool:
        """Return whether the week of any code is known; without one the top codes are those of all time."""
        known = self.known.pulse
        return known is None or not known.top or known.top[0].week.now is not None

    def top(self) -> list[MenuLine]:
        """Return the codes with the most scans in the last week."""
        known = self.known.pulse
        if known is None or not known.top:
            return [_note("…" if known is None else "Here once QR codes are loaded.", _CODES)]
        shown = known.top[: self._most]
        change = max(len(one.week.words) for one in shown)
        return [self._top_line(one, change) for one in shown]

    def _top_line(self, one: "Activity", change: int) -> MenuLine:
        """A code with the scans of its week and their change; where no week is known, with all its scans."""
        left, target = [Piece(self.known.name_of(one.code_id))], ToCode(one.code_id)
        if not self.has_weeks:
            return menu_line(left, [Piece(f"{one.scans:,} in all", Tone.MUTED)], target)
        scans = UNKNOWN if one.week.now is None else str(one.week.now)
        right = [Piece(scans, Tone.HERO), Piece(f" {one.week.words:>{change}}", _change_tone(one.week))]
        return menu_line(left, right, target)

    def moved(self) -> list[MenuLine]:
        """Return the codes whose week changed most."""
        known = self.known.pulse
        if known is None:
            return [_note("…", _CODES)]
        if self.known.first_day is not None:
            return self._rates(self.known.first_day) or [_note("Here once QR codes are loaded.", _CODES)]
        if not known.changed:
            return [_note("No code was scanned more or less than the week before.", _CODES)]
        shown = known.changed[: self._most]
        widest = max(len(f"{one.week.difference:+,}") for one in shown)
        return [self._changed_line(one, widest) for one in shown]

    def _rates(self, known: "FirstDay") -> list[MenuLine]:
        """Return the codes with the most scans a day since they were made."""
        return [
            menu_line([Piece(one.code.shown_name)], [Piece(f"{one.a_day:,.1f} a day")], ToCode(one.code.id))
            for one in known.rates[: self._most]
        ]

    def _changed_line(self, one: "Activity", widest: int) -> MenuLine:
        """A code after the number by which it changed, which the lines are in the order of."""
        tone, by = _change_tone(one.week), f"{one.week.difference:+,}"
        left = [Piece(f"{by:>{widest}}  ", tone), Piece(self.known.name_of(one.code_id))]
        return menu_line(left, [Piece(one.week.words, tone)], ToCode(one.code_id))

    def _headline(self, one: "Activity") -> MenuLine:
        """A code after the percent by which its last day differs from that weekday."""
        tone, by = _change_tone(one.day), one.day.difference
        left = [Piece(f"{one.day.words}  ", tone), Piece(self.known.name_of(one.code_id))]
        told = f"{abs(by):,} {'more' if by > 0 else 'fewer'} than {self._weekday_before}"
        return menu_line(left, [Piece(told, tone)], ToCode(one.code_id))

    # ---- users ----

    def expiring(self) -> list[MenuLine]:
        """Return the users who expire soon; those who did are counted in the frame."""
        soon = self.known.ending_within(LATER)
        if not soon:
            words = "…" if self.known.due is None else "No user expires within 30 days."
            return [_note(words, _USERS)]
        return [self._expiring_line(user, self.known.plan_names) for user in soon[:_DUE]]

    def _expiring_line(self, user: "User", names: Mapping[int, str]) -> MenuLine:
        now = self.known.session.local_time()
        left = time_left(user, now)
        right = [
            Piece(f"{plan_name(user.planid, names)[:_PLAN]:<{_PLAN}} ", Tone.MUTED),
            *time_left_pieces(left, _LEFT),
        ]
        return menu_line([Piece(user.username)], right, ToRecord("users", user.id))

    def expiring_counts(self) -> list[Piece]:
        """Return how many users expired and expire soon; nothing before that was looked for.

        How many do within a week is told among what changed.
        """
        if self.known.due is None:
            return []
        month = len(self.known.ending_within(LATER))
        expired = Piece(f"{len(self.known.due) - month:,} expired", Tone.BAD)
        return [expired, Piece(" · ", Tone.FAINT), Piece(f"{month:,} in {LATER.days} days", Tone.MUTED)]

    # ---- account and allowances ----

    def account(self) -> list[MenuLine]:
        """Return the account, its plan and what is used of it; while it is not known, why."""
        account, plan = self.known.account, self.known.plan
        if account is None:
            return [_note(text, _ACCOUNT) for text in self._without_account()]
        status = Piece(f"  status {account.status}" if account.status else "", Tone.ICON)
        left = [Piece(account.username, Tone.HERO), status]
        if plan is None:
            users, plans = self.key_of("go-users"), self.key_of("go-plans")
            how = plan_advice(self.known.session.admin_refusal is None, plans, users)
            return [
                self._account_line(account, left),
                *(
                    _note(line, ToPlace("plans"))
                    for line in self._in_account(f"The plan is not known. {how}")
                ),
            ]
        found = self.known.allowances(plan)
        widest = max((len(_use(one)) for one in found if one.share is not None), default=0)
        return [
            self._account_line(account, [Piece(plan.name, Tone.BRAND)]),  # the header says whose it is
            *(self._allowance(one, widest) for one in found if one.resource),
            *self._not_reported([one for one in found if not one.resource]),
        ]

    def _without_account(self) -> list[str]:
        error = self.known.collection.listing.error
        if error is None:
            return ["Asking for the account…"]
        told = (error.what, *advice_of(error, self.key_of))
        return [line for sentence in told for line in self._in_account(sentence)]

    def _not_reported(self, found: Sequence[PlanAllowance]) -> list[MenuLine]:
        """The allowances of what the service does not count."""
        words = uses_unknown(one.name for one in found) if found else ""
        return [_note(line, ToPlace("plans")) for line in self._in_account(words)]

    def _in_account(self, sentence: str) -> list[str]:
        return wrap(sentence, max(20, self.account_width - 2))

    def _account_line(self, account: "Account", left: Sequence[Piece]) -> MenuLine:
        ends = TimeLeft(account.expires, self.known.session.local_time())
        tone = Tone.BAD if ends.is_over else Tone.WARNING if ends.is_within(LATER) else Tone.MUTED
        return menu_line(left, [Piece(f"{ends.sign}{ends.words}", tone)], _ACCOUNT)

    def _allowance(self, one: PlanAllowance, widest: int) -> MenuLine:
        target = ToPlace(one.resource or "plans")
        name = Piece(f"{one.name:<{_NAME}} ", Tone.MUTED)
        if one.share is None:
            how = f"{self.key_of(f'go-{one.resource}')} loads what is used"
            missing = how if one.used is None else f"{one.used:,} used"
            return menu_line([name, Piece(missing, Tone.FAINT)], [Piece(_use(one))], target)
        sign, tone = allowance_sign(one)
        share = f"{one.share * 100:,.0f} %"
        right = [Piece(f"{_use(one):>{widest}}"), Piece(f"{sign:>2}{share:>5}", tone)]
        used, limit = one.used or 0, one.limit

        def left(width: int) -> list[Piece]:
            heavy, light = gauge(used, limit, max(0, min(_GAUGE, width - _NAME - 2)))
            return [name, Piece(heavy, tone), Piece(light, Tone.FAINT)]

        return MenuLine(left, right, target)

    # ---- totals, changes, budget ----

    def totals(self) -> list[MenuLine]:
        """Return how many records each list has, and how old that is."""
        return [self._total_line(place) for place in PLACES if place.id != "account"]

    def _total_line(self, place: Place) -> MenuLine:
        session = self.known.session
        known, target = session.collections.known(place.id), ToPlace(place.id)
        sign = freshness(known)
        left = [Piece(f"{sign.sign} ", sign.tone), Piece(place.title)]
        age = known.listing.age(session.now()) if known is not None else None
        if known is None or age is None:
            how = f"press {self.key_of(f'go-{place.id}')} to load"
            return menu_line(left, [Piece(how, Tone.FAINT)], target)
        total = known.listing.total
        count = f"{len(known.listing.loaded_rows()):,} loaded" if total is None else f"{total:,}"
        right = [Piece(f"{count:>9}", Tone.HERO), Piece(f"{ago(age):>12}", Tone.MUTED)]
        return menu_line(left, right, target)

    def changes(self) -> list[MenuLine]:
        """Return the latest changes."""
        changes, target = self.known.changes, ToAction("journal")
        if not changes:
            return [_note("Nothing was changed from here yet." if changes is not None else "…", target)]
        today = self.known.session.wall_time().date()
        return [menu_line(change_pieces(entry, today), (), target) for entry in changes[: self._most]]

    def budget(self) -> list[MenuLine]:
        """Return what this run spent, and the picture of what was left."""
        gate, target = self.known.session.gate, ToAction("budget")
        total = spending(gate.ledger.entries(gate.now(), HOUR))
        spent = f"{counted(total.requests, 'request')} in 1 h"
        refused = [Piece(f", {total.refused} refused", Tone.WARNING)] if total.refused else []
        kept = left_over_time(gate, BUDGET_SECONDS) if self.is_wide else None
        return [
            menu_line([Piece(spent, Tone.MUTED), *refused], (), target),
            *(MenuLine(partial(_budget_row, kept, row), (), target) for row in range(_BUDGET_ROWS) if kept),
        ]


def _alert(alert: Alert) -> MenuLine:
    left = [Piece(f"{ATTENTION} ", Tone.WARNING), Piece(alert.message, Tone.WARNING, bold=True)]
    kind, _, id = alert.subject.partition(":")[0].partition(" ")
    target: Target = ToAction("budget")
    if kind == "qr" and id.isdecimal():
        target = ToCode(int(id))
    elif kind == "user" and id.isdecimal():
        target = ToRecord("users", int(id))
    elif kind in {place.id for place in PLACES}:
        target = ToPlace(kind)
    return menu_line(left, [Piece(alert.rule, Tone.MUTED)], target)


def _whole(when: str, against: str, if_unknown: str, together: "Together") -> MenuLine:
    """A line of the scans of all codes, and what became of them: `if_unknown` where that cannot be told."""
    comparison = together.comparison
    if comparison.now is None:
        left = [Piece("– ", Tone.FAINT), Piece(f"Scans {when} are not known yet", Tone.MUTED)]
        return menu_line(left, (), _CODES)
    tone = _change_tone(comparison)
    change = comparison.change
    words = if_unknown if change is None else change.than(against)
    some = f" · {together.compared:,} of {counted(together.scanned, 'code')}"
    left = [
        Piece(f"{comparison.sign or '–'} ", tone),
        Piece(f"{comparison.now} scans {when}", Tone.HERO),
        Piece(f"  {words}" if words else "", tone),
        Piece(some if together.compared < together.scanned else "", Tone.MUTED),
    ]
    return menu_line(left, (), ToFinding("qr", MOST_SCANNED))


def _use(one: PlanAllowance) -> str:
    return limit_words(one.limit) if one.share is None else f"{one.used:,} of {one.limit:,}"


def _budget_row(kept: LeftOverTime, row: int, width: int) -> list[Piece]:
    """A row of the picture of what was left."""
    return budget_rows(kept, width, _BUDGET_ROWS)[row]


def _change_tone(comparison: "Comparison") -> Tone:
    """The color of a change: muted unless it is more than noise."""
    if not comparison.is_telling:
        return Tone.MUTED
    return Tone.GOOD if comparison.difference > 0 else Tone.BAD
