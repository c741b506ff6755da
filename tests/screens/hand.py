"""The user at the forms and questions of the running app, and what the service has kept of what they did."""

from collections.abc import Mapping
from typing import Any

from textual import events
from textual.widgets import Input, Static, Switch, TextArea

from linkdash.screens.resource_screen import ResourceScreen
from linkdash.screens.windows.confirm import ConfirmScreen
from linkdash.widgets.form.choice_input import ChoiceInput
from linkdash.widgets.form.field_rows import FieldRow
from linkdash.widgets.form.form import Form
from tests.screens.driver import Driver, shown
from tests.service.visitor import Visitor
from tests.waiting import wait_until


class Hand:
    """A hand that fills in forms and answers questions, by keys and by pasting, which is quicker."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.press, self.see = driver.press, driver.wait_for

    # ---- forms ----

    @property
    def form(self) -> Form:
        """The form that is open."""
        return self.driver.app.screen.query_one(Form)

    def has_form(self) -> bool:
        """Return whether a form is open."""
        return bool(self.driver.app.screen.query(Form))

    async def open(self, *keys: str) -> None:
        """Press keys that open a form, and wait until it can be typed into."""
        await self.press(*keys)
        await self.opened()

    async def opened(self) -> None:
        """Wait until a form can be typed into."""
        await wait_until(lambda: self.has_form() and self.form.has_focus_within)
        await self.driver.pilot.pause()

    def row(self, path: str) -> FieldRow:
        return next(row for row in self.form.query(FieldRow) if row.field.name == path)

    async def fill(self, texts: Mapping[str, str]) -> None:
        """Put texts into fields, by path: paste them, choose what is begun, switch switches."""
        for path, text in texts.items():
            row = self.row(path)
            if row.query(Switch):
                row.focus_input()
                await self.press("space")
            elif isinstance(row.field_input, ChoiceInput):
                row.focus_input()
                await self.paste(text)
                await self.press("enter")
            else:
                self._paste_into(row, text)
        await self.driver.pilot.pause()

    def _paste_into(self, row: FieldRow, text: str) -> None:
        """Paste without going there first, which takes longer than the pasting."""
        (widget,) = row.query("Input, TextArea")
        assert isinstance(widget, Input | TextArea)
        widget.clear()
        if text:
            widget.post_message(events.Paste(text))

    async def paste(self, text: str) -> None:
        """Paste into what has the focus."""
        self.driver.app.post_message(events.Paste(text))
        await self.driver.pilot.pause()

    async def save(self) -> None:
        """Saves, and where the difference is shown first, sends it; wait for what comes of it."""
        await self.press("ctrl+s")
        if self.has_form() and self.form.step == "review":
            await self.press("ctrl+s")
        await wait_until(self._is_answered)
        await self.driver.pilot.pause()

    def _is_answered(self) -> bool:
        """Return whether the form is gone, with all that its flow had to do, or can be typed into again."""
        screen = self.driver.app.screen
        if isinstance(screen, ResourceScreen) and screen.form_flow is None:
            return True
        return self.has_form() and not self.form.is_busy

    def typed(self, path: str) -> str:
        """Return what stands in a field."""
        return self.form.draft.text(path)

    def problems(self) -> dict[str, str]:
        """Return what is said to be wrong, by path."""
        return {row.field.name: row.problem for row in self.form.query(FieldRow) if row.problem}

    @property
    def note(self) -> str:
        """Return what the form says of itself as a whole."""
        return shown(self.form.query_one(".form-note", Static))

    # ---- questions ----

    def asks(self) -> bool:
        """Return whether a question is open."""
        return isinstance(self.driver.app.screen, ConfirmScreen)

    @property
    def listed(self) -> list[str]:
        """Return what the question is about, one by one; nothing where none is open."""
        screen = self.driver.app.screen
        return list(screen.listed) if isinstance(screen, ConfirmScreen) else []

    async def ask(self, *keys: str) -> str:
        """Press keys that lead to a question; what it says."""
        await self.press(*keys)
        await wait_until(self.asks)
        await self.driver.pilot.pause()
        return self.driver.text

    # ---- what came of it ----

    @property
    def writes(self) -> list[str]:
        """Every write that the service has had, oldest first."""
        return [request for request in self.driver.asked if not request.startswith("GET")]

    async def sent(self, count: int) -> None:
        """Wait until the service has had so many writes, and nothing is on its way any more."""
        await wait_until(lambda: len(self.writes) >= count and self._is_quiet())
        await self.driver.pilot.pause()

    def _is_quiet(self) -> bool:
        return not self.driver.app.session.writes.under_way


def stored(visitor: Visitor, path: str, id: int | None = None) -> dict[str, Any]:
    """The service's own record: the one with an id, or the newest of a list."""
    data = visitor.read(path if "users" in path or "account" in path else f"{path}?limit=100")["data"]
    if "id" in data:
        return dict(data)
    lists = (
        [data] if isinstance(data, list) else [value for value in data.values() if isinstance(value, list)]
    )
    rows = lists[0]
    wanted = id if id is not None else max(row["id"] for row in rows)
    return dict(next(row for row in rows if row["id"] == wanted))
