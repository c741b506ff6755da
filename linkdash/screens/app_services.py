"""The app, as screens and the palette see it."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from linkdash.api.errors import LinkdashError
from linkdash.screens.actions import Action, Flow
from linkdash.screens.key_names import KeyNames
from linkdash.widgets.frame.message_line import Message, Messages
from linkdash.widgets.frame.typeahead import TypeAhead
from linkdash.widgets.themes import ThemedApp

if TYPE_CHECKING:  # the first paint does not wait for these
    from linkdash.config import Settings
    from linkdash.model.session import ProfileChoice, Session


class AppServices(ThemedApp[int]):
    """All that screens ask of the app: to speak, to go somewhere, to open another session."""

    ACTIONS: ClassVar["Sequence[Action[AppServices]]"]
    session: "Session"
    """There once the app is open."""
    settings: "Settings"
    keys: KeyNames
    profiles: "Callable[[], Sequence[ProfileChoice]]"
    """Those that can be switched to."""
    messages: Messages
    """All that was said in this run."""
    type_ahead: TypeAhead

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

    # ---- going somewhere ----

    @abstractmethod
    def action_do(self, id: str) -> None:
        """Do one of the program's actions."""

    @abstractmethod
    def action_command(self, index: int) -> None:
        """Run one of the user's own commands, where it is offered."""

    @abstractmethod
    async def action_go(self, place: str) -> None:
        """Go to a place, as its key does."""

    @abstractmethod
    async def go(self, place: str) -> None:
        """Go to a place as it was left; from there, to its list."""

    @abstractmethod
    def go_to_record(
        self, resource: str, id: int | None, then: str = "", given: Mapping[str, object] | None = None
    ) -> None:
        """Begin to go to a record, also where that ends the screen that asks for it.

        `then` is an action that is done there; `given` is filled into the form that `assign` opens.
        """

    @abstractmethod
    async def follow(
        self, resource: str, id: int | None, then: str = "", given: Mapping[str, object] | None = None
    ) -> None:
        """Go to a record in the list of its resource, and do an action there if one is named."""

    @property
    @abstractmethod
    def has_previous(self) -> bool:
        """Return whether another place was left for this one."""

    # ---- its actions ----

    @abstractmethod
    def do_help(self) -> None:
        """Show every key that works here."""

    @abstractmethod
    def do_palette(self) -> None:
        """Open the command palette."""

    @abstractmethod
    def do_overview(self) -> Flow:
        """Go to the overview."""

    @abstractmethod
    def do_before(self) -> Flow:
        """Go back to the previous place."""

    @abstractmethod
    def do_recent(self) -> Flow:
        """Go to a record that was opened last, or to a watched code."""

    @abstractmethod
    def do_budget(self) -> None:
        """Show who spent the budget."""

    @abstractmethod
    def do_journal(self) -> None:
        """Show the journal of changes."""

    @abstractmethod
    def do_audit(self) -> None:
        """Show the audit of loaded records."""

    @abstractmethod
    def do_bulk(self) -> Flow:
        """Show the bulk job that is running or was left over."""

    @abstractmethod
    def do_messages(self) -> None:
        """Show earlier messages."""

    @abstractmethod
    def do_suspend(self) -> None:
        """Go back to the shell until it returns."""

    @abstractmethod
    def do_quit(self) -> Flow:
        """Quit, after asking where something would be lost."""

    # ---- sessions ----

    @abstractmethod
    def unsaved_places(self) -> list[str]:
        """Places with a form in which something was typed and not saved."""

    @abstractmethod
    async def replace_session(self, session: "Session") -> None:
        """Go on with another session; of the one before nothing is left."""

    @abstractmethod
    async def tell_what_is_left(self) -> None:
        """Say what an earlier run has left: changes of unknown outcome, and interrupted bulk jobs."""
