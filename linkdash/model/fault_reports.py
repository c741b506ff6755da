"""Faults of linkdash itself: a report that can be sent on, with nothing in it that should not be.

No local variables, no argument of an exception as it is, no secret, no control character: what failed, where,
on which versions, and what was done before it by the names of actions. A standstill is reported like a fault,
and so is an unexpected end.
"""

import contextlib
import platform
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from pydantic import SecretStr

from linkdash import __version__
from linkdash.api.http.secrecy import hidden
from linkdash.api.inert_text import inert
from linkdash.model.stacks import call
from linkdash.store.files import private_folder, write_atomically
from linkdash.store.folders import reports_folder

REMEMBERED = 50
"""Actions before a fault that its report names."""
_KEPT = 10
"""Reports that stay in the folder, the newest."""
_LIBRARIES = ("textual", "httpx", "pydantic", "plotext")
_LONGEST_MESSAGE = 300


class FaultReports:
    """Reports of faults in a folder, each with what was done before."""

    def __init__(self, folder: Path | None, secrets: Sequence[SecretStr]) -> None:
        """`secrets` are masked wherever they occur. Without a folder nothing is written."""
        self._folder = folder
        self._secrets = tuple(secrets)
        self._actions: deque[str] = deque(maxlen=REMEMBERED)

    def did(self, action: str) -> None:
        """Remember an action by its name."""
        self._actions.append(f"{datetime.now(UTC):%H:%M:%S} {action}")

    def write(self, error: BaseException) -> Path | None:
        """The file of a new report of a fault, open to its owner only; None where none can be written."""
        return self._save(lambda: self.text(error))

    def write_stacks(self, what: str, stacks: Sequence[str]) -> Path | None:
        """The file of a new report of what linkdash did, such as `stood still`, and of where it was then."""
        return self._save(lambda: self._page(what, stacks))

    def text(self, error: BaseException) -> str:
        """The report of a fault."""
        return self._page("failed", self._causes(error))

    def _save(self, text: Callable[[], str]) -> Path | None:
        if self._folder is None:
            return None
        path = self._folder / f"fault-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}.txt"
        try:
            private_folder(self._folder)
            write_atomically(path, text().encode("utf-8", "replace"))
        except OSError:
            return None
        _prune(self._folder)
        return path

    def _page(self, what: str, where: Sequence[str]) -> str:
        lines = [
            f"linkdash {__version__} {what} at {datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC",
            f"Python {platform.python_version()}, {platform.system()} {platform.release()}, "
            + ", ".join(_versions()),
            "",
            *where,
            "",
            "What was done before, newest last:",
            *([*self._actions] or ["nothing"]),
        ]
        return "".join(f"{inert(hidden(line, self._secrets))}\n" for line in lines)

    def _causes(self, error: BaseException) -> list[str]:
        """The error and what it came from, the first cause first."""
        found = traceback.TracebackException.from_exception(error, capture_locals=False, compact=True)
        lines: list[str] = []
        cause: traceback.TracebackException | None = found
        raised: BaseException | None = error
        while cause is not None and raised is not None:  # the former knows no cycles, the latter its type
            message = " ".join(str(cause).split())[:_LONGEST_MESSAGE]
            frames = [call(frame.filename, frame.lineno, frame.name) for frame in cause.stack]
            lines = [*frames, f"{type(raised).__name__}: {message}", *lines]
            raised = raised.__cause__ or (None if raised.__suppress_context__ else raised.__context__)
            cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)
        return lines


def own_reports(secrets: Sequence[SecretStr] = ()) -> FaultReports:
    """Those that a run writes where there is no session."""
    return FaultReports(reports_folder(), secrets)


def last_words(error: BaseException, report: Path | None, advice: str) -> str:
    """The one line that a run ends with that a fault of the program has ended."""
    where = f" The report is in {report}." if report is not None else ""
    return f"Crashed ({type(error).__name__}). {advice}{where}"


def _prune(folder: Path) -> None:
    with contextlib.suppress(OSError):
        for old in sorted(folder.glob("fault-*.txt"))[:-_KEPT]:
            old.unlink()


@cache
def _versions() -> Sequence[str]:
    from importlib.metadata import PackageNotFoundError, version

    found: list[str] = []
    for name in _LIBRARIES:
        with contextlib.suppress(PackageNotFoundError):
            found.append(f"{name} {version(name)}")
    return found
