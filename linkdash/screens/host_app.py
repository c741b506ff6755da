"""The app, as screens and the palette see it: its session, its places, what it says and does."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from linkdash.api.errors import LinkdashError
from linkdash.api.inert_text import inert
from linkdash.screens.actions import Action, Flow, ranked, run_action
from linkdash.widgets.frame.message_line import Message, MessageKind, MessageLine, Messages
from linkdash.widgets.frame.typeahead import TypeAhead
from linkdash.widgets.themes import ThemedApp

if TYPE_CHECKING:  # the first paint does not wait for these
    from textual.notifications import SeverityLevel

    from linkdash.model.session import ProfileChoice, Session
    from linkdash.model.settings import Settings
    from linkdash.screens.key_names import KeyNames
    from linkdash.screens.navigation import Navigation


class HostApp(ThemedApp[int]):
    """An app with a session and its places, once it is open."""

    ACTIONS: ClassVar["Sequence[Action[HostApp]]"]
    session: "Session"
    """There once the app is open."""
    navigation: "Navigation"
    """There once the app is open."""
    type_ahead: TypeAhead
    first_place: str
    """The place that is shown as soon as there is a session."""

    def __init__(
        self,
        settings: "Settings",
        keys: "KeyNames",
        profiles: "Callable[[], Sequence[ProfileChoice]]",
        set_up: "Callable[[str], None] | None",
    ) -> None:
        """`profiles` tells those that the user can switch to.

        `set_up` asks for one, by its name, in the suspended terminal, and raises LinkdashError; None in the
        demo.
        """
        super().__init__()
        self.settings, self.keys = settings, keys
        self.profiles, self.set_up = profiles, set_up
        self.is_open = False
        """True if there is a session; before that a key only says which place is wanted first."""
        self.messages = Messages()
        """All that was said in this run."""
        self._has_news = False

    @cached_property
    def ranked(self) -> "Mapping[str, tuple[int, Action[HostApp]]]":
        """Its actions by id, with their ranks."""
        return ranked(self.ACTIONS)

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
        self.post(Message.titled(kind, message, title))

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
        self.post(Message.titled(MessageKind.NOTE, text, title))

    def warn(self, text: str, title: str = "") -> None:
        """Tell the user what needs them, or why something is not done."""
        self.post(Message.titled(MessageKind.WARNING, text, title))

    def explained(self, error: BaseException) -> LinkdashError:
        """Return what is said of what a worker raised."""
        return error if isinstance(error, LinkdashError) else self.session.failure(error)

    def tell_failure(self, error: BaseException) -> None:
        """Say what went wrong, and where the program itself failed, where that is written down."""
        explained = self.explained(error)
        self.post(Message(MessageKind.ERROR, explained.what, explained.advice))

    # ---- what it does ----

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

    def action_command(self, index: int) -> None:
        """Run one of the user's own commands, where it is offered."""
        from linkdash.screens.lists.own_commands import label_of
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

    async def leave(self, status: int) -> None:
        """End with this exit status; what was typed until now is kept."""
        self.workers.cancel_group(self, "start")  # a screen made while the others close is in their way
        if self.is_open:
            await self.navigation.keep_drafts()
        self.exit(return_code=status)
