"""The moving picture of the README, made of some steps: `python -m tests.scenes.moving`.

It is one SVG without a script: every line of a screen is kept once, and shown while it stands there.
"""

import asyncio
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from html import escape
from pathlib import Path

from textual.strip import Strip

from linkdash.widgets.terminal.svg import CELL, LOOK, row_lines
from linkdash.widgets.themes import NIGHT
from tests.scenes.pictures import FOLDER
from tests.scenes.stage import Stage, stage

PATH = FOLDER / "moving.svg"
SIZE = (120, 34)
TITLE = "From the overview to a code that fell, its statistics, the code itself, and an edit that is undone"
_BELOW = 2  # lines for what is told and pressed

Scene = tuple[float, str, Sequence[Strip]]
"""Seconds for which it is shown, what is told of it, and the screen."""


async def scenes(here: Stage) -> AsyncIterator[Scene]:
    """The steps of half a minute."""
    await here.press(see="scans in 7 days")
    yield 4.0, "What changed since yesterday?", here.strips
    await here.press("8", see="7 days")
    yield 2.5, "8  QR codes", here.strips
    await here.press("slash")
    await here.type("week<-30")
    await here.press(see="week<-30")
    yield 2.5, "/week<-30  those that fell by more than 30 %", here.strips
    await here.press("enter")
    yield 2.0, "⏎  found among what is loaded, without a request", here.strips
    here.pass_a_minute()
    await here.press("enter", see="Countries")
    yield 4.0, "⏎  Since when, and where?", here.strips
    await here.press("Q", see="lnk.example")
    yield 3.5, "Q  Scan it from the screen", here.strips
    await here.press("escape", "escape")
    here.pass_a_minute()
    await here.press("7", "e", see="ctrl+s")
    yield 1.5, "7 e  Edit a pixel", here.strips
    await here.press("end", "space")
    await here.type("(spring)")
    yield 2.0, "A new name; below stands what it costs", here.strips
    await here.press("ctrl+s", see="(spring)")
    yield 2.5, "ctrl+s  What will be sent", here.strips
    await here.press("enter")
    yield 2.0, "⏎  Done, and in the journal", here.strips
    await here.press("u")
    yield 2.5, "u  Undo", here.strips
    await here.press("ctrl+s")
    yield 2.5, "ctrl+s  As it was before", here.strips


def moving_svg(shown: Sequence[Scene], ground: str) -> str:
    """The scenes one after the other, for ever; each different line stands in it once."""
    columns, rows = SIZE
    width, height = columns * CELL[0], (rows + _BELOW) * CELL[1]
    lines: dict[tuple[int, str], list[int]] = {}
    for number, (_, told, strips) in enumerate(shown):
        for row, strip in enumerate(strips):
            lines.setdefault((row, "\n".join(row_lines(row, strip, ground))), []).append(number)
        lines.setdefault((rows, _caption(told, rows)), []).append(number)
    total = sum(seconds for seconds, *_ in shown)
    times = [sum(seconds for seconds, *_ in shown[:number]) / total for number in range(len(shown))]
    body = [
        f'<g visibility="hidden">{drawn}{_when(numbers, times, total)}</g>'
        if len(numbers) < len(shown)
        else f"<g>{drawn}</g>"
        for (_, drawn), numbers in lines.items()
        if drawn
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" {LOOK}>',
            f"<title>{escape(TITLE)}</title>",
            f'<rect width="100%" height="100%" rx="6" fill="{ground}"/>',
            *body,
            "</svg>\n",
        ]
    )


def _when(numbers: Sequence[int], times: Sequence[float], total: float) -> str:
    """Show what it stands in during some of the scenes."""
    values = ";".join("visible" if number in numbers else "hidden" for number in range(len(times)))
    keys = ";".join(f"{at:.4f}" for at in times)
    return (
        f'<animate attributeName="visibility" calcMode="discrete" dur="{total:g}s"'
        f' repeatCount="indefinite" values="{values}" keyTimes="{keys}"/>'
    )


def _caption(told: str, row: int) -> str:
    y = (row + 1.4) * CELL[1]
    return (
        f'<text x="16" y="{y:.1f}" font-size="18" fill="#e0af68" xml:space="preserve">{escape(told)}</text>'
    )


async def draw() -> Path:
    """Draw it anew; the file."""
    with tempfile.TemporaryDirectory() as folder:
        async with stage(Path(folder), SIZE) as here:
            await here.show(SIZE, NIGHT.name)
            shown = [scene async for scene in scenes(here)]
    PATH.write_text(moving_svg(shown, NIGHT.background or ""))
    return PATH


if __name__ == "__main__":
    sys.stdout.write(f"{asyncio.run(draw())}\n")
