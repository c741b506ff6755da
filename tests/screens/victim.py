"""A run of the program to be killed: presses the keys it is given, then waits for its end.

    python -m tests.screens.victim URL KEY FOLDER STEP...

A step is the name of a key, or `paste:` and a text, or `type:` and letters that come ten a second.
"""

import asyncio
import sys
from pathlib import Path

from pydantic import SecretStr
from textual import events

from linkdash.app import LinkdashApp
from linkdash.model.session import Session
from linkdash.model.settings import Settings
from linkdash.store.store import Store
from tests.screens.idle import is_idle
from tests.waiting import wait_until


async def main(url: str, key: str, folder: Path, steps: list[str]) -> None:
    settings = Settings("tests", url, SecretStr(key))
    store = Store(folder / "state", folder / "cache", "tests")
    app = LinkdashApp(settings, lambda: Session(settings, store))
    async with app.run_test(size=(80, 24)) as pilot:
        for step in steps:
            await wait_until(lambda: is_idle(app))
            kind, _, text = step.partition(":")
            if kind == "type":
                for letter in text:
                    await pilot.press(letter)
                    await asyncio.sleep(0.1)
            elif kind == "paste":
                app.post_message(events.Paste(text))
                await pilot.pause()
            else:
                await pilot.press(step)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4:]))
