"""Observers: plain calls that tell listeners of a change."""

from collections.abc import Callable


class Observers:
    """Something that changes now and then: who listens is called each time."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[], None]] = []

    def __call__(self) -> None:
        """Call everybody who listens, in the order in which they came."""
        for listener in tuple(self._listeners):
            listener()

    def __bool__(self) -> bool:
        """Return whether anything listens."""
        return bool(self._listeners)

    def watch(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` from now on; the result ends that, and may be called more than once."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def close(self) -> None:
        """Nothing listens any more."""
        self._listeners.clear()
