"""Every screen in both sizes and both themes: what is kept in files, and what it shows now."""

import re
import tempfile
from collections.abc import AsyncIterator, Mapping
from difflib import unified_diff
from pathlib import Path
from typing import NamedTuple

from textual.screen import Screen

from linkdash.widgets.themes import DAY, NIGHT
from tests.scenes.frame import Frame, frame_of, written
from tests.scenes.rules import broken_rules
from tests.scenes.stage import stage
from tests.scenes.walk import walk

SIZES = ((80, 24), (140, 40))
RULED_SIZES = ((100, 30), (200, 50))
"""Sizes in which screens are held to the rules alone; nothing of them is kept."""
KEPT = Path(__file__).parent / "kept"
_SECRET = re.compile("demo-(admin|user|key)-")


class Shot(NamedTuple):
    """A screen in one size."""

    name: str
    """As its file is called."""
    screen: type[Screen[object]]
    dark: Frame
    light: Frame
    broken: list[str]
    """Which rules of every screen are broken on it."""

    @property
    def text(self) -> str:
        """Return what is kept of it. Raises ValueError where a key is shown."""
        text = written(self.dark, self.light)
        if _SECRET.search(text):
            raise ValueError(f"{self.name}: a key is shown")
        return text

    @property
    def unlike(self) -> list[str]:
        """Return where the light theme shows another text than the dark one, which it must not."""
        return [*unified_diff(self.dark.lines, self.light.lines, f"{self.name} dark", "light", "", "", 0, "")]


async def shots() -> list[Shot]:
    """Walk once through all of the demo."""
    return [shot async for shot in _walked()]


async def _walked() -> AsyncIterator[Shot]:
    sizes, themes = [*SIZES], [NIGHT.name, DAY.name]
    with tempfile.TemporaryDirectory() as folder:
        async with stage(Path(folder), sizes[0]) as here:
            async for name in walk(here):
                for size in sizes:
                    frames = {}
                    broken: list[str] = []
                    for theme in themes:
                        await here.show(size, theme)
                        frames[theme] = frame_of(here.strips)
                        broken = broken_rules(here.app.screen, here.strips)
                    screen = type(here.app.screen)
                    called = f"{name}-{size[0]}x{size[1]}"
                    yield Shot(called, screen, frames[NIGHT.name], frames[DAY.name], broken)
                    themes.reverse()  # what stands already comes first: each change costs a third of a second
                sizes.reverse()


async def broken_in_other_sizes() -> list[str]:
    """Walk once more, and return which rules are broken in sizes that are not kept."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        async with stage(Path(folder), RULED_SIZES[0]) as here:
            async for name in walk(here):
                for size in RULED_SIZES:
                    await here.show(size, NIGHT.name)
                    broken = broken_rules(here.app.screen, here.strips)
                    found += [f"{name}-{size[0]}x{size[1]}: {rule}" for rule in broken]
    return found


def kept() -> Mapping[str, str]:
    """Return what is kept, by name."""
    return {path.stem: path.read_text() for path in KEPT.glob("*.txt")}
