"""The base of windows: screens over another one, which is seen dimmed around them."""

from functools import lru_cache
from typing import TypeVar

from rich.console import RenderableType
from rich.segment import Segment
from rich.style import Style as RichStyle
from textual import events
from textual.color import Color
from textual.css.styles import RulesMap
from textual.reactive import Reactive
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions, Visual
from textual.widget import Widget

from linkdash.widgets.textual_fixes.cell_writer import drawn_strips

Result = TypeVar("Result")


class WindowScreen(ModalScreen[Result]):
    """A window over a screen."""

    focused: Reactive[Widget | None] = Reactive(None, repaint=False)
    """What has the focus: it and what had it paint themselves, and nothing else looks different."""
    _styled_in = ""
    """The theme that its styles were worked out in last, if it was shown before."""

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """Work its styles out again only where they change."""
        event.refresh_styles = self._styled_in not in ("", self.app.theme)
        self._styled_in = self.app.theme

    def render(self) -> RenderableType:
        """The screen below; Textual's own way of dimming it takes five times as long."""
        below = super().render()
        return Dimmed(below.screen, below.color) if isinstance(below, BackgroundScreen) else below


class Dimmed(BackgroundScreen, Visual):
    """The lines of a screen under a color, with nothing in them to be clicked."""

    def render_strips(
        self, width: int, height: int | None, style: Style, options: RenderOptions
    ) -> list[Strip]:
        color = self.color
        return [
            Strip([Segment(text, _under(color, style)) for text, style, _ in line], line.cell_length)
            for line in drawn_strips(self.screen)
        ]

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        return container_width

    def get_minimal_width(self, rules: RulesMap) -> int:
        return 1

    def get_height(self, rules: RulesMap, width: int) -> int:
        return self.screen.size.height


@lru_cache(4096)
def _under(color: Color, style: RichStyle | None) -> RichStyle:
    """A style as it is seen through a color."""
    bare = RichStyle() if style is None else style.clear_meta_and_links()
    if not color.a:
        return bare
    front, back = (
        None if one is None else (Color.from_rich_color(one) + color).rich_color
        for one in (bare.color, bare.bgcolor)
    )
    return bare + RichStyle.from_color(front, back)
