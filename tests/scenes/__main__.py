"""The kept text of every screen, rewritten to be read in the diff, or the pictures of the README.

python -m tests.scenes
python -m tests.scenes pictures
"""

import asyncio
import sys

from tests.scenes.pictures import draw
from tests.scenes.shots import KEPT, kept, shots


async def rewrite() -> None:
    """Say which files it has changed."""
    before, seen = kept(), set()
    KEPT.mkdir(exist_ok=True)
    for shot in await shots():
        seen.add(shot.name)
        sys.stdout.write("".join(f"{line}\n" for line in shot.broken))
        if before.get(shot.name) != shot.text:
            (KEPT / f"{shot.name}.txt").write_text(shot.text)
            sys.stdout.write(f"{shot.name}\n")
    for name in before.keys() - seen:
        (KEPT / f"{name}.txt").unlink()


async def main() -> None:
    if sys.argv[1:] == ["pictures"]:
        for path in await draw():
            sys.stdout.write(f"{path}\n")
    else:
        await rewrite()


asyncio.run(main())
