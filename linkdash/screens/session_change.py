"""The app's session: the first one, and another in its place."""

import asyncio
from dataclasses import replace
from functools import partial

from linkdash.model.resources import OVERVIEW
from linkdash.model.session import Session
from linkdash.model.settings import Settings
from linkdash.screens.host_app import HostApp
from linkdash.screens.navigation import Navigation
from linkdash.screens.opening import OpeningScreen
from linkdash.widgets.frame.message_line import Messages

_BETWEEN = "between"  # the mode while one session is closed and the next is opened
_LOOKS_EVERY = 1.0  # seconds


async def enter_session(app: HostApp, session: Session) -> None:
    """Let the app work with a session, and show the place that is wanted."""
    app.session, app.settings = session, replace(session.settings, keys=app.settings.keys)
    for work in (session.keep_handing_in(), session.keep_noting_spending(), _keep_telling_notices(app)):
        app.run_worker(work, group="session", exit_on_error=False)
    app.run_worker(session.recents.recall(), group="kept", exit_on_error=False)
    await session.know_distance()
    app.navigation = navigation = Navigation(app, session)
    await session.collection("account").recall()  # the first picture has it, then
    app.is_open = True
    await navigation.open(app.first_place)
    app.refresh_bindings()


async def change_session(app: HostApp, session: Session) -> None:
    """Go on with another session; of the one before nothing is left."""
    await _leave_session(app, session.settings)
    await enter_session(app, session)
    await app.remove_mode(_BETWEEN)


async def _leave_session(app: HostApp, next_settings: Settings) -> None:
    """Leave nothing of a session: its screens, what it said, where the user was."""
    await app.navigation.keep_drafts()
    app.is_open = False
    app.messages, app.first_place = Messages(), OVERVIEW.id
    app.add_mode(_BETWEEN, partial(OpeningScreen, next_settings))
    await app.switch_mode(_BETWEEN)
    await app.navigation.close()
    app.workers.cancel_group(app, "session")
    await app.session.close()


async def _keep_telling_notices(app: HostApp) -> None:
    """Say once what became of a file; the budget screen keeps it in sight."""
    session, told = app.session, set[str]()
    while True:
        await asyncio.sleep(_LOOKS_EVERY)
        for notice in session.notices:
            if notice not in told:
                told.add(notice)
                app.warn(notice, "Files")
