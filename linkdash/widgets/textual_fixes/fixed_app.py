"""An app on Textual as it is mended here."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from rich.console import RenderableType
from rich.text import Text
from textual import on
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual._context import active_message_pump
from textual.app import App
from textual.css.query import NoMatches
from textual.driver import Driver
from textual.screen import Screen
from textual.widget import Widget

from linkdash.widgets.terminal.terminal_picture import TerminalPicture
from linkdash.widgets.textual_fixes.cell_writer import CellUpdate
from linkdash.widgets.textual_fixes.linux_driver import give_back_terminal, standing_sigcont
from linkdash.widgets.textual_fixes.patches import install
from linkdash.widgets.textual_fixes.removed_widgets import is_removed

Result = TypeVar("Result")


class FixedApp(App[Result]):
    """An app that writes only the cells that changed, and ends with one line and the terminal given back."""

    def __init__(self) -> None:
        install()
        self._picture = TerminalPicture()
        super().__init__()

    def get_driver_class(self) -> type[Driver]:
        """Return Textual's own; on Linux and macOS the one that stands SIGCONT at any moment."""
        driver = super().get_driver_class()
        return standing_sigcont(driver) if driver.__name__ == "LinuxDriver" else driver

    def on_resize(self) -> None:
        """Paint everything anew: a terminal that has the size of before again may have lost some of it."""
        self.repaint()

    @on(Driver.SignalResume)
    def _paint_anew(self) -> None:
        """Paint everything anew: what another program wrote meanwhile is not known."""
        self.repaint()

    @contextmanager
    def suspend(self) -> Iterator[None]:
        """Let other programs have the terminal until the block ends, however it ends."""
        failure: BaseException | None = None
        with super().suspend():  # resumes only where the block does not raise
            try:
                yield
            except BaseException as error:  # noqa: BLE001  it is raised again below
                failure = error
        self.repaint()
        if failure is not None:
            raise failure

    def repaint(self) -> None:
        """Write every cell of the screen again."""
        self._picture.forget()
        if self.screen_stack:
            self.screen.refresh()

    def _handle_exception(self, error: Exception) -> None:
        """Pass over what a new screen misses in an app that ends: nothing is composed there any more."""
        where = active_message_pump.get(None)
        ends = self._exit or (isinstance(where, Widget) and is_removed(where))
        if not (ends and isinstance(error, NoMatches)):
            super()._handle_exception(error)

    async def _close_all(self) -> None:
        """Close every screen; to go to another place meanwhile changes what is iterated: RuntimeError."""
        try:
            await super()._close_all()
        except RuntimeError:
            await super()._close_all()

    def _fatal_error(self) -> None:
        """End with one line: Textual shows a trace with local variables, which could hold anything."""
        error = sys.exc_info()[1]
        self.panic(Text(f"linkdash: {self.last_words(error)}" if error is not None else ""))

    def last_words(self, error: BaseException) -> str:
        """Return what is said of a fault of the program that ends the app."""
        return f"Crashed ({type(error).__name__})."

    async def _check_bindings(self, key: str, priority: bool = False) -> bool:
        """Let a key find nothing that was on its way when the last screen was closed: ScreenStackError."""
        return bool(self.screen_stack) and await super()._check_bindings(key, priority)

    def end_now(self, status: int) -> None:
        """End the process from any thread, also while the event loop is held; the terminal is given back."""
        try:
            if self._driver is not None:
                give_back_terminal(self._driver)
        finally:
            os._exit(status)

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        if isinstance(renderable, LayoutUpdate | ChopsUpdate):
            renderable = CellUpdate(self._picture, self.size, renderable)
        super()._display(screen, renderable)
