"""What a person can do, each told once: keys, label, help, cost, and what it needs.

Bindings, line of keys, help screen, command palette and the README's table of keys are rendered from these.
"""

import inspect
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Literal, Protocol

from textual.binding import Binding, BindingType

Group = Literal["Move", "Look", "Change", "Program"]
LASTING = frozenset({"writing", "creating", "updating", "deleting", "giving"})
"""Needs that are met as long as a screen is there, or never."""


class Host(Protocol):
    """What actions are done on: a screen or the app.

    For an action it has a method `do_<id>`, and for each need `missing_<need>`, which says in words why the
    action is not possible now, or None.
    """

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: Literal["information", "warning", "error"] = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Tells a person something."""


@dataclass(frozen=True)
class Action:
    """Something a person can do."""

    id: str
    """Its name, also in a remapping of keys."""
    keys: str
    label: str
    help: str
    group: Group = "Look"
    cost: str = ""
    """In requests, in words; empty for none."""
    shown: bool = False
    """Whether the line of keys shows it; in the order of their declaration, as many as fit."""
    needs: tuple[str, ...] = ()

    @property
    def described(self) -> str:
        """The help with the cost."""
        return f"{self.help} ({self.cost})" if self.cost else self.help

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

    def blocked(self, host: Host) -> str | None:
        """Why it is not possible on `host` now, in words; None when it is."""
        return _first_missing(host, self.needs)

    def is_offered(self, host: Host) -> bool:
        """Whether it can ever be done on `host`; what else is missing now is said when it is tried."""
        return _first_missing(host, [need for need in self.needs if need in LASTING]) is None


def bindings(actions: Iterable[Action]) -> list[BindingType]:
    """The Textual bindings of some actions."""
    return [action.binding for action in actions]


async def perform(host: Host, actions: Iterable[Action], id: str) -> None:
    """Does the action with this id, or says why it is not possible: no key is dead without a reason."""
    action = next((action for action in actions if action.id == id), None)
    if action is None:
        host.notify("There is nothing to do that with here.", severity="warning", markup=False)
        return
    if reason := action.blocked(host):
        host.notify(reason, severity="warning", markup=False)
        return
    handler: Callable[[], Awaitable[None] | None] = getattr(host, f"do_{id.replace('-', '_')}")
    result = handler()
    if inspect.isawaitable(result):
        await result


def _first_missing(host: Host, needs: Iterable[str]) -> str | None:
    for need in needs:
        missing: Callable[[], str | None] = getattr(host, f"missing_{need}")
        if reason := missing():
            return reason
    return None
