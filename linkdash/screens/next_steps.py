"""Getting ready for what the user does first, once the first place stands there."""

import asyncio
from importlib import import_module

from linkdash import garbage_collection
from linkdash.model.resources import PLACES
from linkdash.screens.host_app import HostApp
from linkdash.widgets.themes import style_paths

_CALM_AFTER = 0.5  # seconds
_NEXT = ("resources.users", "resources.qr", "windows.confirm", "palette.open_palette")
"""Screens that the first steps from the overview lead to."""


async def prepare_next_steps(app: HostApp) -> None:
    """Import, read and recall what comes next, when all that is kept of the first place is shown."""
    await asyncio.sleep(_CALM_AFTER)
    while any(one.group == "kept" and not one.is_finished for one in app.workers):  # noqa: ASYNC110  no event tells
        await asyncio.sleep(_CALM_AFTER)
    app.load_sheets(style_paths())
    app.run_worker(_import_screens, group="start", thread=True)
    app.run_worker(_recall_lists(app), group="kept", exit_on_error=False)


def _import_screens() -> None:
    for name in _NEXT:
        import_module(f"linkdash.screens.{name}")
    garbage_collection.look_from_now_on()


async def _recall_lists(app: HostApp) -> None:
    """Show what is kept of every list beside its name, wherever the user is; costs no request."""
    for place in PLACES:
        await app.session.collection(place.id).recall()
