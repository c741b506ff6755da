"""An app on Textual as it is mended here."""

import os
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import PurePath
from typing import NoReturn, TypeVar

from rich.console import RenderableType
from rich.text import Text
from textual import on
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual._context import active_message_pump
from textual.app import App
from textual.css.query import NoMatches
from textual.dom import DOMNode
from textual.driver import Driver
from textual.screen import Screen
from textual.widget import Widget

from linkdash.widgets.terminal.signals import Signals
from linkdash.widgets.terminal.terminal_picture import TerminalPicture
from linkdash.widgets.textual_fixes.cell_writer import CellUpdate
from linkdash.widgets.textual_fixes.patches import install
from linkdash.widgets.textual_fixes.removed_widgets import is_removed
from linkdash.widgets.textual_fixes.unbegun_workers import Workers

if sys.platform != "win32":
    from textual.drivers.linux_driver import LinuxDriver

    from linkdash.widgets.textual_fixes.linux_driver import FixedLinuxDriver

Result = TypeVar("Result")

_WRITER = "textual-output"
"""The thread that writes to the terminal. Without it the app waits for ever to write more."""
_NO_WORDS = b"linkdash: Crashed. Start it again.\n"


class FixedApp(App[Result]):
    """An app that writes only the cells that changed, and ends with one line and the terminal given back."""

    def __init__(self) -> None:
        self.is_suspended = False
        """True while another program has the terminal."""
        self.signals = Signals(self.end_now)
        """The end of the process at a signal, as long as it has the terminal."""
        install()
        self._picture = TerminalPicture()
        super().__init__()
        self._disable_notifications = True  # each screen would lay out a rack for toasts, which are not used
        self._workers = Workers(self)

    def get_driver_class(self) -> type[Driver]:
        """Return Textual's own; on Linux and macOS the one that gives the terminal back whatever happens."""
        driver = super().get_driver_class()
        if sys.platform != "win32" and driver is LinuxDriver:
            return FixedLinuxDriver
        return driver

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
            self.is_suspended = True
            try:
                yield
            except BaseException as error:  # noqa: BLE001  it is raised again below
                failure = error
            self.is_suspended = False
        self.repaint()
        if failure is not None:
            raise failure

    def repaint(self) -> None:
        """Write every cell of the screen again."""
        self._picture.forget()
        if self.screen_stack:
            self.screen.refresh()

    def run_in_terminal(self) -> Result | None:
        """Run in this terminal, and return the result. A signal ends it also while there is no event loop.

        What not even Textual's way out survives ends the process with one line.
        """
        before = threading.excepthook

        def end_with_thread(fault: threading.ExceptHookArgs) -> None:
            error, thread = fault.exc_value, fault.thread
            if error is not None and thread is not None and thread.name == _WRITER:
                self.end_now(1, error)
            before(fault)

        threading.excepthook = end_with_thread
        with self.signals:
            try:
                return self.run()
            except Exception as error:  # noqa: BLE001  a trace could hold anything
                self.end_now(1, error)
            finally:
                threading.excepthook = before

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
        self.panic(Text(self._line_of(error).decode().rstrip() if error is not None else ""))

    def _line_of(self, error: BaseException) -> bytes:
        try:
            return f"linkdash: {self.last_words(error)}\n".encode()
        except Exception:  # noqa: BLE001  what says it may fail by the same fault
            return _NO_WORDS

    def last_words(self, error: BaseException) -> str:
        """Return what is said of a fault of the program that ends the app."""
        return f"Crashed ({type(error).__name__})."

    async def _check_bindings(self, key: str, priority: bool = False) -> bool:
        """Let a key find nothing that was on its way when the last screen was closed: ScreenStackError."""
        return bool(self.screen_stack) and await super()._check_bindings(key, priority)

    def end_now(self, status: int, error: BaseException | None = None) -> NoReturn:
        """End the process from any thread, also while the event loop is held; the terminal is given back.

        What is said of an `error` is the last line.
        """
        try:
            if sys.platform != "win32" and isinstance(self._driver, FixedLinuxDriver):
                self._driver.give_back()
                if error is not None:
                    self._driver.write_last(self._line_of(error))
        finally:
            os._exit(status)

    def sheets_of(self, screen: Screen[object]) -> Sequence[PurePath]:
        """The style sheets that a screen needs; Textual's own are those that it names in `CSS_PATH`."""
        return screen.css_path

    def _load_screen_css(self, screen: Screen[object]) -> None:
        """Read the sheets of a screen: Textual would parse those of all others again, and style them anew."""
        if self.load_sheets(self.sheets_of(screen)):
            self.stylesheet.update(screen)

    def load_sheets(self, paths: Iterable[PurePath]) -> bool:
        """Read those style sheets that were not read yet; True if there are any."""
        new = [path for path in paths if not self.stylesheet.has_source(str(path), "")]
        if new:
            self.stylesheet.read_all(new)
            self.stylesheet.parse()
        return bool(new)

    def update_styles(self, node: DOMNode, animate: bool = True) -> None:
        """Style what is there: a widget gets its styles when it is mounted, not for each class before."""
        if not isinstance(node, Widget) or node.is_attached:
            super().update_styles(node, animate=animate)

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        if isinstance(renderable, LayoutUpdate | ChopsUpdate):
            renderable = CellUpdate(self._picture, self.size, renderable)
        super()._display(screen, renderable)
