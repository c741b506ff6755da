"""The app: its places, its theme, its keys."""

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import PurePath
from typing import ClassVar

from rich.traceback import Traceback
from textual import on
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.filter import LineFilter
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import Worker

from linkdash.api.errors import Misconfigured
from linkdash.screens.actions import Action, Host, bindings, perform
from linkdash.screens.budget import BudgetScreen
from linkdash.screens.charts_screen import ChartsScreen
from linkdash.screens.help import help_text
from linkdash.screens.host import HostScreen, tell_mistake
from linkdash.screens.job import JobScreen
from linkdash.screens.journal import JournalScreen
from linkdash.screens.keymap import check_keys
from linkdash.screens.leaving import SignalLeave
from linkdash.screens.outbox import Outbox
from linkdash.screens.registry import OPENED_SCREENS, PLACES, SCREENS
from linkdash.screens.sending import SendingScreen
from linkdash.screens.session import Session
from linkdash.screens.viewer import ViewerScreen
from linkdash.screens.writable import WritableScreen
from linkdash.styles import style_paths
from linkdash.widgets.form import Form
from linkdash.widgets.inert_filter import InertFilter
from linkdash.widgets.navigation import Navigation
from linkdash.widgets.table import RecordTable

PROGRAM_ACTIONS = (
    Action("palette", ":,ctrl+p", "Commands", "Everything that can be done here, by name", "Program"),
    Action("budget", "b", "Budget", "Who spent what of the request budget", "Program"),
    Action("journal", "w", "Journal", "What was changed from here, and what became of it", "Program"),
    Action("bulk", "B", "Bulk", "The bulk job that is under way, or was left over", "Program"),
    Action("help", "?", "Help", "Every key that does something here", "Program", shown=True),
    Action("quit", "q", "Quit", "Leave linkdash", "Program", shown=True),
)


class LinkdashApp(App[int]):
    """Ten places, one session."""

    CSS_PATH: ClassVar[list[str | PurePath]] = [*style_paths()]
    ENABLE_COMMAND_PALETTE = True
    COMMAND_PALETTE_BINDING = "f24"  # the palette's keys are declared with the other actions
    TITLE = "linkdash"
    places = PLACES
    ACTIONS: ClassVar[Sequence[Action]] = PROGRAM_ACTIONS
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(PROGRAM_ACTIONS),
        *(
            Binding(place.key, f"go('{place.id}')", place.title, show=False, id=f"go-{place.id}")
            for place in PLACES
        ),
    ]

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self._inert = InertFilter()
        self._check_settings()
        self._places = {screen.name_of_place: screen(session) for screen in SCREENS}
        for place, screen in self._places.items():
            self.add_mode(place, partial(_same, screen))
            if isinstance(screen, SendingScreen):
                session.names.add(place, screen)
        self._outbox = Outbox(self, session, self._places)

    def _check_settings(self) -> None:
        """Raises Misconfigured for a theme that does not exist and for keys that clash."""
        settings = self.session.settings
        if settings.theme and settings.theme not in self.available_themes:
            known = ", ".join(sorted(self.available_themes))
            raise Misconfigured(f"There is no theme {settings.theme!r}.", f"Themes: {known}.")
        check_keys(settings.keys, key_contexts())

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Textual's own, then the last of the three layers that keep text from acting on the terminal."""
        return [*super().get_line_filters(), self._inert]

    async def on_mount(self) -> None:
        if self.session.settings.theme:
            self.theme = self.session.settings.theme
        self.set_keymap(dict(self.session.settings.keys))
        self._signals = SignalLeave(lambda status: self.exit(return_code=status))
        await self.switch_mode(PLACES[0].id)
        self._told_notices: set[str] = set()
        self.set_interval(1.0, self._tell_notices)
        self.run_worker(self._outbox.tell_what_is_left(), group="start", exit_on_error=False)

    def _tell_notices(self) -> None:
        """Says once what became of a file; the budget screen keeps it in sight."""
        for notice in self.session.notices:
            if notice not in self._told_notices:
                self._told_notices.add(notice)
                self.notify(notice, title="What is kept", severity="warning", timeout=15, markup=False)

    async def on_unmount(self) -> None:
        self._signals.close()
        await self.session.close()

    def _fatal_error(self) -> None:
        """Ends with a trace without local variables: among them could be a key."""
        self.panic(Traceback(show_locals=False, max_frames=8))

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Says when the program itself made a mistake, as the screens do."""
        tell_mistake(self, event)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The command palette: every action that is possible here, and every place."""
        for place in PLACES:
            yield SystemCommand(
                place.title, f"Go to {place.title} ({place.key})", partial(self._go, place.id)
            )
        if isinstance(screen, HostScreen):
            yield from _commands(screen, screen.ACTIONS)
        yield from _commands(self, self.ACTIONS)

    async def action_do(self, id: str) -> None:
        """Does one of the program's actions."""
        await perform(self, self.ACTIONS, id)

    async def action_go(self, place: str) -> None:
        """Goes to a place."""
        await self._go(place)

    async def _go(self, place: str) -> None:
        if place != self.current_mode:
            await self.switch_mode(place)

    async def on_navigation_chosen(self, message: Navigation.Chosen) -> None:
        await self._go(message.place.id)

    def do_palette(self) -> None:
        self.action_command_palette()

    def do_budget(self) -> None:
        if not isinstance(self.screen, BudgetScreen):
            self.push_screen(BudgetScreen(self.session))

    def do_journal(self) -> None:
        if not isinstance(self.screen, JournalScreen):
            self.clear_notifications()  # what led here has been read, and would lie over it
            self.push_screen(JournalScreen(self.session))

    @on(JournalScreen.Wanted)
    async def _go_to_change(self, message: JournalScreen.Wanted) -> None:
        """Leaves the journal for the record that was changed, if it is loaded."""
        self.screen.dismiss()
        write = message.entry.write
        await self._go(write.resource)
        screen = self._places[write.resource]
        if isinstance(screen, WritableScreen) and write.record_id is not None and screen.is_mounted:
            screen.table.move_to(write.record_id)

    async def do_bulk(self) -> None:
        self.clear_notifications()
        await self._outbox.show()

    @on(WritableScreen.BulkWanted)
    async def _begin_bulk(self, message: WritableScreen.BulkWanted) -> None:
        await self._outbox.begin(message.title, message.tasks)

    @on(JobScreen.RunWanted)
    def _run_job(self, message: JobScreen.RunWanted) -> None:
        self._outbox.run(message.job)

    @on(JobScreen.DiscardWanted)
    async def _discard_job(self, message: JobScreen.DiscardWanted) -> None:
        await self._outbox.discard(message.job)

    @on(Outbox.ItemDone)
    def _take_item(self, message: Outbox.ItemDone) -> None:
        self._outbox.took(message.item, message.answer)

    @on(SendingScreen.Took)
    def _take(self, message: SendingScreen.Took) -> None:
        self._outbox.take(message.task, message.answer)

    @on(JournalScreen.Doubted)
    def _find_out(self, message: JournalScreen.Doubted) -> None:
        finding = self._outbox.find_out(message.entry.write.task, message.entry)
        self.run_worker(finding, group="look", exit_on_error=False)

    @on(JobScreen.Doubted)
    def _find_out_item(self, message: JobScreen.Doubted) -> None:
        self.run_worker(self._outbox.find_out(message.task), group="look", exit_on_error=False)

    def do_help(self) -> None:
        screen = self.screen
        if isinstance(screen, HostScreen):
            text = help_text([*screen.ACTIONS, *self.ACTIONS], screen.widget_keys())
            self.push_screen(ViewerScreen(f"Keys on {screen.place}", text))

    async def do_quit(self) -> None:
        """Leaves at once, or after a question where something is on its way."""
        await self._outbox.keep_drafts()
        if question := self._outbox.before_leaving():
            self.push_screen(question, lambda agreed: self.exit(return_code=0) if agreed else None)
        else:
            self.exit(return_code=0)


def key_contexts() -> list[list[tuple[str, str]]]:
    """For each screen, the ids and keys of all that is active on it."""
    everywhere = [
        *((action.id, action.keys) for action in PROGRAM_ACTIONS),
        *((f"go-{place.id}", place.key) for place in PLACES),
    ]
    return [*(everywhere + _keys_on(screen) for screen in (*SCREENS, *OPENED_SCREENS)), _ids_and_keys(Form)]


def _keys_on(screen: type[HostScreen]) -> list[tuple[str, str]]:
    of_table = [] if issubclass(screen, ChartsScreen) else _ids_and_keys(RecordTable)
    return [*((action.id, action.keys) for action in screen.ACTIONS), *of_table]


def _ids_and_keys(widget: type[Widget]) -> list[tuple[str, str]]:
    declared = (binding for binding in widget.BINDINGS if isinstance(binding, Binding))
    return [(binding.id, binding.key) for binding in declared if binding.id]


def _same(screen: HostScreen) -> HostScreen:
    return screen


def _commands(host: Host, actions: Sequence[Action]) -> Iterable[SystemCommand]:
    for action in actions:
        yield SystemCommand(action.label, action.described, partial(perform, host, actions, action.id))
