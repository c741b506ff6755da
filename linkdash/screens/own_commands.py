"""The commands that a person has configured: which are offered, and how one is run on records."""

import json
from collections.abc import Iterable, Sequence

from rich.text import Text

from linkdash.api.model import Record
from linkdash.api.text import inert
from linkdash.config import CommandSetting, Settings
from linkdash.model.as_text import filled_in
from linkdash.model.export import record_members
from linkdash.model.processes import run
from linkdash.screens.host import HostScreen
from linkdash.screens.windows import ViewerScreen

SECONDS = 60.0
"""For how long a command may run."""


def own_id(name: str) -> str:
    """What a person's command is called among the actions."""
    return f"command.{name}"


def label_of(name: str, command: CommandSetting) -> str:
    """What a command is called."""
    return inert(command.label or name)


def offered(settings: Settings, resource: str) -> Iterable[tuple[str, CommandSetting]]:
    """The commands for the list of a resource; in a read-only session those that change nothing."""
    for name, command in settings.commands.items():
        if command.is_for(resource) and not (command.changes and settings.read_only):
            yield name, command


async def run_own(
    screen: HostScreen, label: str, command: CommandSetting, row: Record, targets: Sequence[Record]
) -> None:
    """Runs a command for the record under the cursor; the selected ones are JSON on its standard input."""
    try:
        words = [filled_in(word, row) for word in command.run]
    except ValueError as error:
        screen.warn(str(error), label)
        return
    screen.say("running…", label)
    rows = json.dumps([record_members(record) for record in targets], default=str, ensure_ascii=False)
    ran = await run(words, rows.encode("utf-8", "replace"), SECONDS, with_output=True)
    if ran.failure:
        screen.warn(f"{ran.failure}.", f"{label} failed")
    lines = ran.output.decode("utf-8", "replace").splitlines()
    if lines:
        screen.app.push_screen(ViewerScreen(label, Text("\n".join(map(inert, lines)))))
    elif not ran.failure:
        refresh = f"{screen.key_of('refresh')} refreshes the list." if command.changes else ""
        screen.done(refresh, f"{label}: done")
