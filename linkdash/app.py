"""The app: its screens, its theme, its keys, its way out."""

import asyncio
import gc
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar

from textual import events, work
from textual.binding import Binding, BindingType
from textual.filter import LineFilter, Monochrome, NoColor
from textual.theme import BUILTIN_THEMES

from linkdash.api.errors import LinkdashError, Misconfigured
from linkdash.api.inert_text import inert
from linkdash.model.humanize import counted
from linkdash.model.resources import OVERVIEW, PLACES
from linkdash.model.stacks import stacks
from linkdash.model.watchdog import Watchdog
from linkdash.screens.actions import CHECK, Action, Flow, bindings, run_action
from linkdash.screens.app_services import AppServices
from linkdash.screens.key_names import KeyNames
from linkdash.screens.list_actions import LIST_ACTIONS
from linkdash.screens.opening import OpeningScreen
from linkdash.screens.program_actions import PROGRAM_ACTIONS
from linkdash.widgets.frame.message_line import Message, MessageKind, MessageLine, Messages
from linkdash.widgets.frame.sidebar import EntryChosen
from linkdash.widgets.frame.typeahead import TypeAhead
from linkdash.widgets.styled_text import ASCII, LINEAR
from linkdash.widgets.terminal.ascii_filter import AsciiFilter, key_in_words
from linkdash.widgets.terminal.inert_filter import InertFilter
from linkdash.widgets.terminal.signals import Signals
from linkdash.widgets.themes import OWN_THEMES, style_paths

if TYPE_CHECKING:  # the first paint does not wait for these
    from pathlib import Path, PurePath

    from textual.notifications import SeverityLevel
    from textual.screen import Screen
    from textual.worker import Worker

    from linkdash.config import Settings
    from linkdash.model.fault_reports import FaultReports
    from linkdash.model.session import ProfileChoice, Session
    from linkdash.screens.host_screen import HostScreen


_BETWEEN = "between"  # the mode while one session is closed and the next is opened


_CALM_AFTER = 0.5  # seconds
_NO_COLOR = NoColor()
_NEXT = ("resource_screen", "users", "qr", "windows.confirm", "palette.open_palette")
"""Screens that the first steps from the overview lead to."""
_SLEPT = 30.0  # seconds that the clock on the wall is ahead of that of the process, which stands in sleep


def check_theme(name: str) -> None:
    """Raise Misconfigured for the name of a theme that does not exist; none at all is fine."""
    known = {*BUILTIN_THEMES, *(theme.name for theme in OWN_THEMES)}
    if name and name not in known:
        raise Misconfigured(f"There is no theme {name!r}.", f"Themes: {', '.join(sorted(known))}.")


def _keys_of(settings: "Settings") -> KeyNames:
    return KeyNames(settings.keys, (*PROGRAM_ACTIONS, CHECK), LIST_ACTIONS)


class LinkdashApp(AppServices, inherit_bindings=False):
    """The overview, a screen for each resource, one session."""

    CSS_PATH = [*style_paths("frame", "header", "opening", "panel", "sidebar", "sizes")]
    ENABLE_COMMAND_PALETTE = False  # ours finds records, too
    TITLE = "linkdash"
    ACTIONS: ClassVar[Sequence[Action[AppServices]]] = PROGRAM_ACTIONS
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(PROGRAM_ACTIONS),
        Binding("ctrl+c", "help_quit", show=False, system=True),
        *(
            Binding(place.key, f"go('{place.id}')", place.title, show=False, id=f"go-{place.id}")
            for place in PLACES
        ),
    ]

    def __init__(
        self,
        settings: "Settings",
        open_session: "Callable[[], Session]",
        profiles: "Callable[[], Sequence[ProfileChoice]]" = tuple,
    ) -> None:
        """`open_session` is called once, in a thread, when the frame has been painted.

        `profiles` tells those that the user can switch to. Raises Misconfigured for a theme that does not
        exist.
        """
        super().__init__()
        self.settings = settings
        self.keys = _keys_of(settings)
        self.is_open = False
        """True if there is a session; before that a key only says which screen is wanted first."""
        self._open_session = open_session
        self._opening: asyncio.Task[Session] | None = None
        self._failure: Exception | None = None
        self._at_the_end: list[str] = []
        """The threads and tasks of an unexpected end."""
        self._signals: Signals | None = None
        self._watchdog: Watchdog | None = None
        self.profiles = profiles
        self._wanted = OVERVIEW.id
        self.previous_place = ""
        self.led_from: dict[str, str] = {}
        self.closed_for: dict[str, Screen[None]] = {}
        self._screens: dict[str, HostScreen] = {}
        self._own_filters: list[LineFilter] = [InertFilter()]
        if settings.ascii or settings.linear:
            self._own_filters.append(AsciiFilter(without_pictures=settings.linear))
            self.add_class(ASCII)
        self.set_class(settings.linear, LINEAR)
        if settings.linear:
            self.css_path = [*style_paths()]
        self._css_variables = self.theme_variables
        self._told_notices: set[str] = set()
        self._ahead = _ahead()
        self._has_news = False
        self.messages = Messages()
        """The messages shown to the user."""
        self.type_ahead = TypeAhead(self, self._is_urgent)
        check_theme(settings.theme)

    # ---- opening ----

    def run_to_its_end(self) -> int:
        """Run in this terminal; the exit status.

        Raises what `open_session` has raised, when the terminal is as it was; LinkdashError for an
        unexpected end.
        """
        self.run_in_terminal()
        if self._failure is not None:
            raise self._failure
        if self.return_code is None:
            path = self._reports.write_stacks("ended by itself", self._at_the_end)
            raise LinkdashError("linkdash ended by itself.", f"Start it again. The report is in {path}.")
        return self.return_code

    def get_default_screen(self) -> OpeningScreen:
        """The frame, before there is anything new to show in it."""
        return OpeningScreen(self.settings)

    def sheets_of(self, screen: "Screen[object]") -> "Sequence[PurePath]":
        """Those that a screen of the first steps names; all of them for any other."""
        return screen.css_path or style_paths()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Textual's own, then the last of the two layers that keep text from acting on the terminal.

        After that signs become plain ones, where the user wants that. Without colors, those of the terminal
        are left to it: which filter does that, Textual decides by the theme that it begins with.
        """
        filters = super().get_line_filters()
        if self.no_color and self.native_ansi_color:
            filters = [_NO_COLOR if isinstance(one, Monochrome) else one for one in filters]
        return [*filters, *self._own_filters]

    def get_key_display(self, binding: Binding) -> str:
        """As Textual's own; in words where signs become plain ones."""
        shown = super().get_key_display(binding)
        return key_in_words(shown) if self.has_class(ASCII) else shown

    def delay_update(self, delay: float = 0.05) -> None:
        """Do not delay the first screen, which then is painted once: as soon as it stands."""
        if not isinstance(self.screen, OpeningScreen):
            super().delay_update(delay)

    def refresh_css(self, animate: bool = True) -> None:
        """Parse the style sheets again only for another theme: Textual asks for it with every new screen."""
        variables = self.get_css_variables()
        if variables != self._css_variables:
            self._css_variables = variables
            super().refresh_css(animate)

    def on_mount(self) -> None:
        if self.settings.theme:
            self.theme = self.settings.theme
        self.set_keymap(dict(self.settings.keys))
        asyncio.get_running_loop().set_exception_handler(self._tell_unheard)
        write_stacks = partial(self._write_stacks, asyncio.get_running_loop())
        self._signals = Signals(self._end, self.end_now, write_stacks)
        stood_still = partial(write_stacks, "stood still")
        self._watchdog = Watchdog(stood_still, self._tell_standstill, lambda: self.is_suspended)

    def on_ready(self) -> None:
        """The frame has been painted."""
        self.type_ahead.hold(self._open(), is_start=True)

    @work(group="start")
    async def _open(self) -> None:
        """Import what everything else needs, and go to the screen that is wanted."""
        if self.return_code is not None:  # it was left before it began
            return
        self._opening = asyncio.create_task(asyncio.to_thread(self._open_session))
        try:
            session = await asyncio.shield(self._opening)
        except Exception as error:  # noqa: BLE001  it is raised again when the terminal is given back
            self._failure = error
            self.exit(return_code=1)
            return
        for index, command in enumerate(session.settings.commands.values()):
            self.bind(command.key, f"command({index})", show=False)
        await self._begin(session)
        self._opening = None  # its result would outlive a change to another session
        self.set_interval(1.0, self._tell_notices)
        self.set_interval(1.0, self._look_at_clocks)
        await self.tell_what_is_left()
        self.set_timer(_CALM_AFTER, self._get_ready)

    async def _begin(self, session: "Session") -> None:
        self.session, self.settings = session, session.settings
        self.keys = _keys_of(self.settings)
        self.run_worker(self.session.keep_handing_in(), group="session", exit_on_error=False)
        self.run_worker(self.session.keep_noting_spending(), group="session", exit_on_error=False)
        self.run_worker(self.session.recents.recall(), group="kept", exit_on_error=False)
        for place in (OVERVIEW, *PLACES):
            self.add_mode(place.id, partial(self.screen_of, place.id))
        await session.collection("account").recall()  # the first picture has it, then
        self.is_open = True
        await self.switch_mode(self._wanted)
        self.refresh_bindings()

    def _get_ready(self) -> None:
        """Get ready for the next steps when all that is kept of the first place stands there."""
        if any(worker.group == "kept" and not worker.is_finished for worker in self.workers):
            self.set_timer(_CALM_AFTER, self._get_ready)
            return
        self.load_sheets(style_paths())
        self._import_the_next()
        self._recall_lists()

    @work(group="start", thread=True)
    def _import_the_next(self) -> None:
        """Import what the first step from here will need."""
        for name in _NEXT:
            import_module(f"linkdash.screens.{name}")
        gc.freeze()  # all this stays: to look through it for garbage holds everything up
        gc.enable()

    def _recall_lists(self) -> None:
        """Show what is kept of every list beside its name, wherever the user is; costs no request."""

        async def recall() -> None:
            for place in PLACES:
                await self.session.collection(place.id).recall()

        self.run_worker(recall(), group="kept", exit_on_error=False)

    def screen_of(self, id: str) -> "HostScreen":
        """The screen of a resource, made when it is first wanted, and the same from then on."""
        from linkdash.screens.registry import screen_for

        if id not in self._screens:
            self._screens[id] = screen_for(id, self.session)
        return self._screens[id]

    async def tell_what_is_left(self) -> None:
        """Say what an earlier run has left: changes of unknown outcome, and interrupted bulk jobs."""
        from linkdash.store.journal_entry import NOBODY, Author

        session = self.session
        unknown = len(await session.kept(session.store.journal.unknown(), []))
        if unknown:
            text = f"{self.keys.of('journal')} shows what was sent, and checks the outcome."
            self.warn(text, f"{counted(unknown, 'change')} of unknown outcome")
        for job in await session.kept(session.store.jobs.unfinished(), []):
            if job.left and not job.runner:
                text = f"{self.keys.of('bulk')} shows it; nothing resumes by itself."
                whose = "" if job.author in (NOBODY, Author.here()) else f" of {job.author}"
                self.warn(text, f"Interrupted{whose}: {job.title}, {job.left} left")

    def _tell_notices(self) -> None:
        """Say once what became of a file; the budget screen keeps it in sight."""
        for notice in self.session.notices if self.is_open else ():
            if notice not in self._told_notices:
                self._told_notices.add(notice)
                self.warn(notice, "Files")

    def _look_at_clocks(self) -> None:
        """After the machine slept, or its clock was set, what is shown is old: that is asked for once."""
        before, self._ahead = self._ahead, _ahead()
        if abs(self._ahead - before) > _SLEPT and self.screen_stack:
            self.screen.post_message(events.ScreenResume())

    async def on_event(self, event: events.Event) -> None:
        """As Textual's own, with keys one after the other.

        Enter pressed before the terminal was read is a line feed, as in a shell.
        """
        if isinstance(event, events.Key) and event.key == "ctrl+j" and not self.is_open:
            event.key, event.character = "enter", "\r"
        if not self.type_ahead.keeps(event):
            await super().on_event(event)

    def _is_urgent(self, key: events.Key) -> bool:
        """Return whether a key need not wait until a place is open: it quits, or chooses the first place."""
        if self.is_open:
            return not key.is_printable and key.key in self.keys.all_of("quit")
        active = self.active_bindings.get(key.key)
        return active is not None and active.node is self

    async def on_unmount(self) -> None:
        """Close the session, also one that was not waited for: its files are let go."""
        self.type_ahead.close()
        if self.return_code is None:
            self._at_the_end = stacks(asyncio.get_running_loop())
        if self._signals is not None:
            self._signals.close()
        if self._watchdog is not None:
            self._watchdog.close()
        if self.is_open:
            await self.session.close()
        elif self._opening is not None:
            await asyncio.wait([self._opening])
            if self._opening.exception() is None:
                await self._opening.result().close()

    # ---- what it says ----

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: "SeverityLevel" = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Show Textual's own notifications like all other messages."""
        kind = {"warning": MessageKind.WARNING, "error": MessageKind.ERROR}.get(severity, MessageKind.NOTE)
        self.post(Message(kind, title or message, message if title else ""))

    def post(self, message: Message) -> None:
        """Say something in the message line, and keep it to be read again."""
        at = datetime.now().astimezone()
        inert_message = replace(message, what=inert(message.what), next_step=inert(message.next_step), at=at)
        self.messages.say(inert_message, time.monotonic())
        if not self._has_news:  # a key that is held down says the same many times
            self._has_news = True
            self.call_later(self._show_messages)

    def _show_messages(self) -> None:
        self._has_news = False
        for screen in self.screen_stack[::-1]:
            for line in screen.query(MessageLine):
                line.update_lines()

    def say(self, text: str, title: str = "") -> None:
        """Tell the user something."""
        self.post(Message(MessageKind.NOTE, title or text, text if title else ""))

    def warn(self, text: str, title: str = "") -> None:
        """Tell the user what needs them, or why something is not done."""
        self.post(Message(MessageKind.WARNING, title or text, text if title else ""))

    def last_words(self, error: BaseException) -> str:
        from linkdash.model.fault_reports import last_words

        return last_words(error, self._reports.write(error), "Start it again.")

    @property
    def _reports(self) -> "FaultReports":
        from linkdash.model.fault_reports import own_reports

        return self.session.faults if self.is_open else own_reports(self.settings.secrets)

    def _write_stacks(self, loop: asyncio.AbstractEventLoop, why: str) -> "Path | None":
        """Write down where everything stands; from any thread."""
        return self._reports.write_stacks(why, stacks(loop))

    def _tell_standstill(self, path: "Path") -> None:
        self.warn(
            f"Please send the report to its developers: {path}", "linkdash did not respond for a while."
        )

    def _tell_unheard(self, _: asyncio.AbstractEventLoop, context: "dict[str, object]") -> None:
        """Say what failed in the background; asyncio would write a trace across the screen.

        What is no fault of the program was for a screen that is gone meanwhile.
        """
        error = context.get("exception")
        if isinstance(error, MemoryError):
            self.end_out_of_memory(error)
        if isinstance(error, Exception) and not isinstance(error, LinkdashError) and self.is_open:
            self._tell_failure(error)

    def on_worker_state_changed(self, event: "Worker.StateChanged") -> None:
        """Say what a worker raised, and when the program itself failed, as the screens do."""
        from textual.worker import WorkerState

        self.type_ahead.look()
        error = event.worker.error
        if event.state is WorkerState.ERROR and error is not None and self.is_open:
            self._tell_failure(error)

    def _tell_failure(self, error: BaseException) -> None:
        """Say what went wrong, and where the program itself failed, where that is written down."""
        self._tell(self.explained(error))

    def explained(self, error: BaseException) -> LinkdashError:
        """Return what is said of what a worker raised; where that was for want of memory, the app ends."""
        if isinstance(error, MemoryError):
            self.end_out_of_memory(error)
        return error if isinstance(error, LinkdashError) else self.session.failure(error)

    def _tell(self, error: LinkdashError) -> None:
        self.post(Message(MessageKind.ERROR, error.what, error.advice))

    # ---- actions ----

    def on_key(self, event: events.Key) -> None:
        """A key that quits and is no letter does so from a window, too; a question is answered first."""
        if event.is_printable or event.key not in self.keys.all_of("quit"):
            return
        from textual.screen import ModalScreen

        from linkdash.screens.windows.confirm import ConfirmScreen

        top = self.screen_stack[-1] if self.screen_stack else None  # none is left at the end
        if isinstance(top, ModalScreen) and not isinstance(top, ConfirmScreen):
            self.action_do("quit")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Before there is a session, only the first screen and the way out can be asked for."""
        return self.is_open or action == "go" or parameters == ("quit",)

    def action_do(self, id: str) -> None:
        """Do one of the program's actions."""
        if self.is_open:
            self.session.faults.did(id)
        run_action(self, self.ACTIONS, id)

    def begin(self, flow: Flow, name: str, *, opens: bool = False) -> None:
        """Run a flow beside everything else; whatever it raises is shown. For what `opens`, keys wait."""
        worker = self.run_worker(flow, name=name, group="flow", exit_on_error=False)
        if opens:
            self.type_ahead.hold(worker)

    async def action_go(self, place: str) -> None:
        """Go to a resource."""
        if self.is_open:
            self.session.faults.did(f"go to {place}")
        is_here = place == self.current_mode
        self.led_from.pop(place, None)
        self.closed_for.pop(place, None)
        await self.go(place)
        if not self.is_open or is_here:
            return
        if len(self.screen_stack) == 1:
            self.screen_of(place).arrive()
        elif place != OVERVIEW.id:
            self.say(f"As you left it; {self.keys.of(f'go-{place}')} again goes to the list.")

    async def go(self, place: str) -> None:
        """Go to a place as it was left; from there, to its list. To the first one once there is a session.

        What has nothing more to say is closed where it is left.
        """
        if not self.is_open:
            self._wanted = place
            return
        from linkdash.screens.host_screen import HostScreen

        is_here = place == self.current_mode
        while len(self.screen_stack) > 1 and isinstance(self.screen, HostScreen):
            if not is_here and not self.screen.is_over:
                break
            await self.pop_screen()
        if not is_here:
            self.previous_place = self.current_mode
            await self.switch_mode(place)

    async def on_entry_chosen(self, message: EntryChosen) -> None:
        """An entry of the sidebar or a tab was clicked."""
        if message.kind == "place":
            await self.go(message.id)
        elif message.kind == "job":
            self.action_do("bulk")
        else:
            resource, _, id = message.id.partition(" ")
            self.go_to_record(resource, int(id))

    def action_command(self, index: int) -> None:
        """Run one of the user's own commands, where it is offered."""
        from linkdash.screens.own_commands import label_of
        from linkdash.screens.resource_screen import ResourceScreen

        if not self.is_open:
            return
        name, command = list(self.settings.commands.items())[index]
        label, screen = label_of(name, command), self.screen
        if not isinstance(screen, ResourceScreen) or not command.is_for(screen.place_id):
            self.warn(f"{label} works on {', '.join(command.scope) or 'lists of records'}.")
        elif command.changes and self.session.read_only:
            self.warn("This session is read-only.", label)
        else:
            screen.run_own(label, command)

    def go_to_record(
        self, resource: str, id: int | None, then: str = "", given: Mapping[str, object] | None = None
    ) -> None:
        """Go to a record; a flow of the app's own, since it can end the screen that asks for it.

        `then` is an action that is done there; `given` is filled into the form that `assign` opens.
        """
        self.begin(self.follow(resource, id, then, given), "go-there", opens=True)

    async def follow(
        self, resource: str, id: int | None, then: str = "", given: Mapping[str, object] | None = None
    ) -> None:
        """Go to a record in the list of its resource, and do an action there if one is named.

        Where the user comes from stays as it is, and is where going back from there leads to; a screen that
        lay over this list is opened again for that.
        """
        from linkdash.screens.host_screen import HostScreen
        from linkdash.screens.resource_screen import ResourceScreen

        if resource != self.current_mode:
            self.led_from[resource] = self.current_mode
        elif isinstance(self.screen, HostScreen) and (closed := self.screen.anew()) is not None:
            self.closed_for[resource] = closed
        await self.go(resource)
        while len(self.screen_stack) > 1:
            await self.pop_screen()
        screen = self.screen_of(resource)
        if id is not None and isinstance(screen, ResourceScreen) and await screen.go_to(id) and then:
            screen.assign_with(given) if given else screen.action_do(then)

    # ---- another session ----

    async def replace_session(self, session: "Session") -> None:
        """Go on with another session; of the one before nothing is left."""
        await self._close_session(session.settings)
        await self._begin(session)
        await self.remove_mode(_BETWEEN)

    async def _close_session(self, settings: "Settings") -> None:
        """Leave nothing of this session: its screens, what it said, where the user was."""
        await self._keep_drafts()
        self.is_open = False
        self.messages, self._wanted, self.previous_place = Messages(), OVERVIEW.id, ""
        self.led_from.clear()
        self.closed_for.clear()
        self._told_notices.clear()
        self.add_mode(_BETWEEN, partial(OpeningScreen, settings))
        await self.switch_mode(_BETWEEN)
        for place in (OVERVIEW, *PLACES):
            await self.remove_mode(place.id)
        self._screens.clear()
        self.workers.cancel_group(self, "session")
        await self.session.close()

    def unsaved_places(self) -> list[str]:
        """Return the places whose form has unsaved input."""
        return [screen.place for screen in self._screens.values() if screen.has_unsaved_input]

    async def _keep_drafts(self) -> None:
        for screen in [*self._screens.values()]:
            await screen.keep_input()

    # ---- the end ----

    def action_help_quit(self) -> None:
        """Say how to quit to whoever presses ctrl+c, which copies where there is text."""
        self.say(f"{self.keys.of('quit')} quits.")

    def _end(self, status: int) -> None:
        self.run_worker(self.leave(status), exit_on_error=False)

    async def leave(self, status: int) -> None:
        """End with this exit status; what was typed until now is kept."""
        self.workers.cancel_group(self, "start")  # a screen made while the others close is in their way
        if self.is_open:
            await self._keep_drafts()
        self.exit(return_code=status)


def _ahead() -> float:
    return time.time() - time.monotonic()
