"""The actions: each declared once, with the keys that do it, what it needs and the function that does it.

Bindings, key line, help, command palette, messages and the guide's table of keys are rendered from the
actions. Wherever a key is named to the user, it is asked for here, so that a remapped key is named right
everywhere; the user's own keys are checked for clashes.
"""

import inspect
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass, field
from typing import Generic, Literal, Never, Protocol, TypeAlias, TypeVar

from textual.binding import Binding, BindingType

Group = Literal["Move", "Look", "Change", "Program"]
Flow = Coroutine[None, None, None]
"""An action that awaits something: a question, an answer, the service."""


class Host(Protocol):
    """The host of actions: a screen or the app."""

    def say(self, text: str, title: str = "") -> None:
        """Tell the user something."""

    def warn(self, text: str, title: str = "") -> None:
        """Tell the user why something is not done."""

    def begin(self, flow: Flow, name: str, *, opens: bool = False) -> None:
        """Run a flow beside everything else; whatever it raises is shown. For what `opens`, keys wait."""


H = TypeVar("H", bound=Host)
H_contra = TypeVar("H_contra", bound=Host, contravariant=True)


@dataclass(frozen=True)
class Need(Generic[H_contra]):
    """A condition of an action."""

    why_not: Callable[[H_contra], str | None]
    """Why it is not met now, in words; None where it is."""
    is_lasting: bool = False
    """True if it is met as long as a screen is there, or never."""
    is_record: bool = False
    """True for a record under the cursor, or selected ones."""


@dataclass(frozen=True)
class Action(Generic[H_contra]):
    """Something the user can do on a screen of some class, or in the app."""

    id: str
    """Its name, also in a remapping of keys."""
    keys: str
    label: str
    help: str
    group: Group = "Look"
    cost: str = ""
    """In requests, in words; empty for none."""
    shown: bool = False
    """True if the key line shows it; in the order of their declaration, as many as fit."""
    needs: tuple[Need[H_contra], ...] = ()
    do: Callable[[H_contra], Flow | None] = field(kw_only=True)
    opens: bool = False
    """True if its flow opens something without asking the service: the keys that follow are for that."""
    asks: bool = False
    """True if it leads to a question before something is lost or much is changed."""
    is_for_selection: bool = False
    """True if it acts on the selected records, where there are some: the key line has it first then."""
    words: str = ""
    """Words that people call it by beside its label and its help, and look for it by."""

    @property
    def described(self) -> str:
        """The help with the cost."""
        return f"{self.help} ({self.cost})" if self.cost else self.help

    @property
    def found_by(self) -> str:
        """The words that it is found by beside its label."""
        return f"{self.described} {self.words} {self.id}"

    @property
    def binding(self) -> Binding:
        """The Textual binding of this action."""
        return Binding(
            self.keys,
            f"do('{self.id}')",
            self.label,
            show=self.shown,
            tooltip=self.described,
            id=self.id,
        )

    def blocked(self, host: H_contra) -> str | None:
        """The reason why it is not possible on `host` now, in words; None when it is."""
        return next(filter(None, (need.why_not(host) for need in self.needs)), None)

    def is_offered(self, host: H_contra) -> bool:
        """Return whether it can ever be done on `host`; what else is missing now is said when it is tried."""
        return not any(need.why_not(host) for need in self.needs if need.is_lasting)

    @property
    def is_for_records(self) -> bool:
        """Return whether it does something with the record under the cursor, or with selected ones."""
        return any(need.is_record for need in self.needs)


AnyAction: TypeAlias = Action[Never]
"""An action of whatever host: to be named, not to be done."""


def bindings(actions: Iterable[AnyAction]) -> list[BindingType]:
    """The Textual bindings of some actions."""
    return [action.binding for action in actions]


def ranked(actions: Iterable[Action[H]]) -> dict[str, tuple[int, Action[H]]]:
    """Return actions by id, with their ranks in the order of their declaration."""
    return {action.id: (rank, action) for rank, action in enumerate(actions)}


def run_action(host: H, actions: Iterable[Action[H]], id: str) -> None:
    """Do the action with this id, or say why it is not possible: no key is dead without a reason."""
    action = next((action for action in actions if action.id == id), None)
    if action is None:
        host.warn("That does not work here.")
        return
    if reason := action.blocked(host):
        host.warn(reason)
        return
    flow = action.do(host)
    if inspect.iscoroutine(flow):
        host.begin(flow, id, opens=action.opens or action.asks)


# ---- on several screens ----


class _RightsHost(Host, Protocol):
    def missing_rights(self) -> str | None: ...


class _LeftHost(Host, Protocol):
    def do_back(self) -> None: ...


WRITING = Need[_RightsHost](lambda screen: screen.missing_rights(), is_lasting=True)
"""A session that may write."""

BACK = Action[_LeftHost](
    "back", "escape", "Back", "Go back one step", "Move", shown=True, do=lambda screen: screen.do_back()
)


class _ChangesHost(Host, Protocol):
    def missing_unknown(self) -> str | None: ...
    def do_check(self) -> Flow | None: ...


CHECK = Action[_ChangesHost](
    "check",
    "f",
    "Check outcome",
    "Look at the list whether the change was made",
    "Change",
    "1 request, up to 10 if one is not enough",
    shown=True,
    needs=(Need[_ChangesHost](lambda screen: screen.missing_unknown()),),
    do=lambda screen: screen.do_check(),
)
"""In the journal and in a job; messages elsewhere name its key."""
