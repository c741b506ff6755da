"""The app, as screens and the palette see it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual.screen import Screen

from linkdash.api.errors import LinkdashError
from linkdash.screens.actions import Action, AnyAction, Flow
from linkdash.screens.key_names import KeyNames
from linkdash.widgets.frame.message_line import Message, Messages
from linkdash.widgets.frame.typeahead import TypeAhead
from linkdash.widgets.themes import ThemedApp

if TYPE_CHECKING:  # the first paint does not wait for these
    from linkdash.api.resources.qr import QrCode
    from linkdash.model.lists.views import View
    from linkdash.model.session import ProfileChoice, Session
    from linkdash.model.settings import Settings
    from linkdash.store.job import Job
    from linkdash.store.journal_entry import JournalEntry


class Origin(NamedTuple):
    """The origin of a followed record: the place, and the screen that is shown again on the way back."""

    place: str
    screen: Screen[None]


class Navigation(ABC):
    """The places of a session, and going to them."""

    previous_place: str
    """The place that was left for this one; empty where there was none."""
    led_from: dict[str, Origin]
    """The origin of each record that was followed, by the place where it is."""
    closed_for: dict[str, Screen[None]]
    """The screen that was closed for a record below it, made anew, by the place where that is."""

    @abstractmethod
    def screen_of(self, id: str) -> Screen[None]:
        """Return the screen of a place, which is made when it is first wanted."""

    @abstractmethod
    def actions_of(self, id: str) -> Sequence[AnyAction]:
        """Return what can be done on the screen of a place, without making it."""

    @abstractmethod
    async def go_by_key(self, place: str) -> None:
        """Go to a place as its key does."""

    @abstractmethod
    async def go(self, place: str) -> None:
        """Go to a place as it was left; from there, to its list.

        What has nothing more to say is closed where it is left.
        """

    @abstractmethod
    def go_to_record(
        self, resource: str, id: int | None, then: str = "", given: Mapping[str, object] | None = None
    ) -> None:
        """Begin to go to a record, also where that ends the screen that asks for it.

        `then` is an action that is done there; `given` is filled into the form that `assign` opens. For what
        was deleted `anew` opens the form that creates it again.
        """

    @abstractmethod
    def go_to_view(self, resource: str, view: "View") -> None:
        """Go to a list, and show it as a view says."""

    @abstractmethod
    async def follow(
        self, resource: str, id: int | None, then: str = "", given: Mapping[str, object] | None = None
    ) -> None:
        """Go to a record in the list of its resource, and do an action there if one is named.

        Where the user comes from stays as it is, and is where going back from there leads to; a screen that
        lay over this list is opened again for that.
        """

    @abstractmethod
    def unsaved_places(self) -> list[str]:
        """The places with a form in which something was typed and not saved."""

    @abstractmethod
    async def keep_drafts(self) -> None:
        """Keep what was typed in the forms, for the next time."""

    @abstractmethod
    async def close(self) -> None:
        """Take the places from the app, which shows something else by now."""


class AppServices(ThemedApp[int]):
    """All that screens ask of the app."""

    ACTIONS: ClassVar["Sequence[Action[AppServices]]"]
    session: "Session"
    """There once the app is open."""
    settings: "Settings"
    keys: KeyNames
    profiles: "Callable[[], Sequence[ProfileChoice]]"
    """Those that can be switched to."""
    set_up: "Callable[[str], None] | None"
    """Asks for a profile, by its name, in the suspended terminal; raises LinkdashError. None in the demo."""
    messages: Messages
    """All that was said in this run."""
    type_ahead: TypeAhead
    is_open: bool
    """True if there is a session; before that a key only says which place is wanted first."""
    first_place: str
    """The place that is shown as soon as there is a session."""
    navigation: "Navigation"
    """There once the app is open."""

    # ---- speaking ----

    @abstractmethod
    def post(self, message: Message) -> None:
        """Say something in the message line, and keep it to be read again."""

    @abstractmethod
    def say(self, text: str, title: str = "") -> None:
        """Say something."""

    @abstractmethod
    def warn(self, text: str, title: str = "") -> None:
        """Say what needs attention, or why something is not done."""

    @abstractmethod
    def explained(self, error: BaseException) -> LinkdashError:
        """Return what is said of what a worker raised."""

    @abstractmethod
    def begin(self, flow: Flow, name: str, *, opens: bool = False) -> None:
        """Run a flow beside everything else; what it raises is shown. For what `opens`, keys wait."""

    # ---- doing something ----

    @abstractmethod
    def action_do(self, id: str) -> None:
        """Do one of the program's actions."""

    @abstractmethod
    def works_in(self, key: str) -> tuple[str, str] | None:
        """The other screen on which a key does something, and the way there, both in words."""

    @abstractmethod
    def action_command(self, index: int) -> None:
        """Run one of the user's own commands, where it is offered."""

    @abstractmethod
    async def undo_job(self, job: "Job") -> None:
        """Undo what a bulk job has edited, after a question over the screen that shows it."""

    @abstractmethod
    async def undo_entry(self, entry: "JournalEntry") -> None:
        """Undo one edit that is in the journal, after a question over the screen that shows it."""

    @abstractmethod
    async def watch_codes(self, codes: "Sequence[QrCode]") -> None:
        """Watch these codes, and no others."""

    @abstractmethod
    async def replace_session(self, session: "Session") -> None:
        """Go on with another session; of the one before nothing is left."""

    @abstractmethod
    async def leave(self, status: int) -> None:
        """End with this exit status; what was typed until now is kept."""
