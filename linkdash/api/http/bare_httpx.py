"""httpx without its command line: the click, rich and pygments of that take half of the import."""

import sys
from types import ModuleType
from typing import cast

_COMMAND_LINE = "httpx._main"
_is_first = not {"httpx", _COMMAND_LINE} & sys.modules.keys()
if _is_first:  # as where click is not installed, which httpx is made for
    sys.modules[_COMMAND_LINE] = cast("ModuleType", None)

import httpx  # noqa: E402  what stands before it is for it

if _is_first:
    del sys.modules[_COMMAND_LINE]

__all__ = ["httpx"]
