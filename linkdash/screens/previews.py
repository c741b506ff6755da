"""A look at what a form will make, beside its fields: the picture of a QR code, the end of a subscription."""

from collections.abc import Callable
from datetime import datetime

from textual.app import ComposeResult
from textual.widgets import Static

from linkdash.api.fields import read_moment
from linkdash.api.records import Body
from linkdash.api.resources.plans import Subscription
from linkdash.api.resources.qr import QrLook
from linkdash.model.resources.plans import expiry_words
from linkdash.model.writes.draft import Draft
from linkdash.screens.qr_preview import QrPreview
from linkdash.widgets.form.form import Preview


def preview_of(model: type[Body], now: Callable[[], datetime]) -> Preview | None:
    """A look at what a form of this model will make; None where its fields say it all."""
    if issubclass(model, QrLook) and "data" in model.model_fields:
        return QrPreview()
    return ExpiryPreview(now) if issubclass(model, Subscription) else None


class ExpiryPreview(Preview):
    """The end of a subscription, as far as that can be known before it is sent."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        super().__init__()
        self._now = now

    def compose(self) -> ComposeResult:
        yield Static(id="expiry", markup=False)

    def show(self, draft: Draft) -> None:
        words = expiry_words(draft.text("type"), _moment_in(draft.text("expiration")), self._now())
        self.query_one("#expiry", Static).update(f"Ends: {words}" if words else "")


def _moment_in(text: str) -> datetime | None:
    try:
        return read_moment(text)
    except ValueError:
        return None
