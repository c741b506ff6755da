"""The file in which all programs on this machine share the budget of a key."""

import os
import sys
import time
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from linkdash.api.http.address import profile_key

_FILE_LOOKS_EVERY = 0.25
_MAX_FILE_BYTES = 1_000_000
_LOCK_PATIENCE = 2.0  # seconds: a lock which is held for longer is held by a program that stands still
_PAUSE = 5.0  # seconds until the file is tried again after it failed

if sys.platform == "win32":
    import msvcrt

    _LOCKED_BYTE = 1 << 30  # beyond what is ever written: a lock on Windows keeps readers out, too

    def _lock(file: int) -> None:
        os.lseek(file, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError from error

    def _unlock(file: int) -> None:
        os.lseek(file, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)


class FileSharedBudget:
    """A budget shared in a file in `folder`. Neither the file nor its name reveals the key.

    Nothing here waits. The lock is held while one program reads the file, decides and writes; who finds it
    taken comes back. Whatever goes wrong ends the sharing and nothing else: the budget goes on by the
    service's headers alone, until the file can be used again.
    """

    def __init__(
        self, folder: Path, address: str, key: str, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._folder, self._address, self._key = folder, address, key
        self._clock = clock
        self._reason: str | None = None
        self._tried_again_at = 0.0
        self._busy_since: float | None = None

    @cached_property
    def path(self) -> Path:
        """The file; its name is made slowly from address and key: no key can be tried out on it."""
        return self._folder / f"budget-{profile_key(self._address, self._key)}.json"

    @property
    def sharing(self) -> str | None:
        """The reason why nothing is shared; None while it is."""
        return self._reason

    @property
    def looks_every(self) -> float:
        """Seconds: a file does not tell that it was changed."""
        return _FILE_LOOKS_EVERY

    @property
    def spread(self) -> float:
        """None: on one machine there are never many."""
        return 0.0

    def watch(self, heard: Callable[[], None]) -> None:
        """Nothing is heard of a file."""

    def rewrite(self, change: Callable[[str | None], str]) -> bool:
        """Hand `change` what is in the file (None if it is new) and write what it returns, under the lock.

        Returns False if `change` was not called, because another program has the lock or because nothing is
        shared at the moment.
        """
        if self._reason is not None and self._clock() < self._tried_again_at:
            return False
        try:
            file = self._open()
        except OSError as error:
            self._stop_sharing(f"the shared budget cannot be opened: {error.strerror}")
            return False
        try:
            return self._take_lock(file) and self._rewrite_file(file, change)
        finally:
            os.close(file)

    def wall(self) -> float:
        """Seconds since 1970 by the clock of this machine, which all programs on it have in common."""
        return time.time()

    def close(self) -> None:
        """Nothing to do: the file is open only while it is used."""

    def _stop_sharing(self, why: str) -> None:
        self._reason = why
        self._tried_again_at = self._clock() + _PAUSE

    def _open(self) -> int:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)

    def _take_lock(self, file: int) -> bool:
        try:
            _lock(file)
        except BlockingIOError:
            self._busy_since = self._clock() if self._busy_since is None else self._busy_since
            if self._clock() - self._busy_since > _LOCK_PATIENCE:
                self._stop_sharing("another program has locked the shared budget and does not respond")
            return False
        except OSError as error:
            self._stop_sharing(f"the shared budget cannot be locked: {error.strerror}")
            return False
        self._busy_since = None
        return True

    def _rewrite_file(self, file: int, change: Callable[[str | None], str]) -> bool:
        known = self._read(file)
        if known is None:
            return False
        new = change(known or None)
        if new == known or self._write(file, new):
            self._reason = None
        _unlock(file)
        return True

    def _read(self, file: int) -> str | None:
        try:
            os.lseek(file, 0, os.SEEK_SET)
            return os.read(file, _MAX_FILE_BYTES).decode("ascii", "replace")
        except OSError as error:
            self._stop_sharing(f"the shared budget cannot be read: {error.strerror}")
            return None

    def _write(self, file: int, text: str) -> bool:
        try:
            os.lseek(file, 0, os.SEEK_SET)
            os.write(file, text.encode("ascii"))
            os.ftruncate(file, len(text))
        except OSError as error:
            self._stop_sharing(f"the shared budget cannot be written: {error.strerror}")
            return False
        return True
