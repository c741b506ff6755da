"""A screen that is shown is styled anew, each widget of it, though nothing of its styles has changed."""

from collections.abc import Callable
from functools import wraps

from textual import events
from textual.screen import Screen

_Resumed = Callable[[Screen[object], events.ScreenResume], None]
_STYLED_IN = "_styled_in"


def styled_where_the_theme_changed(on_screen_resume: _Resumed) -> _Resumed:
    """Style a screen that is shown only where the theme is another one than it was styled in.

    Whatever else its styles depend on styles it when that changes, and a new screen was styled as it came.
    """

    @wraps(on_screen_resume)
    def mended(self: Screen[object], event: events.ScreenResume) -> None:
        theme = self.app.theme
        event.refresh_styles = getattr(self, _STYLED_IN, theme) != theme
        setattr(self, _STYLED_IN, theme)
        on_screen_resume(self, event)

    return mended
