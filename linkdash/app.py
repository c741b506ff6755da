"""The app: its screens, its theme, its keys, its way out."""

import asyncio
import gc
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from textual import events, work
from textual.binding import Binding, BindingType
from textual.filter import LineFilter, Monochrome, NoColor
from textual.screen import Screen

from linkdash.api.errors import LinkdashError, Misconfigured
from linkdash.api.text import inert
from linkdash.model.humanize import counted
from linkdash.model.resources import OVERVIEW, PLACES
from linkdash.screens.actions import PROGRAM_ACTIONS, Action, Flow, KeyNames, bindings, perform
from linkdash.screens.frame import OpeningScreen
from linkdash.widgets.footer import Kind, Message, MessageLine, Messages
from linkdash.widgets.frame import Chosen
from linkdash.widgets.pieces import ASCII, LINEAR
from linkdash.widgets.terminal import AsciiFilter, InertFilter, Signals, ending_at_once, key_in_words
from linkdash.widgets.themes import ThemedApp, style_paths

if TYPE_CHECKING:  # the first paint does not wait for these
    from textual.notifications import SeverityLevel
    from textual.worker import Worker

    from linkdash.api.model import Record
    from linkdash.config import Settings
    from linkdash.frame_settings import FrameSettings, KeptPicture
    from linkdash.model.session import ProfileChoice, Session
    from linkdash.screens.host import HostScreen
    from linkdash.screens.overview import OverviewScreen
    from linkdash.screens.resource import ResourceScreen


_BETWEEN = "between"  # the mode while one session is closed and the next is opened


_GAPS_AFTER = 1.0  # seconds that an overview without gaps is waited for
_CALM_AFTER = 0.5  # seconds
_NO_COLOR = NoColor()
_AWAY_AFTER = 3.0  # seconds without a key
_SLEPT = 30.0  # seconds that the clock on the wall is ahead of that of the process, which stands in sleep


class LinkdashApp(ThemedApp[int], inherit_bindings=False):
    """The overview, a screen for each resource, one session."""

    CSS_PATH = [*style_paths(*OpeningScreen.STYLES)]
    ENABLE_COMMAND_PALETTE = False  # ours finds records, too
    TITLE = "linkdash"
    ACTIONS: ClassVar[Sequence[Action]] = PROGRAM_ACTIONS
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(PROGRAM_ACTIONS),
        Binding("ctrl+c", "help_quit", show=False, system=True),
        *(
            Binding(place.key, f"go('{place.id}')", place.title, show=False, id=f"go-{place.id}")
            for place in PLACES
        ),
    ]

    session: "Session"
    """There once `is_open`, as its `settings`."""
    settings: "Settings"

    def __init__(
        self,
        frame: "FrameSettings",
        open_session: "Callable[[], Session]",
        profiles: "Callable[[], Sequence[ProfileChoice]]" = tuple,
        picture: "KeptPicture | None" = None,
    ) -> None:
        """`open_session` is called once, in a thread, when the frame has been painted with the picture in it.

        `profiles` tells those that a person can switch to. Raises Misconfigured for a theme that does not
        exist.
        """
        super().__init__()
        self._frame = frame
        self.picture = picture
        """What the overview showed last; at the end that of this run."""
        self.keys = KeyNames(frame.keys)
        self.is_open = False
        """Whether there is a session; before that a key only says which screen is wanted first."""
        self._open_session = open_session
        self._opening: asyncio.Task[Session] | None = None
        self._reading: asyncio.Task[None] | None = None
        self._failure: Exception | None = None
        self._signals: Signals | None = None
        self.profiles = profiles
        self._wanted = OVERVIEW.id
        self._is_wanted_elsewhere = asyncio.Event()
        self._before = ""
        self._screens: dict[str, HostScreen] = {}
        self._own_filters: list[LineFilter] = [InertFilter()]
        if frame.ascii or frame.linear:
            self._own_filters.append(AsciiFilter(without_pictures=frame.linear))
            self.add_class(ASCII)
        self.set_class(frame.linear, LINEAR)
        self._css_variables = self.get_css_variables()
        self._told_notices: set[str] = set()
        self._ahead = _ahead()
        self._last_input = time.monotonic()
        self._has_news = False
        self.messages = Messages()
        """What was said to a person."""
        if frame.theme and frame.theme not in self.available_themes:
            known = ", ".join(sorted(self.available_themes))
            raise Misconfigured(f"There is no theme {frame.theme!r}.", f"Themes: {known}.")

    # ---- opening ----

    def run_to_its_end(self) -> int:
        """Runs in this terminal; the exit status. A signal ends it also while there is no event loop.

        Raises what `open_session` has raised, when the terminal is as it was.
        """
        with ending_at_once(self.end_now):
            self.run()
        if self._failure is not None:
            raise self._failure
        return self.return_code or 0

    def get_default_screen(self) -> OpeningScreen:
        """The frame, before there is anything new to show in it."""
        return OpeningScreen(self._frame, self.picture)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Textual's own, then the last of the three layers that keep text from acting on the terminal.

        After that signs become plain ones, where a person wants that. Without colors, those of the terminal
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

    def style_sheets(self, screen: Screen[object]) -> Iterable[Path]:
        """Those that a screen names as its own; all of them for every other screen."""
        return style_paths(*getattr(screen, "STYLES", ()))

    def delay_update(self, delay: float = 0.05) -> None:
        """Does not delay the first screen, which then is painted once: as soon as it stands."""
        if not isinstance(self.screen, OpeningScreen):
            super().delay_update(delay)

    def refresh_css(self, animate: bool = True) -> None:
        """Parses the style sheets again only for another theme: Textual asks for it with every new screen."""
        variables = self.get_css_variables()
        if variables != self._css_variables:
            self._css_variables = variables
            super().refresh_css(animate)

    def on_mount(self) -> None:
        if self._frame.theme:
            self.theme = self._frame.theme
        self.set_keymap(dict(self._frame.keys))
        asyncio.get_running_loop().set_exception_handler(self._tell_unheard)
        self._signals = Signals(self._end, self.end_now)

    def on_ready(self) -> None:
        """The frame has been painted."""
        self._open()

    @work(group="start")
    async def _open(self) -> None:
        """Imports what everything else needs, and goes to the screen that is wanted."""
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
        self.set_interval(1.0, self._tell_notices)
        self.set_interval(1.0, self._look_at_clocks)
        self.set_interval(1.0, self._collect_garbage)
        await self.tell_what_is_left()
        self.set_timer(_CALM_AFTER, self._import_the_next)

    async def _begin(self, session: "Session") -> None:
        self.session, self.settings = session, session.settings
        self.keys = KeyNames(self.settings.keys)
        self.run_worker(self.session.keep_handing_in(), group="team", exit_on_error=False)
        self.run_worker(self.session.at_hand.recall(), group="kept", exit_on_error=False)
        for place in (OVERVIEW, *PLACES):
            self.add_mode(place.id, partial(self.screen_of, place.id))
        await session.collection("account").recall()  # the first picture has it, then
        if self._wanted == OVERVIEW.id and cast("OpeningScreen", self.screen).shows_picture:
            await self._prepare_overview()
        self.is_open = True
        await self.switch_mode(self._wanted)
        self.refresh_bindings()

    async def _prepare_overview(self) -> None:
        """Lets the overview know all that is kept, so that it comes without gaps in the picture's place.

        Nobody waits for that who wants to be somewhere else, and nobody waits long: it goes on reading then.
        """
        overview = cast("OverviewScreen", self.screen_of(OVERVIEW.id))
        self._reading = asyncio.create_task(overview.prepare())
        elsewhere = asyncio.create_task(self._is_wanted_elsewhere.wait())
        first = asyncio.FIRST_COMPLETED
        try:
            await asyncio.wait([self._reading, elsewhere], timeout=_GAPS_AFTER, return_when=first)
        finally:
            elsewhere.cancel()

    @work(group="start", thread=True)
    def _import_the_next(self) -> None:
        """Gets ready what the first step from here will need, when everything that is shown stands."""
        for name in ("screens.resource", "screens.users", "screens.qr", "screens.windows", "palette"):
            import_module(f"linkdash.{name}")
        self.stylesheet.prepare(style_paths())
        gc.freeze()  # all this stays: to look through it for garbage holds everything up
        self.call_later(self.stylesheet.complete_all, style_paths())

    def screen_of(self, id: str) -> "HostScreen":
        """The screen of a resource, made when it is first wanted, and the same from then on."""
        from linkdash.screens.registry import screen_for

        if id not in self._screens:
            self._screens[id] = screen_for(id, self.session)
        return self._screens[id]

    async def tell_what_is_left(self) -> None:
        """Says what an earlier run has left: changes of unknown outcome, and interrupted bulk jobs."""
        from linkdash.store.journal import NOBODY, Author

        session = self.session
        unknown = len(await session.kept(session.store.journal.unknown(), []))
        if unknown:
            text = f"{self.keys.of('journal')} shows what was sent, and checks what became of it."
            self.warn(text, f"{counted(unknown, 'change')} of unknown outcome")
        for job in await session.kept(session.store.jobs.unfinished(), []):
            if job.left and not job.runner:
                text = f"{self.keys.of('bulk')} shows it; nothing goes on by itself."
                whose = "" if job.author in (NOBODY, Author.here()) else f" of {job.author}"
                self.warn(text, f"Interrupted{whose}: {job.title}, {job.left} left")

    def _tell_notices(self) -> None:
        """Says once what became of a file; the budget screen keeps it in sight."""
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
        """As Textual's own; what a person does is remembered."""
        if isinstance(event, events.InputEvent):
            self._last_input = time.monotonic()
        await super().on_event(event)

    def _collect_garbage(self) -> None:
        """Looks for old garbage once nobody does anything: among long lists that holds everything up."""
        is_away = time.monotonic() - self._last_input > _AWAY_AFTER
        if is_away and gc.get_count()[2] > gc.get_threshold()[1]:
            gc.collect()

    async def on_unmount(self) -> None:
        """Closes the session, also one that somebody did not wait for: its files are let go."""
        if self._signals is not None:
            self._signals.close()
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
        """What Textual itself has to say goes the same way as all else."""
        kind = {"warning": Kind.WARNING, "error": Kind.ERROR}.get(severity, Kind.NOTE)
        self.post(Message(kind, title or message, message if title else ""))

    def post(self, message: Message) -> None:
        """Says something in the message line, and keeps it to be read again."""
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
        """Tells a person something."""
        self.post(Message(Kind.NOTE, title or text, text if title else ""))

    def warn(self, text: str, title: str = "") -> None:
        """Tells a person what needs them, or why something is not done."""
        self.post(Message(Kind.WARNING, title or text, text if title else ""))

    def last_words(self, error: BaseException) -> str:
        from linkdash.model.faults import last_words, own_reports

        faults = self.session.faults if self.is_open else own_reports()
        path = faults.write(error)
        return last_words(error, path, "Start it again.")

    def _tell_unheard(self, _: asyncio.AbstractEventLoop, context: "dict[str, object]") -> None:
        """Says what failed where nobody waits for it; asyncio would write a trace across the screen.

        What is no fault of the program was for somebody who has left meanwhile.
        """
        error = context.get("exception")
        if isinstance(error, Exception) and not isinstance(error, LinkdashError) and self.is_open:
            self._tell_failure(error)

    def on_worker_state_changed(self, event: "Worker.StateChanged") -> None:
        """Says what a worker raised, and when the program itself failed, as the screens do."""
        from textual.worker import WorkerState

        error = event.worker.error
        if event.state is WorkerState.ERROR and error is not None and self.is_open:
            self._tell_failure(error)

    def _tell_failure(self, error: BaseException) -> None:
        """Says what went wrong, and where the program itself failed, where that is written down."""
        self._tell(error if isinstance(error, LinkdashError) else self.session.failure(error))

    def _tell(self, error: LinkdashError) -> None:
        self.post(Message(Kind.ERROR, error.what, error.advice))

    # ---- actions ----

    def on_key(self, event: events.Key) -> None:
        """A letter that was on its way to a list when a line took the focus is typed into that.

        A key that quits and is no letter does so from a window, too; a question is answered first.
        """
        from textual.screen import ModalScreen
        from textual.widgets import Input

        from linkdash.screens.windows import ConfirmScreen, TypingScreen

        top = self.screen_stack[-1] if self.screen_stack else None  # none is left at the end
        over = isinstance(top, ModalScreen) and not isinstance(top, ConfirmScreen)
        if over and not event.is_printable and event.key in self.keys.all_of("quit"):
            self.action_do("quit")
        elif top is None or not event.is_printable or not event.character:
            return
        elif isinstance(self.focused, Input):
            self.focused.insert_text_at_cursor(event.character)
            event.prevent_default()
        elif isinstance(self.screen, TypingScreen):
            self.screen.type_ahead(event.character)
            event.prevent_default()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Before there is a session, only the first screen and the way out can be asked for."""
        return self.is_open or action == "go" or parameters == ("quit",)

    def action_do(self, id: str) -> None:
        """Does one of the program's actions."""
        if self.is_open:
            self.session.faults.did(id)
        perform(self, self.ACTIONS, id)

    def missing(self, need: str) -> str | None:
        """Why an action that needs something is not possible now: those of the program need nothing."""
        return None

    def begin(self, flow: Flow, name: str) -> None:
        """Runs a flow beside everything else; whatever it raises is shown."""
        self.run_worker(flow, name=name, group="flow", exit_on_error=False)

    async def action_go(self, place: str) -> None:
        """Goes to a resource."""
        if self.is_open:
            self.session.faults.did(f"go to {place}")
        await self.go(place)

    async def go(self, place: str) -> None:
        """Goes to a place as it was left; from there, to its list. To the first one once there is a session.

        What has nothing more to say is closed where it is left.
        """
        if not self.is_open:
            self._wanted = place
            self._is_wanted_elsewhere.set()
            return
        from linkdash.screens.host import HostScreen

        is_here = place == self.current_mode
        while len(self.screen_stack) > 1 and isinstance(self.screen, HostScreen):
            if not is_here and not self.screen.is_over:
                break
            await self.pop_screen()
        if not is_here:
            self._before = self.current_mode
            await self.switch_mode(place)

    async def on_chosen(self, message: Chosen) -> None:
        """An entry of the sidebar or a tab was clicked."""
        if message.kind == "place":
            await self.go(message.id)
        elif message.kind == "job":
            self.action_do("bulk")
        else:
            resource, _, id = message.id.partition(" ")
            self.go_to_record(resource, int(id))

    def action_command(self, index: int) -> None:
        """Runs one of the person's own commands, where it is offered."""
        from linkdash.screens.record_actions import label_of
        from linkdash.screens.resource import ResourceScreen

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
        """Goes to a record; a flow of the app's own, since it can end the screen that asks for it.

        `then` is an action that is done there; `given` is filled into the form that `assign` opens.
        """
        self.begin(self.follow(resource, id, then, given), "go-there")

    async def follow(
        self, resource: str, id: int | None, then: str = "", given: Mapping[str, object] | None = None
    ) -> None:
        """Goes to a record in the list of its resource, and does an action there if one is named.

        Where a person comes from stays as it is.
        """
        from linkdash.screens.resource import ResourceScreen

        await self.go(resource)
        while len(self.screen_stack) > 1:
            await self.pop_screen()
        screen = self.screen_of(resource)
        if id is not None and isinstance(screen, ResourceScreen) and await screen.go_to(id) and then:
            screen.assign_with(given) if given else screen.action_do(then)

    def do_palette(self) -> None:
        from linkdash.palette import open_palette

        open_palette(self)

    # ---- another session ----

    async def replace_session(self, session: "Session") -> None:
        """Goes on with another session; of the one before nothing is left."""
        await self._close_session(session.settings)
        await self._begin(session)
        await self.remove_mode(_BETWEEN)

    async def _close_session(self, frame: "FrameSettings") -> None:
        """Leaves nothing of this session: its screens, what it said, where a person was."""
        await self._keep_drafts()
        self.is_open = False
        self.messages, self._wanted, self._before = Messages(), OVERVIEW.id, ""
        self._told_notices.clear()
        self.add_mode(_BETWEEN, partial(OpeningScreen, frame))
        await self.switch_mode(_BETWEEN)
        for place in (OVERVIEW, *PLACES):
            await self.remove_mode(place.id)
        self._screens.clear()
        self.workers.cancel_group(self, "team")
        await self.session.close()

    def resource_screens(self) -> "list[ResourceScreen[Record]]":
        """The lists of records that a person has been to."""
        from linkdash.screens.resource import ResourceScreen

        screens = self._screens.values()
        return [screen for screen in screens if isinstance(screen, ResourceScreen) and screen.is_mounted]

    def unsaved_places(self) -> list[str]:
        """Where a form has what was typed and not saved."""
        forms = ((screen.place, screen.pane.form) for screen in self.resource_screens())
        return [place for place, form in forms if form is not None and form.changed]

    async def _keep_drafts(self) -> None:
        for screen in self.resource_screens():
            await screen.pane.keep()

    # ---- places and windows ----

    async def do_overview(self) -> None:
        """Goes to the overview itself, also from what was opened on it."""
        await self.go(OVERVIEW.id)
        while len(self.screen_stack) > 1:
            await self.pop_screen()

    @property
    def has_previous(self) -> bool:
        """Whether another place was left for this one."""
        return bool(self._before)

    async def do_before(self) -> None:
        """Goes to the place that was left last, as it was left."""
        if self.has_previous:
            await self.go(self._before)
        else:
            self.say("There is no previous place.")

    def do_budget(self) -> None:
        from linkdash.screens.budget import BudgetScreen

        if not isinstance(self.screen, BudgetScreen):
            self.push_screen(BudgetScreen(self.session))

    def do_journal(self) -> None:
        from linkdash.screens.journal import JournalScreen

        if not isinstance(self.screen, JournalScreen):
            self.clear_notifications()  # what led here has been read, and would lie over it
            self.push_screen(JournalScreen(self.session))

    def do_audit(self) -> None:
        from linkdash.screens.audit import AuditScreen

        if not isinstance(self.screen, AuditScreen):
            self.push_screen(AuditScreen(self.session))

    async def do_bulk(self) -> None:
        """Opens the job that is under way, else the last one or one that an earlier run has left."""
        from linkdash.model.as_text import Choice
        from linkdash.screens.job import JobScreen, counts_words
        from linkdash.screens.windows import PickerScreen

        if isinstance(self.screen, JobScreen):
            return
        self.clear_notifications()
        jobs = await self.session.jobs.known()
        choices = {Choice(f"{job.id} {job.title}", counts_words(job)): job for job in jobs}
        if not choices:
            self.say("No bulk job is under way, and none was left over.")
            return
        choice: Choice | None = next(iter(choices))
        if len(choices) > 1:
            choice = await self.push_screen_wait(PickerScreen("Bulk jobs", list(choices)))
        if choice is not None:
            self.push_screen(JobScreen(self.session, choices[choice]))

    def do_help(self) -> None:
        from linkdash.screens.host import HostScreen
        from linkdash.screens.record_actions import label_of, offered
        from linkdash.screens.windows import HelpScreen, help_here

        screen = self.screen
        if isinstance(screen, HostScreen):
            own = [
                (command.key, label_of(name, command))
                for name, command in offered(self.settings, screen.place_id)
            ]
            groups = help_here(screen, [*screen.ACTIONS, *self.ACTIONS], own)
            self.push_screen(HelpScreen(screen.place, groups))

    def do_messages(self) -> None:
        """Shows what was said in this run, the newest first."""
        from rich.text import Text

        from linkdash.screens.windows import ViewerScreen

        text = "\n\n".join(map(said, reversed(self.messages.kept))) or "No messages yet."
        self.push_screen(ViewerScreen("Messages", Text(text)))

    def do_suspend(self) -> None:
        self.action_suspend_process()

    def action_help_quit(self) -> None:
        """Says how to quit to whoever presses ctrl+c, which copies where there is text."""
        self.say(f"{self.keys.of('quit')} quits.")

    async def do_quit(self) -> None:
        """Leaves at once, or after a question where something is on its way."""
        if not self.is_open or await self._agreed_to_quit():
            await self._leave(0)

    def _end(self, status: int) -> None:
        self.run_worker(self._leave(status), exit_on_error=False)

    async def _leave(self, status: int) -> None:
        """Ends with this exit status; what was typed until now is kept."""
        self.workers.cancel_group(self, "start")  # a screen made while the others close is in their way
        if self.is_open:
            await self._keep_drafts()
            self.picture = self._last_picture()
        self.exit(return_code=status)

    def _last_picture(self) -> "KeptPicture | None":
        """What the next start can show at once: the overview of the profile that this one began with.

        What goes wrong with it is written down, and holds nobody up who wants to leave.
        """
        from linkdash.screens.overview import OverviewScreen

        overview, frame, settings = self._screens.get(OVERVIEW.id), self._frame, self.settings
        is_same = (settings.profile, settings.base_url) == (frame.profile, frame.base_url)
        if not isinstance(overview, OverviewScreen) or frame.linear or not is_same:
            return None
        try:
            return overview.picture
        except Exception as error:  # noqa: BLE001  it is in the report
            self.session.faults.write(error)
            return None

    async def _agreed_to_quit(self) -> bool:
        from linkdash.screens import windows

        jobs = self.session.jobs
        on_the_way = [intent.summary for intent in self.session.writes.under_way]
        if not on_the_way and jobs.is_over:
            return True
        left = jobs.job.left if jobs.job is not None and not jobs.is_over else 0
        agreed: bool = await self.push_screen_wait(windows.quitting(on_the_way, left))
        return agreed


def _ahead() -> float:
    return time.time() - time.monotonic()


def said(message: Message) -> str:
    """A message in full, with its time."""
    at = f"{message.at:%H:%M:%S}  " if message.at is not None else ""
    return f"{at}{message.kind.sign} {message.sentence}\n{message.next_step}".rstrip()
