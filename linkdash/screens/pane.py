"""The pane beside a table: the record in full, or a form in its place, which never loses what was typed."""

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.timer import Timer

from linkdash.model.session import Session
from linkdash.widgets.details import Details
from linkdash.widgets.form import Form

DRAFT_DELAY = 0.5
"""Seconds without a key after which what was typed is kept."""


class Pane(Container):
    """Shows details, or a form whose draft is kept under a name until it is saved or discarded."""

    def __init__(self, session: Session) -> None:
        super().__init__(id="pane")
        self._session = session
        self._draft_name = ""
        self._timer: Timer | None = None
        self.form: Form | None = None
        """The form that is open."""

    def compose(self) -> ComposeResult:
        yield Details(id="details")

    async def open(self, form: Form, draft_name: str) -> str:
        """Shows a form, with what was kept of it put back; the moment of that as `16:53`, or nothing."""
        self._draft_name = draft_name
        self.query_one("#details").display = False
        self.screen.add_class("-editing")
        self.form = form
        await self.mount(form)
        kept = await self._session.kept_draft(draft_name)
        if kept is None:
            return ""
        await form.restore(kept.values)
        return f"{kept.at.astimezone():%H:%M}"

    async def close(self, *, keep_draft: bool = False) -> None:
        """Takes the form away; without `keep_draft`, what was typed into it is forgotten."""
        form, self.form = self.form, None
        if form is None:
            return
        self._stop_timer()
        if not keep_draft:
            await self._session.discard_draft(self._draft_name)
        await form.remove()
        self.screen.remove_class("-editing")
        self.query_one("#details").display = True

    async def keep(self) -> None:
        """Keeps what was typed so far; nothing, where it is what the form began with."""
        self._stop_timer()
        if self.form is None:
            return
        values = self.form.storable_values() if self.form.changed else {}
        if values:
            await self._session.keep_draft(self._draft_name, values)
        else:
            await self._session.discard_draft(self._draft_name)

    @on(Form.Changed)
    def _keep_soon(self) -> None:
        self._stop_timer()
        self._timer = self.set_timer(DRAFT_DELAY, self.keep)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.stop()
