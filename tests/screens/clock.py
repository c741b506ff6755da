"""A clock that can hold a service's answers back, so that what is shown meanwhile can be looked at."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tests.service.visitor import Clock


class HoldingClock(Clock):
    """The clock of the app, in the test's thread, and of a service in a thread of its own."""

    def __init__(self) -> None:
        super().__init__()
        self._owner = threading.get_ident()
        self._runs = threading.Event()
        self._runs.set()

    def __call__(self) -> float:
        if threading.get_ident() != self._owner:
            self._runs.wait()
        return super().__call__()

    @contextmanager
    def held(self) -> Iterator[None]:
        """The service, which asks for the time of every request, answers none until the block ends."""
        self._runs.clear()
        try:
            yield
        finally:
            self._runs.set()
