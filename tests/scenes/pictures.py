"""The pictures of the README: some stops of the walk, each with the question it answers."""

import tempfile
from pathlib import Path

from linkdash.widgets.terminal.svg import svg
from linkdash.widgets.themes import NIGHT
from tests.scenes.stage import stage
from tests.scenes.walk import walk

FOLDER = Path(__file__).parents[2] / ".github" / "pictures"
SIZE = (140, 40)
ANSWERS = {
    "overview": "What changed since yesterday, and what needs me?",
    "qr": "Which codes are scanned, and which fell?",
    "statistics": "Did this code drop since last week, since when, and where?",
    "plan-matrix": "Which plan has what the other has not?",
    "journal": "What was changed, and did it work?",
}
"""By stop, the question that its picture answers."""


async def draw() -> list[Path]:
    """Draw every picture anew; the files, by name."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    drawn = []
    with tempfile.TemporaryDirectory() as folder:
        async with stage(Path(folder), SIZE) as here:
            await here.show(SIZE, NIGHT.name)
            async for name in walk(here):
                if name in ANSWERS:
                    path = FOLDER / f"{name}.svg"
                    path.write_text(svg(here.strips, ANSWERS[name], NIGHT.background or ""))
                    drawn.append(path)
    return sorted(drawn)
