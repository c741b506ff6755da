"""The base of every screen: the frame around its middle, its actions, its flows, its messages."""

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Self, cast

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Container
from textual.reactive import Reactive
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import Worker, WorkerState

from linkdash.api.errors import LinkdashError
from linkdash.model.humanize import age_words, counted
from linkdash.model.resources import OVERVIEW, PLACES
from linkdash.model.session import Session
from linkdash.screens.actions import BACK, Action, AnyAction, Flow, ranked, run_action
from linkdash.screens.frame_entries import account_of, place_entries, recent_entries, watched_entries
from linkdash.screens.host_app import HostApp
from linkdash.screens.key_names import KeyNames
from linkdash.store.job import ItemState
from linkdash.widgets.frame.header import Header
from linkdash.widgets.frame.key_line import Claim, KeyLine, Standing, plain_standing
from linkdash.widgets.frame.message_line import Message, MessageKind, MessageLine
from linkdash.widgets.frame.progress_line import ProgressLine
from linkdash.widgets.frame.sidebar import JobEntry, PlaceEntry, RecentEntry, Sidebar, WatchedEntry
from linkdash.widgets.frame.sizes import HORIZONTAL_BREAKPOINTS, VERTICAL_BREAKPOINTS, TooSmall, size_classes
from linkdash.widgets.frame.status_bar import BudgetBar, StatusFacts
from linkdash.widgets.frame.tabs import Tabs
from linkdash.widgets.styled_text import DrawnLines, Piece, Tone
from linkdash.widgets.textual_fixes.drawn_lines import let_go_of_lines

if TYPE_CHECKING:  # nothing is written at the start
    from linkdash.model.writes.runner import Runner


_CLAIMS = {"help": Claim.ALWAYS, "palette": Claim.NOW, "suspend": None}
"""The claims of the program's keys to the key line; None is not told there, however much room there is."""
_OF_PROGRAM = 500
"""The ranks of the program's keys begin here: after those of the place."""
_KEPT_KEYS = 2  # of a form or a filter, beside a message
_TICK = 1.0  # seconds


class _SidebarEntries(NamedTuple):
    """The entries of places, of recent records and of watched ones."""

    places: Sequence[PlaceEntry]
    recent: Sequence[RecentEntry]
    watched: Sequence[WatchedEntry]


class HostScreen(Screen[None]):
    """A screen with the program's frame. Subclasses declare `ACTIONS` and fill the middle."""

    HORIZONTAL_BREAKPOINTS = HORIZONTAL_BREAKPOINTS
    VERTICAL_BREAKPOINTS = VERTICAL_BREAKPOINTS
    AUTO_FOCUS = None

    focused: Reactive[Widget | None] = Reactive(None, repaint=False)
    """What has the focus: it and what had it paint themselves, and nothing else looks different."""
    ACTIONS: ClassVar[tuple[AnyAction, ...]] = ()
    """Those of a subclass are for it."""
    shows_bulk: ClassVar[bool] = True
    """True if the progress of a bulk job is shown in a line of its own."""
    place_id: str = ""
    """The entry of the sidebar that this screen belongs to; empty for one that lies over any of them."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self._unwatch: list[Callable[[], None]] = []
        self._entries: _SidebarEntries | None = None
        self._possible: dict[str, tuple[Claim | None, str]] | None = None
        """What can be done now, with its claim to the key line and its word there."""
        self._is_whole = False
        self._styled_in = ""
        """The theme that its styles were worked out in last."""

    @property
    def place(self) -> str:
        """Return where the user is, for the line at the top."""
        return self.title or ""

    # ---- composition ----

    def compose(self) -> ComposeResult:
        session = self.session
        width, height = self.HORIZONTAL_BREAKPOINTS or [], self.VERTICAL_BREAKPOINTS or []
        self.update_classes(size_classes(self.app.size, width, height))
        yield Header(account_of(session.settings), self._trail, session.wall_time, self._offline_since)
        yield Tabs()
        with Container(id="middle"):
            yield Sidebar()
            yield from self.compose_middle()
        yield ProgressLine(id="bulk")
        yield BudgetBar(lambda: session.gate.state, self._facts)
        with Container(id="bottom"):
            yield KeyLine(self.standing_of, label=self.label_of)
            yield MessageLine(self.services.messages, time.monotonic, self._message_keys, self._whole_key)
        yield TooSmall(self.keys.of("quit"))

    @property
    def services(self) -> HostApp:
        """The app."""
        return cast("HostApp", self.app)

    @property
    def keys(self) -> KeyNames:
        """The keys as the user has them."""
        return self.services.keys

    @property
    def _trail(self) -> list[str]:
        under = [one.title for one in PLACES if one.id == self._marked_place and not self.place_id]
        return [*under, *self.place.split(" · ", 1)]

    @property
    def _marked_place(self) -> str:
        """The entry of the sidebar that is marked while this screen is shown."""
        return self.place_id or self.app.current_mode

    @property
    def is_typed_into(self) -> bool:
        """Return whether letters are typed here now, so that only keys of what takes them work."""
        return False

    def _message_keys(self, stays: bool) -> list[tuple[str, str]]:
        """Return the keys that a message leaves in sight."""
        if self.is_typed_into:
            return self.query_one(KeyLine).first(_KEPT_KEYS)
        every = (self.key_of("messages"), "all messages")
        return [every, (self.key_of("back"), "dismiss")] if stays else [every]

    def _whole_key(self) -> list[tuple[str, str]]:
        """Return the key that shows a message whole; none where letters are typed."""
        return [] if self.is_typed_into else [(self.key_of("messages"), "all of it")]

    def _facts(self) -> StatusFacts:
        unsaved, age = self.unsaved, self.age
        return StatusFacts(
            unsaved or "all saved",
            is_saved=not unsaved,
            age="" if age is None else f"as of {age_words(age)}",
            warning=self.session.team_trouble,
            is_offline=self._offline_since() is not None,
        )

    def _offline_since(self) -> datetime | None:
        """Since when the service does not answer, by the user's clock; None where it does."""
        since = self.session.client.connection.silent_since
        return None if since is None else since.astimezone().replace(tzinfo=None)

    @property
    def unsaved(self) -> str:
        """Return what is unsaved, in words; empty where all is saved."""
        if under_way := self.session.under_way:
            how = "under way" if self.session.writes.sent else "queued"
            return f"{counted(len(under_way), 'change')} {how}"
        typed = next((f"not saved: {place}" for place in self.services.navigation.unsaved_places()), "")
        doubts = self.session.in_doubt
        return typed or (f"{counted(doubts, 'change')} of unknown outcome" if doubts else "")

    @property
    def has_unsaved_input(self) -> bool:
        """Return whether something was typed here and not saved."""
        return False

    async def keep_input(self) -> None:
        """Keep what was typed here and not saved, for the next time."""

    @property
    def age(self) -> float | None:
        """Seconds since the service said what is shown; None where it has no one age, or a frame tells it."""
        return None

    @property
    def is_over(self) -> bool:
        """Return whether nothing more will come of it, so that it need not be there on the next visit."""
        return False

    def compose_middle(self) -> ComposeResult:
        """The widgets between sidebar and the lines at the bottom."""
        yield from ()

    def standing_of(self, binding: Binding) -> Standing | None:
        """Return where a key stands in the key line; None for what is not shown, or cannot be done now."""
        id = binding.id or ""
        if id in self._ranked:
            rank, action = self._ranked[id]
            claim = self.claim_of(action) if self._is_possible(action) else None
        elif id in self.services.ranked:
            rank, of_program = self.services.ranked[id]
            rank += _OF_PROGRAM
            claim = _CLAIMS.get(id, Claim.SHOWN if of_program.shown else Claim.SPARE)
        else:
            return plain_standing(binding)
        return None if claim is None else Standing(claim, rank)

    @cached_property
    def _ranked(self) -> Mapping[str, tuple[int, Action[Self]]]:
        return ranked(self.actions)

    def claim_of(self, action: Action[Self]) -> Claim | None:
        """Return the claim to the key line that an action has while it is possible; None for none."""
        if action.id == BACK.id:
            return Claim.ALWAYS if self.has_way_back else None
        if action.shown:
            return Claim.SHOWN
        return None if action.group == "Move" else Claim.SPARE  # arrows are tried without being told

    @property
    def has_way_back(self) -> bool:
        """Return whether going back leads somewhere."""
        return True

    @property
    def was_led_to(self) -> bool:
        """Return whether a record of another place was followed to this one."""
        navigation = self.services.navigation
        return self.place_id in navigation.closed_for or self.place_id in navigation.led_from

    def label_of(self, id: str) -> str:
        """Return the word for an action in the key line as things are now; "" for its own."""
        return ""

    def _is_possible(self, action: Action[Self]) -> bool:
        """As it was looked for last; before a screen is put together, whether it ever is."""
        return action.is_offered(self) if self._possible is None else action.id in self._possible

    def on_record_table_cursor_moved(self) -> None:
        self.update_keys()

    def update_keys(self) -> None:
        """Show the keys of what can be done by now."""
        possible = {
            action.id: (self.claim_of(action), self.label_of(action.id))
            for action in self.actions
            if action.blocked(self) is None
        }
        if possible != self._possible:
            self._possible = possible
            self.query_one(KeyLine).update()

    def key_of(self, id: str) -> str:
        """The key of an action as the user reads it."""
        return self.keys.of(id, self.ACTIONS)

    def key_hint(self, id: str, what: str) -> list[Piece]:
        """The key of an action, and what it shows, for the frame of a panel."""
        return [Piece(self.key_of(id), Tone.KEY), Piece(f" {what}", Tone.MUTED)]

    def on_mount(self) -> None:
        self._unwatch.append(self.session.gate.watch(self._budget_changed))
        self._unwatch.append(self.session.job_changes.watch(self._job_changed))
        self._styled_in = self.app.theme
        self.set_interval(_TICK, self._tick_lines)
        self.set_interval(2.0, self._paint_frame)
        self._paint_frame()

    def _tick_lines(self) -> None:
        """Have all lines that tick look at once, which paints the screen once; windows let it be seen."""
        windows = self._windows_above
        if windows is None:
            return
        for lines in self.walk_children(DrawnLines):
            if lines.ticks:
                lines.update_lines()
        for window in windows[:-1]:  # Textual keeps what it drew of the screens below these
            window.refresh()

    @property
    def is_in_sight(self) -> bool:
        """Return whether it is shown; a window over it lets it be seen."""
        return self._windows_above is not None

    @property
    def _windows_above(self) -> "Sequence[Screen[object]] | None":
        """Return the windows that lie over it; None where it is not open, or lies below another screen."""
        stack: Sequence[Screen[object]] = self.app.screen_stack
        if self not in stack:
            return None
        above = stack[stack.index(self) + 1 :]
        return above if all(screen.is_modal for screen in above) else None

    def on_unmount(self) -> None:
        for unwatch in self._unwatch:
            unwatch()

    async def on_event(self, event: events.Event) -> None:
        """Pass over what comes to a screen that was left while it still came, and is without some parts."""
        if isinstance(event, events.ScreenResume):  # its styles are worked out where they change
            event.refresh_styles, self._styled_in = self._styled_in != self.app.theme, self.app.theme
        if isinstance(event, events.Mount):
            self._is_whole = all(part.is_mounted for part in self.walk_children(Widget))
        is_left = isinstance(event, events.ScreenResume) and self not in self.app.screen_stack
        if not is_left and (self._is_whole or not isinstance(event, events.Mount | events.ScreenResume)):
            await super().on_event(event)

    def on_screen_resume(self) -> None:
        self.services.messages.go_on(time.monotonic())
        self._job_changed()
        self._paint_frame()
        self._tick_lines()

    def on_screen_suspend(self) -> None:
        """Keep no line of what is out of sight; a window lets it be seen."""
        if not self.app.screen.is_modal:
            let_go_of_lines(self)

    def _paint_frame(self) -> None:
        """Say in header and sidebar what is known by now; nothing is asked for it."""
        if not self.is_active:
            return
        recents, collections = self.session.recents, self.session.collections
        places = place_entries(self.keys, collections)
        recent, watched = recent_entries(recents, collections), watched_entries(recents, collections)
        shown = _SidebarEntries(places, recent, watched)
        if shown != self._entries:
            self._entries = shown
            self._show_entries(shown)
        known = self.session.collections.known("account")
        records = known.records if known is not None else ()
        if records:
            account = account_of(self.session.settings, records[0].username, records[0].status)
            self.query_one(Header).show(account=account)
        self.query_one(Header).show(trail=self._trail)
        self.update_keys()

    def _show_entries(self, shown: _SidebarEntries) -> None:
        sidebar = self.query_one(Sidebar)
        sidebar.show_places(shown.places, self._marked_place)
        self.query_one(Tabs).show_places(shown.places, self._marked_place)
        opens = [Piece(self.key_of("recent"), Tone.KEY), Piece(" opens one", Tone.MUTED)]
        sidebar.show_recent(shown.recent, opens)
        sidebar.show_watched(shown.watched)

    def _job_changed(self) -> None:
        if not self.is_in_sight:
            return
        jobs = self.session.begun_jobs
        progress = jobs.progress if jobs is not None and self.shows_bulk else None
        self.query_one("#bulk", ProgressLine).show(progress)
        key = [Piece(self.key_of("bulk"), Tone.KEY), Piece(" opens it", Tone.MUTED)]
        self.query_one(Sidebar).show_job(None if jobs is None or jobs.is_over else job_entry(jobs), key)
        self.job_changed()
        self._budget_changed()  # it says how many changes are under way
        self.update_keys()

    def job_changed(self) -> None:
        """The bulk job is further than before."""

    def _budget_changed(self) -> None:
        if self.is_active:
            self.query_one(BudgetBar).update_lines()

    # ---- actions ----

    def action_do(self, id: str) -> None:
        """Do one of the screen's actions; where a message stays, going back only takes that away."""
        was_shown = any(line.dismiss() for line in self.query(MessageLine))  # none before it is composed
        if was_shown and id == "back":
            return
        self.go_on()
        if reason := self.withheld(id):
            self.warn(reason)
            return
        self.session.faults.did(f"{id} on {type(self).__name__}")
        run_action(self, self.actions, id)

    def go_on(self) -> None:
        """Let a message go that could be read, since the user does the next thing."""
        self.services.messages.go_on(time.monotonic())
        for line in self.query(MessageLine):
            line.update_lines()

    def close_message(self) -> None:
        """Take the message away, since what it was about is done with."""
        self.services.messages.dismiss()
        self.go_on()

    def on_record_table_opened(self) -> None:
        self.open_what_is_clicked()

    def on_line_menu_opened(self) -> None:
        self.open_what_is_clicked()

    def open_what_is_clicked(self) -> None:
        """Do what the key for opening does, where there is one."""
        if any(action.id == "open" for action in self.ACTIONS):
            self.action_do("open")

    def withheld(self, id: str) -> str | None:
        """The reason why no action like this one is done at this moment; None where it is."""
        return None

    def on_key(self, event: events.Key) -> None:
        """Say that a key does nothing here, unless it is for what has the focus."""
        key, parts = event.character or "", self.focused.ancestors_with_self if self.focused else ()
        is_typed = any(isinstance(one, Widget) and one.check_consume_key(event.key, key) for one in parts)
        if not event.is_printable or is_typed or event.key in self.active_bindings:
            return
        does, leads = self._elsewhere(event.key)
        help_words = f"{self.key_of('help')} shows the keys that work here."
        self.say(f"{leads}{help_words}", f"{event.key if key.isspace() else key} {does}")

    def _elsewhere(self, key: str) -> tuple[str, str]:
        """Return where a key works that does nothing here, and the way there; or what the user has moved."""
        if moved := self.keys.moved(key, self.ACTIONS):
            return f"does nothing here: {moved}", ""
        if (action := self.keys.list_action(key)) is not None:
            return f"works in lists: {action.label}", self._way_to_list
        from linkdash.screens.palette.elsewhere import works_in  # all screens: only for a slip

        if (found := works_in(self.services, key)) is not None:
            return found[0], f"{found[1]}, "
        return "does nothing here", ""

    @property
    def _way_to_list(self) -> str:
        """Return the key that leads from here to the list that it lies over; "" where it lies over none."""
        place = self.app.current_mode
        if len(self.app.screen_stack) == 1 or place == OVERVIEW.id:
            return ""
        return f"{self.keys.of(f'go-{place}')} goes to the list, "

    @property
    def actions(self) -> Sequence[Action[Self]]:
        """The screen's actions, to be done on it."""
        return cast("Sequence[Action[Self]]", self.ACTIONS)

    def missing_rights(self) -> str | None:
        """The reason why nothing can be changed from here, in words; None where it can."""
        return "This session is read-only." if self.session.read_only else None

    def note_opened(self, resource: str, id: int, name: str) -> None:
        """A record was opened, or changed alone: it is at hand from now on."""
        self.run_worker(self.session.recents.opened(resource, id, name), group="kept", exit_on_error=False)

    def begin(self, flow: Flow, name: str, *, opens: bool = False) -> None:
        """Run a flow beside everything else; whatever it raises is shown. For what `opens`, keys wait."""
        worker = self.run_worker(flow, name=name, group="flow", exit_on_error=False)
        if opens:
            self.hold_keys(worker)

    def hold_keys(self, worker: Worker[None]) -> None:
        """Keep keys until the focus is elsewhere or the worker has ended."""
        self.services.type_ahead.hold(worker)

    # ---- what it says ----

    def say(self, text: str, title: str = "") -> None:
        """Tell the user something."""
        self._post(MessageKind.NOTE, text, title)

    @property
    def origin(self) -> str:
        """The name of the screen where a record of this place was followed from; "" where it was not."""
        navigation = self.services.navigation
        if isinstance(closed := navigation.closed_for.get(self.place_id), HostScreen):
            return closed.place
        if (origin := navigation.led_from.get(self.place_id)) is None:
            return ""
        screen = origin.screen
        if (
            isinstance(screen, HostScreen)
            and screen.is_attached
            and screen is not navigation.screen_of(origin.place)
        ):
            return screen.place
        return next((one.title for one in (OVERVIEW, *PLACES) if one.id == origin.place), "")

    def go_back_to_origin(self) -> bool:
        """Go back to where a record of this place was followed from; False where it was not."""
        navigation = self.services.navigation
        if (closed := navigation.closed_for.pop(self.place_id, None)) is not None:
            self.app.push_screen(closed)
            return True
        if (origin := navigation.led_from.pop(self.place_id, None)) is not None:
            self.services.begin(navigation.go(origin.place), "back", opens=True)
            return True
        return False

    def leave_place(self) -> None:
        """Go back to where a record of this place was followed from; else say what leads elsewhere."""
        if self.go_back_to_origin():
            return
        navigation, back = self.services.navigation, self.key_of("back")
        before = f"{self.key_of('before')} goes to the previous place, " if navigation.previous_place else ""
        self.say(f"{back} has nothing to close here; {before}{self.key_of('quit')} quits.")

    def done(self, text: str, title: str) -> None:
        """Tell the user that something was done."""
        self._post(MessageKind.SUCCESS, text, title)

    def warn(self, text: str, title: str = "") -> None:
        """Tell the user what needs them, or why something is not done."""
        self._post(MessageKind.WARNING, text, title)

    def tell(self, error: LinkdashError) -> None:
        """Show an error where the user is."""
        self._post(MessageKind.ERROR, error.advice, error.what)

    def _post(self, kind: MessageKind, text: str, title: str) -> None:
        self.services.post(Message.titled(kind, text, title))
        self._budget_changed()  # what is said to be saved is not called unsaved below

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Show what a worker raised; no fault of the program itself ends the app or passes unseen.

        What a flow stood in the way of can be done again.
        """
        self.services.type_ahead.look()
        error = event.worker.error
        if event.state is WorkerState.ERROR and error is not None:
            self.tell(self.services.explained(error))
        if event.worker.is_finished and event.worker.group == "flow" and self.is_active:
            self.update_keys()

    def anew(self) -> "HostScreen | None":
        """Return a screen that shows the same, to come back to; None where nothing leads back here."""
        return None

    def arrive(self) -> None:
        """Called where the user goes to the place by its key."""

    def do_back(self) -> None:
        self.dismiss()


def job_entry(jobs: "Runner") -> JobEntry | None:
    """The bulk job of a run, for the sidebar."""
    if jobs.job is None:
        return None
    counts = jobs.job.counts
    return JobEntry(
        jobs.job.title,
        jobs.job.over,
        len(jobs.job.items),
        counts[ItemState.DONE],
        counts[ItemState.FAILED],
        counts[ItemState.UNKNOWN],
        is_running=not jobs.is_paused,
    )
