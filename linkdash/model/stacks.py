"""Stacks of threads and tasks: functions and lines, without their values."""

import asyncio
import gc
import sys
import threading
import traceback
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import AsyncGeneratorType, CodeType


def stacks(loop: asyncio.AbstractEventLoop) -> list[str]:
    """Return every thread and every task of a loop with its calls, the outermost first; from any thread."""
    return [*_threads(), *task_stacks(loop)]


def task_stacks(loop: asyncio.AbstractEventLoop) -> list[str]:
    """Return every task with the calls in which it waits.

    A task is known by what it runs: its name may have been made of what a record holds.
    """
    return [line for task in asyncio.all_tasks(loop) for line in ("A task:", *_waits(task))]


def call(filename: str, line: int | None, name: str) -> str:
    """Return a call in one line, without the folders of whoever runs this."""
    return f"  {_module(filename)}:{line} in {name}"


def _threads() -> Iterator[str]:
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    for number, innermost in sys._current_frames().items():
        yield f"Thread {names.get(number, number)}:"
        for frame, line in reversed([*traceback.walk_stack(innermost)]):
            yield _of_code(frame.f_code, line)


def _waits(task: asyncio.Task[object]) -> Iterator[str]:
    waiting: object = task.get_coro()
    while waiting is not None:
        frame = getattr(waiting, "cr_frame", None) or getattr(waiting, "ag_frame", None)
        yield _of_code(frame.f_code, frame.f_lineno) if frame else f"  {type(waiting).__qualname__}"
        waiting = _waits_for(waiting)


def _waits_for(waiting: object) -> object:
    """The awaited of a coroutine or an asynchronous generator; of the step of a generator, that generator."""
    for name in ("cr_await", "ag_await"):
        if hasattr(waiting, name):
            return getattr(waiting, name)
    return next((found for found in gc.get_referents(waiting) if isinstance(found, AsyncGeneratorType)), None)


def _of_code(code: CodeType, line: int | None) -> str:
    return call(code.co_filename, line, code.co_qualname)


@cache
def _module(filename: str) -> str:
    for folder in sorted(map(str, sys.path), key=len, reverse=True):
        if folder and filename.startswith(folder):
            return filename.removeprefix(folder).lstrip("/\\")
    return Path(filename).name
