"""The app: its screens, its theme, its keys, its way out."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import events, work
from textual.binding import Binding, BindingType
from textual.filter import LineFilter, Monochrome, NoColor
from textual.theme import BUILTIN_THEMES

from linkdash.api.errors import Misconfigured
from linkdash.model.resources import OVERVIEW, PLACES
from linkdash.screens.actions import Action, bindings
from linkdash.screens.host_app import HostApp
from linkdash.screens.key_names import given_keys
from linkdash.screens.opening import OpeningScreen
from linkdash.screens.program_actions import PROGRAM_ACTIONS, keys_of
from linkdash.screens.supervision import Supervision
from linkdash.widgets.frame.sidebar import EntryChosen
from linkdash.widgets.frame.typeahead import TypeAhead
from linkdash.widgets.styled_text import ASCII
from linkdash.widgets.terminal.ascii_filter import AsciiFilter, key_in_words
from linkdash.widgets.terminal.inert_filter import InertFilter
from linkdash.widgets.textual_fixes.unexpected_keys import parted
from linkdash.widgets.themes import OWN_THEMES, style_paths

if TYPE_CHECKING:  # the first paint does not wait for these
    from pathlib import PurePath

    from textual.screen import Screen
    from textual.worker import Worker

    from linkdash.model.session import ProfileChoice, Session
    from linkdash.model.settings import Settings


_NO_COLOR = NoColor()
_SLEPT = 30.0  # seconds that the clock on the wall is ahead of that of the process, which stands in sleep


def check_theme(name: str) -> None:
    """Raise Misconfigured for the name of a theme that does not exist; none at all is fine."""
    known = {*BUILTIN_THEMES, *(theme.name for theme in OWN_THEMES)}
    if name and name not in known:
        raise Misconfigured(f"There is no theme {name!r}.", f"Themes: {', '.join(sorted(known))}.")


class LinkdashApp(HostApp, inherit_bindings=False):
    """The overview, a screen for each resource, one session."""

    CSS_PATH = [*style_paths("frame", "header", "opening", "panel", "sidebar", "sizes")]
    ENABLE_COMMAND_PALETTE = False  # ours finds records, too
    TITLE = "linkdash"
    ACTIONS: ClassVar[Sequence[Action[HostApp]]] = PROGRAM_ACTIONS
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
        set_up: "Callable[[str], None] | None" = None,
    ) -> None:
        """`open_session` is called once, in a thread, when the frame has been painted.

        `profiles` tells those that the user can switch to, `set_up` asks for one in the terminal; None in the
        demo. Raises Misconfigured for a theme that does not exist.
        """
        super().__init__(settings, keys_of(settings), profiles, set_up)
        self._given_keys = given_keys(settings)
        self._open_session = open_session
        self._opening: asyncio.Task[Session] | None = None
        self._failure: Exception | None = None
        self._supervision = Supervision(self)
        self.first_place = OVERVIEW.id
        self._own_filters: list[LineFilter] = [InertFilter()]
        if settings.ascii:
            self._own_filters.append(AsciiFilter())
            self.add_class(ASCII)
        self._theme_in_sheets = self.current_theme
        self._ahead = _ahead()
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
            raise self._supervision.unexpected_end()
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
        """In words where signs become plain ones."""
        shown = super().get_key_display(binding)
        return key_in_words(shown) if self.has_class(ASCII) else shown

    def delay_update(self, delay: float = 0.05) -> None:
        """Do not delay the first screen, which then is painted once: as soon as it stands."""
        if not isinstance(self.screen, OpeningScreen):
            super().delay_update(delay)

    def refresh_css(self, animate: bool = True) -> None:
        """Parse the style sheets again only for another theme: Textual asks for it with every new screen."""
        if self._theme_in_sheets is not self.current_theme:
            self._theme_in_sheets = self.current_theme
            super().refresh_css(animate)

    def on_mount(self) -> None:
        if self.settings.theme:
            self.theme = self.settings.theme
        self.set_keymap(dict(self.settings.keys))
        self._supervision.start()

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
            with self.batch_update():  # nothing of the frame changes until then: it is not painted again
                session = await asyncio.shield(self._opening)
        except Exception as error:  # noqa: BLE001  it is raised again when the terminal is given back
            self._failure = error
            self.exit(return_code=1)
            return
        for index, command in enumerate(session.settings.commands.values()):
            self.bind(command.key, f"command({index})", show=False)
        from linkdash.screens.left_unfinished import tell_what_is_left
        from linkdash.screens.next_steps import prepare_next_steps
        from linkdash.screens.session_change import enter_session

        await enter_session(self, session)
        self._opening = None  # its result would outlive a change to another session
        self.set_interval(1.0, self._look_at_clocks)
        await tell_what_is_left(self)
        self.run_worker(prepare_next_steps(self), group="start")

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
        for one in self._parted(event):
            if not self.type_ahead.keeps(one):
                await super().on_event(one)

    def _parted(self, event: events.Event) -> Sequence[events.Event]:
        """Return escape and a key where a terminal sends both as alt with that key, unless that is given."""
        if not isinstance(event, events.Key) or event.key in self._given_keys:
            return [event]
        return parted(event)

    def _is_urgent(self, key: events.Key) -> bool:
        """Return whether a key need not wait until a place is open: it quits, or chooses the first place."""
        if self.is_open:
            return not key.is_printable and key.key in self.keys.all_of("quit")
        active = self.active_bindings.get(key.key)
        return active is not None and active.node is self

    async def on_unmount(self) -> None:
        """Close the session, also one that was not waited for: its files are let go."""
        self.type_ahead.close()
        self._supervision.close()
        if self.is_open:
            await self.session.close()
        elif self._opening is not None:
            await asyncio.wait([self._opening])
            if self._opening.exception() is None:
                await self._opening.result().close()

    # ---- what it says ----

    def last_words(self, error: BaseException) -> str:
        return self._supervision.last_words(error)

    def on_worker_state_changed(self, event: "Worker.StateChanged") -> None:
        """Say what a worker raised, and when the program itself failed, as the screens do."""
        from textual.worker import WorkerState

        self.type_ahead.look()
        error = event.worker.error
        if event.state is WorkerState.ERROR and error is not None and self.is_open:
            self.tell_failure(error)

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

    async def action_go(self, place: str) -> None:
        """Go to a place; before there is a session, that is the first one then."""
        if self.is_open:
            await self.navigation.go_by_key(place)
        else:
            self.first_place = place

    async def on_entry_chosen(self, message: EntryChosen) -> None:
        """An entry of the sidebar or a tab was clicked."""
        if not self.is_open:
            self.first_place = message.id
        elif message.kind == "place":
            await self.navigation.go(message.id)
        elif message.kind == "job":
            self.action_do("bulk")
        else:
            resource, _, id = message.id.partition(" ")
            self.navigation.go_to_record(resource, int(id))

    # ---- the end ----

    def action_help_quit(self) -> None:
        """Say how to quit to whoever presses ctrl+c, which copies where there is text."""
        self.say(f"{self.keys.of('quit')} quits.")


def _ahead() -> float:
    return time.time() - time.monotonic()
