"""A watch over the running app: signals, standstills, faults in the background, and the reports of them."""

import asyncio
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

from linkdash.api.errors import LinkdashError
from linkdash.model.stacks import stacks
from linkdash.model.watchdog import Watchdog
from linkdash.screens.host_app import HostApp

if TYPE_CHECKING:  # the first paint does not wait for these
    from pathlib import Path

    from linkdash.model.fault_reports import FaultReports


class Supervision:
    """The watch over one app, from when its event loop runs until that ends."""

    def __init__(self, app: HostApp) -> None:
        self._app = app
        self._until_close = ExitStack()
        self._watchdog: Watchdog | None = None
        self._at_the_end: list[str] = []
        """The threads and tasks of an unexpected end."""

    def start(self) -> None:
        """Watch from now on, in the running loop."""
        app, loop = self._app, asyncio.get_running_loop()
        loop.set_exception_handler(self._on_unhandled_error)
        write_stacks = partial(self._write_stacks, loop)
        self._until_close.enter_context(app.signals.ended_by(self._end, write_stacks))
        stood_still = partial(write_stacks, "stood still")
        self._watchdog = Watchdog(stood_still, self._tell_standstill, lambda: app.is_suspended)

    def close(self) -> None:
        """Watch no more; of an unexpected end, keep where everything stands."""
        if self._app.return_code is None:
            self._at_the_end = stacks(asyncio.get_running_loop())
        self._until_close.close()
        if self._watchdog is not None:
            self._watchdog.close()

    # ---- faults ----

    def last_words(self, error: BaseException) -> str:
        """Return what is said of a fault of the program that ends the app; a report is written."""
        from linkdash.model.fault_reports import last_words

        return last_words(error, self._reports.write(error), "Start it again.")

    def unexpected_end(self) -> LinkdashError:
        """Return what is said of an app that ended though nobody asked; a report is written."""
        path = self._reports.write_stacks("ended by itself", self._at_the_end)
        return LinkdashError("linkdash ended by itself.", f"Start it again. The report is in {path}.")

    def _on_unhandled_error(self, _: asyncio.AbstractEventLoop, context: "dict[str, object]") -> None:
        """Say what failed in the background; asyncio would write a trace across the screen.

        What is no fault of the program was for a screen that is gone meanwhile.
        """
        error = context.get("exception")
        if isinstance(error, Exception) and not isinstance(error, LinkdashError) and self._app.is_open:
            self._app.tell_failure(error)

    # ---- standing still, and ending ----

    def _write_stacks(self, loop: asyncio.AbstractEventLoop, why: str) -> "Path | None":
        """Write down where everything stands; from any thread."""
        return self._reports.write_stacks(why, stacks(loop))

    def _tell_standstill(self, path: "Path") -> None:
        self._app.warn(
            f"Please send the report to its developers: {path}", "linkdash did not respond for a while."
        )

    def _end(self, status: int) -> None:
        self._app.run_worker(self._app.leave(status), exit_on_error=False)

    @property
    def _reports(self) -> "FaultReports":
        from linkdash.model.fault_reports import own_reports

        app = self._app
        return app.session.faults if app.is_open else own_reports(app.settings.secrets)
