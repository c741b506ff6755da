"""Request models with a field of every kind, and an app that shows nothing but a form of one."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import PurePath
from typing import Annotated, Any, Literal

from pydantic import Field, create_model
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Input, Static

from linkdash.api.fields import (
    EmailAddress,
    FilledText,
    HexColor,
    Kind,
    LongText,
    Password,
    PayloadOf,
    PlainText,
    Reference,
    RgbColor,
    Twice,
    Url,
    When,
)
from linkdash.api.records import Body
from linkdash.widgets.form.field_rows import FieldRow
from linkdash.widgets.form.form import Form, Submission
from linkdash.widgets.frame.typeahead import TypeAhead
from linkdash.widgets.themes import ThemedApp, style_paths

Vendor = Literal["gtmpixel", "gapixel", "fbpixel", "pinterest", "bing", "tiktok"]


class Thing(Body):
    """A field of every kind."""

    name: FilledText = Field(description="What it is called")
    vendor: Vendor = Field(title="Vendor")
    link: Url = ""
    email: EmailAddress = ""
    starred: bool = False
    color: HexColor = ""
    backdrop: RgbColor = ""
    expires: When | None = None
    plan: Annotated[int | None, Reference("plans")] = None
    count: int = Field(0, ge=0)
    password: Annotated[Password | None, Field(min_length=5), Twice()] = None
    notes: LongText = ""


def part(*names: str) -> type[Body]:
    """A request model with some fields of `Thing`: small forms are quick."""
    fields: dict[str, Any] = {
        name: (Thing.model_fields[name].annotation, Thing.model_fields[name]) for name in names
    }
    return create_model("Part", __base__=Body, **fields)


class Code(Body):
    """A payload that follows a type."""

    type: Literal["text", "link", "wifi"]
    data: Annotated[str | dict[str, str], Kind.PAYLOAD, PayloadOf("type")]
    logo: PlainText = ""


class CodeChange(Body):
    """A payload whose type is no member of the body."""

    data: Annotated[str | dict[str, str], Kind.PAYLOAD, PayloadOf("type")]
    logo: PlainText = ""


class FormApp(ThemedApp[None]):
    """An app that keeps what the form answers and posts, and counts what its own keys are pressed for."""

    CSS_PATH = list[str | PurePath](style_paths("form"))
    BINDINGS = [Binding("d", "destroy", "Delete")]

    def __init__(self, form: Form) -> None:
        super().__init__()
        self.form = form
        self.posted: list[Form.Changed] = []
        self.saved: list[Submission] = []
        self.closed = False
        self.destroyed = 0
        self.type_ahead = TypeAhead(self, lambda key: False)

    async def on_event(self, event: events.Event) -> None:
        if not self.type_ahead.keeps(event):
            await super().on_event(event)

    def on_unmount(self) -> None:
        self.type_ahead.close()

    def on_mount(self) -> None:
        self.run_worker(self._answers(), exclusive=True)

    async def _answers(self) -> None:
        while (answer := await self.form.answer()) is not None:
            self.saved.append(answer)
        self.closed = True

    def compose(self) -> ComposeResult:
        yield self.form

    async def change_to(self, form: Form) -> None:
        """Take the form away, and show another that nothing was done to."""
        await self.form.remove()
        self.form = form
        self.saved.clear()
        self.run_worker(self._answers(), exclusive=True)
        await self.mount(form)

    def on_form_changed(self, event: Form.Changed) -> None:
        self.posted.append(event)

    def action_destroy(self) -> None:
        self.destroyed += 1


class Hand:
    """The user at a form."""

    def __init__(self, app: FormApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.form = app.form
        self.pilot = pilot

    async def settle(self) -> None:
        """Wait until no widget has anything left to do."""
        await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        for key in keys:
            self.app.simulate_key(key)
            await self.settle()

    def row(self, path: str) -> FieldRow:
        return next(row for row in self.form.query(FieldRow) if row.field.name == path)

    def shown(self) -> list[str]:
        return [row.field.name for row in self.form.query(FieldRow) if row.display]

    async def at(self, path: str) -> None:
        """Put the focus into a field."""
        self.row(path).focus_input()
        await self.settle()

    async def paste(self, path: str, text: str) -> None:
        """Paste into a field, over what is in it where that is one line."""
        await self.at(path)
        for line in self.row(path).query(Input):
            line.select_all()
        self.app.post_message(events.Paste(text))
        await self.settle()

    async def click(self, selector: str | type[Widget]) -> None:
        assert await self.pilot.click(selector)

    def focused(self) -> str:
        """The path of the field that has the focus."""
        return next((row.field.name for row in self.form.query(FieldRow) if row.has_focus_within), "")

    def value(self, path: str) -> str:
        return self.row(path).query_one(Input).value

    def text(self, selector: str, within: Widget | None = None) -> str:
        """Return what a Static of the form says."""
        return str((within or self.form).query_one(selector, Static).render())

    def note(self) -> str:
        return self.text(".form-note")

    def problems(self) -> Mapping[str, str]:
        return {row.field.name: row.problem for row in self.form.query(FieldRow) if row.problem}

    def screen_text(self) -> str:
        lines = self.app.screen._compositor.render_strips(self.app.screen.size)
        return "\n".join("".join(segment.text for segment in line) for line in lines)


@asynccontextmanager
async def shown(form: Form, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Hand]:
    app = FormApp(form)
    async with app.run_test(size=size) as pilot:
        hand = Hand(app, pilot)
        await hand.settle()
        yield hand


THING: Mapping[str, Any] = {
    "name": "Spring",
    "vendor": "bing",
    "link": "https://example.org",
    "starred": True,
    "color": "#FF8800",
    "plan": 2,
    "notes": "one",
}
