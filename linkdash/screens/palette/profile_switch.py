"""Switching to another profile while the program runs."""

import asyncio

from linkdash.model.session import ProfileChoice
from linkdash.model.settings import Settings
from linkdash.screens.host_app import HostApp
from linkdash.screens.left_unfinished import tell_what_is_left
from linkdash.screens.session_change import change_session
from linkdash.screens.windows import questions


async def switch_to(app: HostApp, choice: ProfileChoice) -> None:
    """Close this session and open that of another profile, after a question where something is open."""
    if choice.name == app.settings.profile:
        app.say(f"This is {choice.name} already.")
        return
    await _change_to(app, choice)


async def set_up_profile(app: HostApp) -> None:
    """Ask in the terminal for the address and the key of this profile, and go on with these.

    Raises LinkdashError.
    """
    name = app.settings.profile
    if app.set_up is None:
        app.warn("The demo has no profile.")
        return
    with app.suspend():
        app.set_up(name)
    await _change_to(app, next(choice for choice in app.profiles() if choice.name == name))


async def _change_to(app: HostApp, choice: ProfileChoice) -> None:
    if app.session.writes.under_way and app.session.jobs.is_over:
        app.warn("A change is in progress. Switch when it is done.")
        return
    settings = await _settings_of(app, choice)
    if await _agreed(app, choice):
        session = await asyncio.to_thread(choice.open, settings)  # where that fails, this one stays
        await _stop_jobs(app)
        await change_session(app, session)
        where = f"{settings.host}{', read-only' if settings.read_only else ''}"
        app.say(where, f"Profile {choice.name}")
        await tell_what_is_left(app)


async def _settings_of(app: HostApp, choice: ProfileChoice) -> Settings:
    """The settings of a profile; a command that gives its key may have to ask in the terminal."""
    if not choice.asks:
        return await asyncio.to_thread(choice.settings)
    with app.suspend():
        return choice.settings()


async def _agreed(app: HostApp, choice: ProfileChoice) -> bool:
    jobs = app.session.jobs
    left = jobs.job.left if jobs.job is not None and not jobs.is_over else 0
    question = questions.switching(choice.name, choice.host, app.navigation.unsaved_places(), left)
    agreed: bool = question is None or await app.push_screen_wait(question)
    return agreed


async def _stop_jobs(app: HostApp) -> None:
    """End the bulk job; what is on its way is waited for."""
    app.session.jobs.stop()
    running = [worker for worker in app.workers if worker.group == "bulk" and not worker.is_finished]
    for worker in running:
        await worker.wait()
