"""Actions on any record: copy a part of it, open its link, see how the service sent it.

And what the user has configured to be done with it: their own commands.
"""

import asyncio
from collections.abc import Sequence
from functools import partial

from linkdash.api.http.recent_exchanges import EXCHANGES_KEPT, Exchange
from linkdash.api.records import Record
from linkdash.model.browser import has_browser, open_link
from linkdash.model.copy_choices import PickerChoice, links, with_keys
from linkdash.model.last_choice import keep_choice, last_first
from linkdash.model.link_host import hidden_host
from linkdash.model.raw_answer import exchange_text, is_large, json_of
from linkdash.screens.actions import Flow
from linkdash.screens.clipboard import copy_text
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.windows import questions
from linkdash.screens.windows.picker import PickerScreen
from linkdash.screens.windows.viewer import ViewerScreen
from linkdash.widgets.details import DetailLine
from linkdash.widgets.text_page import hung

AS_SENT = "as the service sent it"


async def copy_one(screen: HostScreen, title: str, choices: Sequence[PickerChoice]) -> None:
    """Ask which of some texts is to be copied, and send it to the terminal's clipboard."""
    offered = await last_first(screen.session, "copy", with_keys(choices))
    choice = await screen.app.push_screen_wait(PickerScreen(title, offered))
    if choice is not None:
        await keep_choice(screen.session, "copy", choice)
        copy_text(screen.app, choice.label, choice.value)


async def open_link_of(screen: HostScreen, record: Record, singular: str) -> None:
    """Open a record's link in the browser; ask which where it has several."""
    found = links(record)
    choice: PickerChoice | None = found[0] if len(found) == 1 else None
    if len(found) > 1:
        choice = await screen.app.push_screen_wait(PickerScreen("Open in the browser", found))
    if choice is not None:
        await _open(screen, choice.value)
    elif not found:
        screen.say(f"This {singular} has no link to open.")


async def _open(screen: HostScreen, link: str) -> None:
    """Hand a link to the browser; to the clipboard where no browser can open beside this terminal."""
    if not has_browser():
        copy_text(screen.app, f"No browser can open from here. {link}", link)
        return
    host = hidden_host(link)
    if host and not await screen.app.push_screen_wait(questions.opening(link, host)):
        return
    screen.run_worker(partial(open_link, link), thread=True, exit_on_error=False)
    screen.say(link, "Opened in the browser")


def show_in_full(screen: HostScreen, title: str, lines: Sequence[DetailLine]) -> None:
    """Show details on a page of their own, where nothing is cut."""
    width = max((len(line.title) for line in lines), default=0)
    rows = [f"{line.title:<{width}}  {'  ' * line.indent}{line.text}".rstrip() for line in lines]

    def written(cells: int | None) -> str:
        if cells is None:
            return "\n".join(rows)
        return "\n".join(part for row in rows for part in hung(row, cells, " " * (width + 2)))

    screen.app.push_screen(ViewerScreen(title, written))


def show_raw(screen: HostScreen, raw: object, title: str) -> Flow | None:
    """Show members as they are, secrets masked: at once, but for megabytes."""
    if is_large(raw):
        return _show_large(screen, raw, title)
    screen.app.push_screen(ViewerScreen(title, json_of(raw)))
    return None


async def _show_large(screen: HostScreen, raw: object, title: str) -> None:
    screen.app.push_screen(ViewerScreen(title, await asyncio.to_thread(json_of, raw)))


def show_exchange(screen: HostScreen, title: str, exchange: Exchange | None) -> None:
    """Show a request and its answer, secrets masked, where they are still kept."""
    if exchange is None:
        screen.say(f"Only the last {EXCHANGES_KEPT} requests of this run are kept, in memory.")
        return
    settings = screen.session.settings
    text = exchange_text(exchange, settings.base_url, settings.api_key)
    screen.app.push_screen(ViewerScreen(title, text))
