"""The app: its places, its theme, its keys."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.filter import LineFilter
from textual.screen import Screen

from linkdash.api.errors import Misconfigured
from linkdash.screens.actions import Action, bindings, perform
from linkdash.screens.leaving import SignalLeave
from linkdash.screens.opening import OpeningScreen
from linkdash.screens.places import PLACES
from linkdash.screens.program_actions import PROGRAM_ACTIONS
from linkdash.styles import style_paths
from linkdash.widgets.inert_filter import InertFilter
from linkdash.widgets.navigation import Navigation
from linkdash.widgets.themes import ThemedApp

if TYPE_CHECKING:  # the first paint does not wait for these
    from textual.worker import Worker

    from linkdash.config import Settings
    from linkdash.model.session import Session
    from linkdash.screens.host import HostScreen
    from linkdash.screens.writing.job import JobScreen
    from linkdash.screens.writing.journal import JournalScreen
    from linkdash.screens.writing.outbox import Outbox
    from linkdash.screens.writing.sending import SendingScreen
    from linkdash.screens.writing.writable import WritableScreen


class LinkdashApp(ThemedApp[int]):
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

    session: "Session"
    """There once `is_open`."""

    def __init__(self, settings: "Settings", open_session: "Callable[[], Session]") -> None:
        """`open_session` is called once, in a thread, when the frame has been painted.

        Raises Misconfigured for a theme that does not exist and for keys that clash.
        """
        super().__init__()
        self.settings = settings
        self.is_open = False
        """Whether the places are there; before that a key only says which of them is wanted first."""
        self._open_session = open_session
        self._wanted = PLACES[0].id
        self._inert = InertFilter()
        self._css_variables = self.get_css_variables()
        self._check_settings()

    def _check_settings(self) -> None:
        settings = self.settings
        if settings.theme and settings.theme not in self.available_themes:
            known = ", ".join(sorted(self.available_themes))
            raise Misconfigured(f"There is no theme {settings.theme!r}.", f"Themes: {known}.")
        if settings.keys:
            from linkdash.screens.key_contexts import key_contexts
            from linkdash.screens.keymap import check_keys

            check_keys(settings.keys, key_contexts())

    def get_default_screen(self) -> OpeningScreen:
        """The frame, before there is anything to show in it."""
        return OpeningScreen(self.settings)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Textual's own, then the last of the three layers that keep text from acting on the terminal."""
        return [*super().get_line_filters(), self._inert]

    def refresh_css(self, animate: bool = True) -> None:
        """Parses the style sheets again only for another theme: Textual asks for it with every new screen."""
        variables = self.get_css_variables()
        if variables != self._css_variables:
            self._css_variables = variables
            super().refresh_css(animate)

    def on_mount(self) -> None:
        if self.settings.theme:
            self.theme = self.settings.theme
        self.set_keymap(dict(self.settings.keys))
        self._signals = SignalLeave(lambda status: self.exit(return_code=status))
        self.call_after_refresh(self._open)

    @work(group="start")
    async def _open(self) -> None:
        """Imports what everything else needs, makes the places, and goes to the one that is wanted."""
        self.session, screens, outbox = await asyncio.to_thread(_imported, self._open_session)
        self._places = {screen.name_of_place: screen(self.session) for screen in screens}
        for place, screen in self._places.items():
            self.add_mode(place, partial(_same, screen))
        self.session.names.add_all(self._places)
        self._outbox = outbox(self, self.session, self._places)
        await self.switch_mode(self._wanted)
        self.is_open = True
        self.refresh_bindings()
        self._told_notices: set[str] = set()
        self.set_interval(1.0, self._tell_notices)
        await self._outbox.tell_what_is_left()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Before the places are there, only they and the way out can be asked for."""
        return self.is_open or action == "go" or parameters == ("quit",)

    def _tell_notices(self) -> None:
        """Says once what became of a file; the budget screen keeps it in sight."""
        for notice in self.session.notices:
            if notice not in self._told_notices:
                self._told_notices.add(notice)
                self.notify(notice, title="What is kept", severity="warning", timeout=15, markup=False)

    async def on_unmount(self) -> None:
        self._signals.close()
        if self.is_open:
            await self.session.close()

    def _fatal_error(self) -> None:
        """Ends with a trace without local variables: among them could be a key."""
        from rich.traceback import Traceback

        self.panic(Traceback(show_locals=False, max_frames=8))

    def on_worker_state_changed(self, event: "Worker.StateChanged") -> None:
        """Says when the program itself made a mistake, as the screens do."""
        from linkdash.screens.host import tell_mistake

        tell_mistake(self, event)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The command palette: every action that is possible here, and every place."""
        for place in PLACES:
            yield SystemCommand(
                place.title, f"Go to {place.title} ({place.key})", partial(self._go, place.id)
            )
        from linkdash.screens.host import HostScreen

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
        if not self.is_open:
            self._wanted = place
        elif place != self.current_mode:
            await self.switch_mode(place)

    async def on_navigation_chosen(self, message: Navigation.Chosen) -> None:
        await self._go(message.place.id)

    def do_palette(self) -> None:
        self.action_command_palette()

    def do_budget(self) -> None:
        from linkdash.screens.budget import BudgetScreen

        if not isinstance(self.screen, BudgetScreen):
            self.push_screen(BudgetScreen(self.session))

    def do_journal(self) -> None:
        from linkdash.screens.writing.journal import JournalScreen

        if not isinstance(self.screen, JournalScreen):
            self.clear_notifications()  # what led here has been read, and would lie over it
            self.push_screen(JournalScreen(self.session))

    # Messages are handled by name here: their classes are not there when the app is made.

    async def on_journal_screen_wanted(self, message: "JournalScreen.Wanted") -> None:
        """Leaves everything that was opened for the record that was changed, if it is loaded."""
        from linkdash.screens.writing.writable import WritableScreen

        while len(self.screen_stack) > 1:
            await self.pop_screen()
        write = message.entry.write
        await self._go(write.resource)
        screen = self._places[write.resource]
        if not isinstance(screen, WritableScreen) or write.record_id is None or not screen.is_mounted:
            return
        if not screen.table.move_to(write.record_id):
            gone = f"The {screen.singular} {write.record_id} is not among those that are loaded."
            self.notify(gone, markup=False)

    async def do_bulk(self) -> None:
        from linkdash.screens.writing.job import JobScreen

        if not isinstance(self.screen, JobScreen):
            self.clear_notifications()
            await self._outbox.show()

    async def on_writable_screen_bulk_wanted(self, message: "WritableScreen.BulkWanted") -> None:
        await self._outbox.begin(message.title, message.tasks)

    def on_job_screen_run_wanted(self, message: "JobScreen.RunWanted") -> None:
        self._outbox.run(message.job)

    async def on_job_screen_discard_wanted(self, message: "JobScreen.DiscardWanted") -> None:
        await self._outbox.discard(message.job)

    def on_outbox_item_done(self, message: "Outbox.ItemDone") -> None:
        self._outbox.took(message.item, message.answer)

    def on_sending_screen_took(self, message: "SendingScreen.Took") -> None:
        self._outbox.take(message.task, message.answer)

    def on_journal_screen_doubted(self, message: "JournalScreen.Doubted") -> None:
        finding = self._outbox.find_out(message.entry.write.task, message.entry)
        self.run_worker(finding, group="look", exit_on_error=False)

    def on_job_screen_doubted(self, message: "JobScreen.Doubted") -> None:
        self.run_worker(self._outbox.find_out(message.task), group="look", exit_on_error=False)

    def do_help(self) -> None:
        from linkdash.screens.help import help_here
        from linkdash.screens.host import HostScreen
        from linkdash.screens.viewer import ViewerScreen

        screen = self.screen
        if isinstance(screen, HostScreen):
            text = help_here(screen, [*screen.ACTIONS, *self.ACTIONS])
            self.push_screen(ViewerScreen(f"Keys on {screen.place}", text))

    async def do_quit(self) -> None:
        """Leaves at once, or after a question where something is on its way."""
        if not self.is_open:
            self.exit(return_code=0)
            return
        await self._outbox.keep_drafts()
        if question := self._outbox.before_leaving():
            self.push_screen(question, lambda agreed: self.exit(return_code=0) if agreed else None)
        else:
            self.exit(return_code=0)


def _imported(
    open_session: "Callable[[], Session]",
) -> "tuple[Session, Sequence[type[HostScreen]], type[Outbox]]":
    """The session, the screens of all places and what sends their writes. Takes a while the first time."""
    from linkdash.screens.registry import SCREENS
    from linkdash.screens.writing.outbox import Outbox

    return open_session(), SCREENS, Outbox


def _same(screen: "HostScreen") -> "HostScreen":
    return screen


def _commands(host: "App[int] | HostScreen", actions: Sequence[Action]) -> Iterable[SystemCommand]:
    for action in actions:
        if host.check_action("do", (action.id,)):
            yield SystemCommand(action.label, action.described, partial(perform, host, actions, action.id))
