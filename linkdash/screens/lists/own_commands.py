"""Commands of the user's own, run on a record."""

import asyncio
import json
from collections.abc import Iterable, Sequence

from linkdash.api.inert_text import inert
from linkdash.api.records import Record
from linkdash.model.configuration_file import CommandSetting
from linkdash.model.settings import Settings
from linkdash.screens.host_screen import HostScreen

SECONDS = 60.0
"""For how long a command may run."""


def own_id(name: str) -> str:
    """Return the id of a user's command among the actions."""
    return f"command.{name}"


def label_of(name: str, command: CommandSetting) -> str:
    """Return the label of a command."""
    return inert(command.label or name)


def offered(settings: Settings, resource: str) -> Iterable[tuple[str, CommandSetting]]:
    """The commands for the list of a resource; in a read-only session those that change nothing."""
    for name, command in settings.commands.items():
        if command.is_for(resource) and not (command.changes and settings.read_only):
            yield name, command


async def run_own(
    screen: HostScreen, label: str, command: CommandSetting, row: Record, targets: Sequence[Record]
) -> None:
    """Run a command for the record under the cursor, which is in its environment.

    The selected records are JSON on its standard input.
    """
    from linkdash.model.lists.export import record_members
    from linkdash.model.own_command_variables import variables
    from linkdash.model.run_process import run

    screen.say("running…", label)
    rows = json.dumps([record_members(record) for record in targets], default=str)
    ran = await run(command.run, rows.encode(), SECONDS, variables(row))
    if ran.failure:
        screen.warn(f"{ran.failure}.", f"{label} failed")
    if ran.output:
        from rich.text import Text

        from linkdash.screens.windows.viewer import ViewerScreen

        printed = await asyncio.to_thread(_inert_lines, ran.output)  # 2 s for a megabyte of escape sequences
        screen.app.push_screen(ViewerScreen(label, Text(printed)))
    elif not ran.failure:
        refresh = f"{screen.key_of('refresh')} refreshes the list." if command.changes else ""
        screen.done(refresh, f"{label}: done")


def _inert_lines(output: bytes) -> str:
    return "\n".join(map(inert, output.decode("utf-8", "replace").splitlines()))
