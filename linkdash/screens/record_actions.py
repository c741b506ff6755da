"""What can be done with any record: copy a part of it, open its link, see how the service sent it.

And what a person has configured to be done with it: their own commands.
"""

import asyncio
import json
from collections.abc import Iterable, Sequence
from functools import partial

from rich.text import Text

from linkdash.api.exchange import EXCHANGES_KEPT, Exchange
from linkdash.api.model import Record
from linkdash.api.text import inert
from linkdash.config import CommandSetting, Settings
from linkdash.model.as_text import Choice, exchange_text, filled_in, hidden_host, is_large, json_of, links
from linkdash.model.export import record_members
from linkdash.model.processes import run
from linkdash.screens import windows
from linkdash.screens.actions import Flow
from linkdash.screens.host import HostScreen, copy_text, has_browser, open_link
from linkdash.screens.windows import PickerScreen, ViewerScreen
from linkdash.widgets.values import Line


async def copy_one(screen: HostScreen, title: str, choices: Sequence[Choice]) -> None:
    """Asks which of some texts is to be copied, and sends it to the terminal's clipboard."""
    choice = await screen.app.push_screen_wait(PickerScreen(title, choices))
    if choice is not None:
        copy_text(screen.app, choice.label, choice.value)


async def open_link_of(screen: HostScreen, record: Record, singular: str) -> None:
    """Opens a record's link in the browser; asks which where it has several."""
    found = links(record)
    choice: Choice | None = found[0] if len(found) == 1 else None
    if len(found) > 1:
        choice = await screen.app.push_screen_wait(PickerScreen("Open in the browser", found))
    if choice is not None:
        await _open(screen, choice.value)
    elif not found:
        screen.say(f"This {singular} has no link to open.")


async def _open(screen: HostScreen, link: str) -> None:
    """Hands a link to the browser; to the clipboard where no browser can open beside this terminal."""
    if not has_browser():
        copy_text(screen.app, f"No browser can open from here. {link}", link)
        return
    host = hidden_host(link)
    if host and not await screen.app.push_screen_wait(windows.opening(link, host)):
        return
    screen.run_worker(partial(open_link, link), thread=True, exit_on_error=False)
    screen.say(link, "Opened in the browser")


def show_in_full(screen: HostScreen, title: str, lines: Sequence[Line]) -> None:
    """Shows details on a page of their own, where nothing is cut."""
    width = max((len(line.title) for line in lines), default=0)
    text = "\n".join(f"{line.title:<{width}}  {'  ' * line.indent}{line.text}".rstrip() for line in lines)
    screen.app.push_screen(ViewerScreen(title, text))


def show_raw(screen: HostScreen, raw: object, title: str) -> Flow | None:
    """Shows what the service sent as it came, secrets masked: at once, but for megabytes."""
    title = f"{title} as the service sent it"
    if is_large(raw):
        return _show_large(screen, raw, title)
    screen.app.push_screen(ViewerScreen(title, json_of(raw)))
    return None


async def _show_large(screen: HostScreen, raw: object, title: str) -> None:
    screen.app.push_screen(ViewerScreen(title, await asyncio.to_thread(json_of, raw)))


def show_exchange(screen: HostScreen, title: str, exchange: Exchange | None) -> None:
    """Shows a request and its answer, secrets masked, where they are still kept."""
    if exchange is None:
        screen.say(f"Only the last {EXCHANGES_KEPT} requests of this run are kept, in memory.")
        return
    settings = screen.session.settings
    text = exchange_text(exchange, settings.base_url, settings.api_key)
    screen.app.push_screen(ViewerScreen(title, text))


# ---- a person's own commands ----

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
