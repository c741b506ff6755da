"""Runs of many apps in one process, without a terminal: nobody reads what would be sent to one."""

import pytest
from textual._compositor import Compositor
from textual._context import visible_screen_stack
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.css.types import CSSLocation
from textual.screen import Screen

_PARSED: dict[object, list[RuleSet]] = {}


def parse_styles_once(patch: pytest.MonkeyPatch) -> None:
    """A style sheet is parsed once for all apps in which its variables have the same values."""
    plain = Stylesheet._parse_rules

    def parsed(
        sheet: Stylesheet, css: str, read_from: CSSLocation, *place: object, **more: object
    ) -> list[RuleSet]:
        variables = tuple(sheet._variables), tuple(sheet._variables.values())
        asked = (css, read_from, place, *more.items(), variables)
        if asked not in _PARSED:
            _PARSED[asked] = plain(sheet, css, read_from, *place, **more)  # type: ignore[arg-type]
        return _PARSED[asked]

    patch.setattr(Stylesheet, "_parse_rules", parsed)
    patch.setattr(RuleSet, "__hash__", object.__hash__)  # also by identity, and a tenth of all that is called


def send_nothing(patch: pytest.MonkeyPatch) -> None:
    """Make nothing for a terminal until `patch` is undone: it is a third of an app's work."""
    patch.setattr(Compositor, "render_update", _nothing)


def _nothing(
    compositor: Compositor,
    full: bool = False,
    screen_stack: list[Screen[object]] | None = None,
    simplify: bool = False,
) -> None:
    visible_screen_stack.set(screen_stack or [])
    compositor._dirty_regions.clear()
