"""Every screen looks as it did, narrow and wide: its text, and the role of every cell."""

from difflib import unified_diff
from pkgutil import walk_packages

import pytest
from textual.screen import ModalScreen, Screen

import linkdash.screens
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.resource_screen import ResourceScreen
from linkdash.screens.rows_screen import RowsScreen
from linkdash.screens.statistics.charts_screen import ChartsScreen, NumbersWindow
from linkdash.screens.windows.page_window import PageWindow
from tests.scenes.shots import broken_elsewhere, kept, shots


async def test_every_screen_looks_as_it_is_kept() -> None:
    before, screens, names, differences = kept(), set(), set(), list[str]()
    for shot in await shots():
        screens.add(shot.screen)
        names.add(shot.name)
        differences += [f"{shot.name}: {rule}" for rule in shot.broken]
        was, now = (text.splitlines() for text in (before.get(shot.name, ""), shot.text))
        differences += unified_diff(was, now, f"{shot.name} as kept", "as it is", lineterm="", n=0)
    assert not differences, "\n".join([*differences, "python -m tests.scenes keeps what it shows now"])
    assert before.keys() == names
    assert every_screen() - {NumbersWindow} <= screens, "the walk comes by every screen; that is a viewer"


@pytest.mark.nightly
async def test_no_rule_is_broken_in_what_is_not_kept() -> None:
    assert await broken_elsewhere() == []


_BASES = {HostScreen, ResourceScreen, RowsScreen, ChartsScreen, PageWindow}


def every_screen() -> set[type]:
    """Every class of a screen that is shown; those that others are made from are not."""
    for module in walk_packages(linkdash.screens.__path__, "linkdash.screens."):
        __import__(module.name)
    waiting, found = list[type]([Screen, ModalScreen]), set[type]()
    while waiting:
        one = waiting.pop()
        waiting += one.__subclasses__()
        if one.__module__.startswith("linkdash.screens") and "[" not in one.__name__:
            found.add(one)
    return found - _BASES
