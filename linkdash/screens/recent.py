"""Going back to records: those that were opened last, and the codes that are watched."""

from collections.abc import Iterable
from itertools import chain, repeat
from string import ascii_lowercase

from linkdash.model.copy_choices import LETTERS, MOVING, PickerChoice
from linkdash.model.declaration import declaration
from linkdash.model.humanize import shortened
from linkdash.model.session import Session
from linkdash.screens.host_app import HostApp
from linkdash.screens.windows.picker import PickerScreen

_NAME = 48  # letters of a name, so that what it is stands beside it


async def open_recent(app: HostApp) -> None:
    """Ask which record is meant, and go to it; nothing is asked for."""
    letters = chain((letter for letter in ascii_lowercase if letter in LETTERS - MOVING), repeat(""))
    records = {
        PickerChoice(shortened(name, _NAME), what, letter): (resource, id)
        for letter, (resource, id, name, what) in zip(letters, _records(app.session), strict=False)
    }
    if not records:
        app.say("No record was opened or watched yet.")
        return
    chosen = await app.push_screen_wait(PickerScreen("Recent and watched", [*records]))
    if chosen is not None:
        app.navigation.go_to_record(*records[chosen])


def _records(session: Session) -> Iterable[tuple[str, int, str, str]]:
    """Resource, id and name of each, and what it is: those opened, the latest first, then those watched."""
    recents, name_of = session.recents, session.collections.name_of
    for one in recents.recent:
        watched = ", watched" if one.resource == "qr" and one.id in recents.watched else ""
        what = f"{declaration(one.resource).singular} {one.id}{watched}"
        yield one.resource, one.id, name_of(one.resource, one.id, one.name), what
    opened = {one.id for one in recents.recent if one.resource == "qr"}
    for id, name in recents.watched.items():
        if id not in opened:
            yield "qr", id, name_of("qr", id, name), f"{declaration('qr').singular} {id}, watched"
