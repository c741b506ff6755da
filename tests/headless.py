"""Runs of the app without a terminal, in which nobody reads what would be sent to one."""

import pytest
from textual._compositor import Compositor
from textual._context import visible_screen_stack
from textual.screen import Screen


def send_nothing(patch: pytest.MonkeyPatch) -> None:
    """What would go to a terminal is not made until `patch` is undone: it is a third of an app's work."""
    patch.setattr(Compositor, "render_update", _nothing)


def _nothing(
    compositor: Compositor,
    full: bool = False,
    screen_stack: list[Screen[object]] | None = None,
    simplify: bool = False,
) -> None:
    visible_screen_stack.set(screen_stack or [])
    compositor._dirty_regions.clear()
