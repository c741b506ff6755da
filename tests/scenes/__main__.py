"""Rewrites what is kept of every screen, to be looked at in the diff.

python -m tests.scenes
"""

import asyncio
import sys

from tests.scenes.shots import KEPT, kept, shots


async def main() -> None:
    before, seen = kept(), set()
    KEPT.mkdir(exist_ok=True)
    for shot in await shots():
        seen.add(shot.name)
        if before.get(shot.name) != shot.text:
            (KEPT / f"{shot.name}.txt").write_text(shot.text)
            sys.stdout.write(f"{shot.name}\n")
    for name in before.keys() - seen:
        (KEPT / f"{name}.txt").unlink()


asyncio.run(main())
