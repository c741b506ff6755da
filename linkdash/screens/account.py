"""The account behind the key: one record, so its details are the screen, with what its plan leaves of it."""

from collections.abc import Sequence
from dataclasses import replace

from linkdash.api.plans import Plan
from linkdash.api.users import Account
from linkdash.model.overview import COUNTED_BY, Allowance, allowances, expiry
from linkdash.model.resources.account import RESOURCE
from linkdash.model.session import Session
from linkdash.screens.actions import FIND_ACTIONS, PAGE_ACTIONS, RECORD_ACTIONS, WRITE_ACTIONS, bindings
from linkdash.screens.resource import ResourceScreen
from linkdash.widgets.details import Line
from linkdash.widgets.pieces import Piece, Tone

_ONE_RECORD = (  # there is nothing to find
    replace(action, shown=action.id == "refresh") for action in (*FIND_ACTIONS, *PAGE_ACTIONS)
)
ACCOUNT_ACTIONS = (*WRITE_ACTIONS, *_ONE_RECORD, *RECORD_ACTIONS)


class AccountScreen(ResourceScreen[Account]):
    """The account that the key belongs to."""

    TITLE = RESOURCE.title
    ACTIONS = ACCOUNT_ACTIONS
    BINDINGS = bindings(ACCOUNT_ACTIONS)

    def __init__(self, session: Session) -> None:
        super().__init__(session, RESOURCE)
        self._plan: Plan | None = None
        self._allowed: Sequence[Allowance] = ()
        """What is nearest to its end first."""

    def on_screen_resume(self) -> None:
        """Tells which plan it has and what is used of that, as far as users were looked at before."""
        if self.is_active and self.session.collections.known("users") is not None:
            self.begin(self._read_plan(), "plan")

    async def _read_plan(self) -> None:
        user = await self.session.own_user()
        plans: list[Plan] = await self.session.collection("plans").known_records()
        self._plan = next((plan for plan in plans if user is not None and plan.id == user.planid), None)
        known = {resource: self.session.collections.known(resource) for resource in COUNTED_BY.values()}
        used = {resource: one.listing.total for resource, one in known.items() if one is not None}
        allowed = allowances(self._plan, used) if self._plan is not None else []
        self._allowed = sorted(allowed, key=lambda one: -1 if one.share is None else one.share, reverse=True)
        self.show_details()

    def lines(self, record: Account, width: int) -> Sequence[Line]:
        """What the service says of the account, how long it lasts, and what is used of its plan."""
        ends = expiry(record.expires, self.session.local_time())
        tone = Tone.BAD if ends.is_over else Tone.WARNING if ends.is_soon else Tone.GOOD
        lasts = Line("Lasts", (Piece(f"{ends.sign}{ends.words}", tone),))
        lines = [*super().lines(record, width), Line(""), lasts]
        if self._plan is None:
            users, plans = self.key_of("go-users"), self.key_of("go-plans")
            how = f"not known; with an admin's key, {plans} and {users} load it"
            return [*lines, Line("Plan", (Piece(how, Tone.MUTED),))]
        named = (Piece(self._plan.name, Tone.HERO), Piece(f"  plan {self._plan.id}", Tone.MUTED))
        return [*lines, Line("Plan", named), *map(_allowance_line, self._allowed)]


def _allowance_line(one: Allowance) -> Line:
    if one.share is None:
        known = "use not loaded" if one.used is None else f"{one.used:,} used"
        use = known if one.resource else "use not reported"
        return Line(one.name, (Piece(f"{one.limit:,} in the plan"), Piece(f"  {use}", Tone.FAINT)))
    tone = Tone.BAD if one.is_used_up else Tone.WARNING if one.is_nearly_used else Tone.GOOD
    sign = "✗ " if one.is_used_up else "△ " if one.is_nearly_used else ""
    told = Piece(f"  {sign}{one.share * 100:,.0f} %", tone)
    return Line(one.name, (Piece(f"{one.used:,} of {one.limit:,}"), told))
