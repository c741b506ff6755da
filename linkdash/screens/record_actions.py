"""What can be done with any record: copy a part of it, open its link, see how the service sent it."""

from collections.abc import Sequence
from functools import partial

from rich.text import Text
from textual.screen import Screen

from linkdash.api.model import Record
from linkdash.screens.browser import has_browser, open_link
from linkdash.screens.clipboard import copy
from linkdash.screens.picker import Choice, PickerScreen
from linkdash.screens.record_text import copies, json_of, links
from linkdash.screens.viewer import ViewerScreen
from linkdash.widgets.details import Line


def offer_copies(screen: Screen[None], record: Record, title: str) -> None:
    """Asks which part of a record is to be copied, and sends it to the terminal's clipboard."""

    def chosen(choice: Choice | None) -> None:
        if choice is not None:
            copy(screen.app, choice.label, choice.value)

    screen.app.push_screen(PickerScreen(f"Copy of {title}", copies(record)), chosen)


def offer_links(screen: Screen[None], record: Record, singular: str) -> None:
    """Opens a record's link in the browser; asks which where it has several."""

    def chosen(choice: Choice | None) -> None:
        if choice is not None:
            _open(screen, choice.value)

    found = links(record)
    if not found:
        screen.notify(f"This {singular} has no link to open.", markup=False)
    elif len(found) == 1:
        chosen(found[0])
    else:
        screen.app.push_screen(PickerScreen("Open in the browser", found), chosen)


def _open(screen: Screen[None], link: str) -> None:
    """Hands a link to the browser; to the clipboard where no browser can open beside this terminal."""
    if not has_browser():
        copy(screen.app, f"No browser can open from here. {link}", link)
        return
    screen.run_worker(partial(open_link, link), thread=True, exit_on_error=False)
    screen.notify(link, title="Handed to the browser", markup=False)


def show_in_full(screen: Screen[None], title: str, lines: Sequence[Line]) -> None:
    """Shows details on a page of their own, where nothing is cut."""
    width = max((len(line.title) for line in lines), default=0)
    text = "\n".join(f"{line.title:<{width}}  {'  ' * line.indent}{line.text}".rstrip() for line in lines)
    screen.app.push_screen(ViewerScreen(title, Text(text)))


def show_raw(screen: Screen[None], record: Record, title: str) -> None:
    """Shows a record as the service sent it, secrets masked."""
    screen.app.push_screen(ViewerScreen(f"{title} as the service sent it", Text(json_of(record.raw))))
