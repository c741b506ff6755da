"""The first run: the dashboard's own form for address and key, where no service is set yet."""

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import cast

from pydantic import SecretStr
from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.filter import LineFilter
from textual.screen import Screen
from textual.widgets import Static

from linkdash.api.errors import LinkdashError
from linkdash.model.fault_reports import last_words, own_reports
from linkdash.model.profiles import NewProfile, account_of, save_profile, saved_words
from linkdash.model.stacks import stacks
from linkdash.model.writes.draft import Draft
from linkdash.widgets.form.field_input import FieldInput
from linkdash.widgets.form.form import PRESSED_BY, Form, Step
from linkdash.widgets.frame.key_line import Claim, KeyLine, Standing, key_sign, plain_standing
from linkdash.widgets.frame.sizes import HORIZONTAL_BREAKPOINTS, VERTICAL_BREAKPOINTS
from linkdash.widgets.frame.typeahead import TypeAhead
from linkdash.widgets.panel import Panel
from linkdash.widgets.terminal.inert_filter import InertFilter
from linkdash.widgets.terminal.signals import Signals
from linkdash.widgets.themes import ThemedApp, style_paths

_WORDS = (
    "Enter the service's address and your API key. One request tests them.\n"
    "{saved}\n"
    "To look around first, run: linkdash --demo"
)


class _SetupForm(Form):
    """A form that no command can stand for: the key would be in it. Who leaves it ends the program."""

    LEAVE = "Quit"

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "copy" and super().check_action(action, parameters)


def _write_stacks(loop: asyncio.AbstractEventLoop, why: str) -> None:
    own_reports().write_stacks(why, stacks(loop))


def _standing(binding: Binding) -> Standing | None:
    """The standing of a key: none where a button tells it."""
    if binding.id in PRESSED_BY.values():
        return None
    return Standing(Claim.SHOWN) if binding.key == "tab" else plain_standing(binding)


class SetupScreen(Screen[None]):
    """The form for a profile."""

    HORIZONTAL_BREAKPOINTS = HORIZONTAL_BREAKPOINTS
    VERTICAL_BREAKPOINTS = VERTICAL_BREAKPOINTS

    BINDINGS = [Binding("f1", "keys", "Help")]

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def compose(self) -> ComposeResult:
        form = _SetupForm(Draft.create(NewProfile, {"place": "file"}), explained=True)
        with Panel(title="Set up linkdash", id="setup"):
            yield Static(self._words(form), id="setup-words", markup=False)
            yield form
        yield KeyLine(_standing)

    def _label_of(self, id: str) -> str:
        """The word for leaving the form; "" for what the key line says itself."""
        form = self.query_one(_SetupForm)
        return form.LEAVE if id == "form.close" and form.step is Step.EDIT else ""

    def _words(self, form: Form) -> str:
        return _WORDS.format(saved=saved_words(self._path, form.draft.text("place")))

    @on(Form.Changed)
    def _say_where(self, event: Form.Changed) -> None:
        self.query_one("#setup-words", Static).update(self._words(event.form))

    def action_keys(self) -> None:
        """Show the keys that work in the form."""
        from linkdash.screens.windows.viewer import ViewerScreen

        active = [(one.node, one.binding) for one in self.active_bindings.values()]
        ours = [key for node, key in active if isinstance(node, FieldInput | Form) and key.description]
        keys = {self._label_of(one.id or "") or one.description: one for one in ours}
        signs = {does: key_sign(self, one.key) for does, one in keys.items()}
        room = max(map(len, signs.values())) + 2
        self.app.push_screen(
            ViewerScreen("Keys", "\n".join(f"{key:<{room}}{does}" for does, key in signs.items()))
        )


class SetupApp(ThemedApp[str]):
    """The questions for a profile, until it works; the result is its name, None where the user gave up."""

    CSS_PATH = [*style_paths()]
    ENABLE_COMMAND_PALETTE = False
    TITLE = "linkdash"

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._inert = InertFilter()
        self._type_ahead = TypeAhead(self, lambda key: False)

    async def on_event(self, event: events.Event) -> None:
        if not self._type_ahead.keeps(event):
            await super().on_event(event)

    def get_default_screen(self) -> SetupScreen:
        return SetupScreen(self._path)

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [*super().get_line_filters(), self._inert]

    def last_words(self, error: BaseException) -> str:
        return last_words(error, own_reports().write(error), "Run linkdash setup instead.")

    def on_mount(self) -> None:
        write_stacks = partial(_write_stacks, asyncio.get_running_loop())
        self._signals = Signals(lambda status: self.exit(return_code=status), self.end_now, write_stacks)
        self.call_after_refresh(self._ask)

    def on_unmount(self) -> None:
        self._type_ahead.close()
        self._signals.close()

    @work
    async def _ask(self) -> None:
        """Await the form, test what was typed, write it; what does not work leads back to the form."""
        form = self.screen.query_one(Form)
        while (answer := await form.answer()) is not None:
            profile = cast("NewProfile", answer.body)
            form.say("Testing with 1 request…")
            try:
                key = await self._found_key(profile)
                await account_of(profile, key)
                await asyncio.to_thread(save_profile, self._path, profile, key)
            except LinkdashError as error:
                form.refuse(str(error))
                continue
            self.exit(profile.name)
            return
        self.exit()

    async def _found_key(self, profile: NewProfile) -> SecretStr:
        """The key of a profile; a command that prints it may have to ask in the terminal."""
        if profile.place != "command":
            return await asyncio.to_thread(profile.found_key)
        with self.suspend():
            return profile.found_key()
