"""A look at what a form will make, beside its fields: the picture of a QR code, the price
and the end of a subscription."""

from collections.abc import Callable, Sequence
from datetime import datetime

from textual.app import ComposeResult
from textual.widgets import Static

from linkdash.api.fields import read_moment
from linkdash.api.records import Body, Record, as_sent
from linkdash.api.resources.plans import Plan, Subscription
from linkdash.api.resources.qr import QrCode, QrLook
from linkdash.api.resources.users import User
from linkdash.model.resources.plans import all_prices_words, expiry_words, price_words
from linkdash.model.session import Session
from linkdash.model.writes.draft import Draft
from linkdash.screens.writes.qr_preview import QrPreview
from linkdash.widgets.form.form import Preview


async def preview_of(model: type[Body], about: Sequence[Record], session: Session) -> Preview | None:
    """A look at what a form of this model will make; None where its fields say it all.

    `about` are the records that are edited, subscribed, or subscribed to.
    """
    if issubclass(model, QrLook) and "data" in model.model_fields:
        return QrPreview(next((as_sent(one).link for one in about if isinstance(one, QrCode)), ""))
    if not issubclass(model, Subscription):
        return None
    return SubscriptionPreview(about, await session.collection("plans").known_records(), session.local_time)


class SubscriptionPreview(Preview):
    """The price and the end of a subscription, as far as they can be known before it is sent."""

    is_pinned = True

    def __init__(self, about: Sequence[Record], plans: Sequence[Plan], now: Callable[[], datetime]) -> None:
        """`about` are users, or the one plan; `plans` are those that are known."""
        super().__init__()
        self._about, self._now = about, now
        self._plans = {plan.id: plan for plan in plans}

    def compose(self) -> ComposeResult:
        yield Static(id="expiry", markup=False)

    def show(self, draft: Draft) -> None:
        term, plan = draft.text("type"), self._plan(draft)
        price = ""
        if plan is not None:
            price = price_words(plan, term) if term else all_prices_words(plan)
        if price and len(self._about) > 1:
            price += " each"
        own = _moment_in(draft.text("expiration"))
        is_endless = plan is not None and plan.free and own is None
        words = "never" if is_endless else expiry_words(term, own, self._now())
        lines = [f"{title}: {text}" for title, text in (("Costs", price), ("Ends", words)) if text]
        self.query_one("#expiry", Static).update(" · ".join(lines))

    def _plan(self, draft: Draft) -> Plan | None:
        """The plan that is chosen; without one the plan itself, or that which all users have."""
        if chosen := draft.text("plan_id"):
            return self._plans.get(int(chosen)) if chosen.isdecimal() else None
        own = {one.planid if isinstance(one, User) else one.id for one in self._about}
        return self._plans.get(own.pop() or 0) if len(own) == 1 else None


def _moment_in(text: str) -> datetime | None:
    try:
        return read_moment(text)
    except ValueError:
        return None
