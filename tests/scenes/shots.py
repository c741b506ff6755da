"""Every screen in two sizes: what is kept in files, and what it shows now."""

import re
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from textual.screen import Screen

from linkdash.widgets.themes import DAY, NIGHT
from tests.scenes.frame import Frame, frame_of
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
    frame: Frame
    broken: list[str]
    """Which rules of every screen are broken on it."""

    @property
    def text(self) -> str:
        """Return what is kept of it. Raises ValueError where a key is shown."""
        if _SECRET.search(self.frame.text):
            raise ValueError(f"{self.name}: a key is shown")
        return self.frame.text


async def shots() -> list[Shot]:
    """Walk once through all of the demo."""
    return [shot async for shot in walked(SIZES, NIGHT.name)]


async def broken_elsewhere() -> list[str]:
    """Walk through sizes that are not kept, and in the light theme; return which rules are broken there."""
    return [
        f"{shot.name}: {rule}"
        for sizes, theme in ((RULED_SIZES, NIGHT.name), (SIZES, DAY.name))
        async for shot in walked(sizes, theme)
        for rule in shot.broken
    ]


async def walked(sizes: Sequence[tuple[int, int]], theme: str) -> AsyncIterator[Shot]:
    """Walk through all of the demo, and look at each stop in these sizes."""
    sizes = [*sizes]
    with tempfile.TemporaryDirectory() as folder:
        async with stage(Path(folder), sizes[0]) as here:
            async for name in walk(here):
                for size in sizes:
                    await here.show(size, theme)
                    strips, screen = here.strips, here.app.screen
                    frame = frame_of(strips, here.app.theme_variables)
                    called = f"{name}-{size[0]}x{size[1]}"
                    yield Shot(called, type(screen), frame, broken_rules(screen, strips))
                sizes.reverse()  # what stands already comes first: each change costs a third of a second


def kept() -> Mapping[str, str]:
    """Return what is kept, by name."""
    return {path.stem: path.read_text() for path in KEPT.glob("*.txt")}
