"""An event loop whose time passes only where everybody waits: an hour of timers runs in no time."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import TypeVar

T = TypeVar("T")

_TURN = 1e-6  # seconds that a turn of the loop takes: a timer that was rounded down comes due in the end


class _SkippingSelector(selectors.SelectSelector):
    """A selector that does not wait until the next timer but remembers how long it would have."""

    def __init__(self) -> None:
        super().__init__()
        self.skipped = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise RuntimeError("nothing is left that could happen")
        self.skipped += max(_TURN, timeout)
        return super().select(0)


class _VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self, selector: _SkippingSelector) -> None:
        self._skipping = selector
        super().__init__(selector)

    def time(self) -> float:
        return self._skipping.skipped


def run(main: Coroutine[object, object, T]) -> T:
    """Run a coroutine; `asyncio.get_running_loop().time` is its clock, from 0 on."""
    with asyncio.Runner(loop_factory=lambda: _VirtualLoop(_SkippingSelector())) as runner:
        return runner.run(main)
