"""A method of Textual that is replaced by a mended one, for the whole process."""

from collections.abc import Callable
from typing import Any, NamedTuple


class Patch(NamedTuple):
    """A function of Textual, and what to make of it."""

    owner: Any
    """The class or the module that has it."""
    name: str
    mend: Callable[[Any], Any]
    """Returns the mended function, which tells the plain one as its `__wrapped__`."""

    def apply(self) -> None:
        """Replace the plain function, unless that is done."""
        plain = getattr(self.owner, self.name)
        if not hasattr(plain, _MARK):
            mended = self.mend(plain)
            setattr(mended, _MARK, True)
            setattr(self.owner, self.name, mended)


_MARK = "is_mended"
