"""Memory that is left: without any, Python itself hangs or dies, and no code in it can end in good order."""

import mmap

_LEAST = 4 * 2**20  # bytes


def require_memory() -> None:
    """Raise MemoryError where hardly any can be had; what is asked for is given up untouched."""
    try:
        mmap.mmap(-1, _LEAST).close()
    except OSError:
        raise MemoryError from None
