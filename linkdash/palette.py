"""What the palette offers beside records: actions, places, views, themes, and profiles to go over to."""

import asyncio
import inspect
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from linkdash.api.errors import LinkdashError
from linkdash.config import Settings, configuration_path, with_theme
from linkdash.model.arrangement import ListPreferences, View
from linkdash.model.finding import Found
from linkdash.model.resources import OVERVIEW, PLACES
from linkdash.model.session import ProfileChoice
from linkdash.screens import palette, windows
from linkdash.screens.actions import Flow
from linkdash.screens.frame import place_entries
from linkdash.screens.host import HostScreen
from linkdash.screens.palette import Entry, Group, PaletteScreen
from linkdash.screens.record_actions import offered
from linkdash.screens.resource import ResourceScreen
from linkdash.screens.review import ReviewScreen
from linkdash.store.files import private_folder, replace_text

if TYPE_CHECKING:
    from linkdash.app import LinkdashApp


def open_palette(app: "LinkdashApp") -> None:
    """Asks what is to be done, and does it; at once, since the next key is typed into it."""

    def go_to(found: Found) -> Flow:
        return app.follow(found.resource.id, found.record.id)

    def do(chosen: Entry | None) -> None:
        done = chosen.do() if chosen is not None else None
        if inspect.iscoroutine(done):
            app.begin(done, "palette")

    app.push_screen(PaletteScreen(app.session.finder, go_to, [*_groups(app)], partial(_views, app)), do)


def _groups(app: "LinkdashApp") -> Iterable[Group]:
    """All that can be found beside records and views."""
    screen = app.screen
    if isinstance(screen, HostScreen):
        doing = palette.doing(screen, screen.action_do)
        yield replace(doing, entries=[*doing.entries, *_own_commands(app, screen.place_id)])
    places = [
        palette.place_entry(place, partial(app.go, place.id))
        for place in place_entries(app.keys, app.session.collections)
        if place.id != OVERVIEW.id
    ]
    own = [
        palette.action_entry("→", action, app.keys, partial(app.action_do, action.id))
        for action in app.ACTIONS
        if action.id != "palette"
    ]
    review = palette.review(lambda: app.push_screen(ReviewScreen(app.session)))
    yield Group(palette.GO, [*places, review, *own])
    themes = palette.themes(app.available_themes.values(), app.theme, partial(_choose_theme, app))
    profiles = [
        palette.profile(choice, app.settings.profile, partial(switch_to, app, choice))
        for choice in app.profiles()
    ]
    yield Group(palette.LOOK, [*profiles, *themes])


def _own_commands(app: "LinkdashApp", resource: str) -> Iterable[Entry]:
    names = list(app.settings.commands)
    for name, command in offered(app.settings, resource):
        run = partial(app.action_command, names.index(name))
        yield palette.own_command_entry(name, command, run)


async def _views(app: "LinkdashApp") -> Group:
    """The views that were saved, of every list."""
    entries = [
        palette.view(place, view, partial(_open_view, app, place.id, view))
        for place in PLACES
        for view in await ListPreferences(app.session, place.id).views()
    ]
    return Group(palette.VIEWS, entries)


async def _open_view(app: "LinkdashApp", place: str, view: View) -> None:
    """Goes to a list and shows it as a view says."""
    await app.follow(place, None)
    screen = app.screen_of(place)
    if isinstance(screen, ResourceScreen):
        screen.arranging.open(view)


async def _choose_theme(app: "LinkdashApp", name: str) -> None:
    """Takes a theme, and keeps it in the configuration file for the next run."""
    app.theme = name
    try:
        await asyncio.to_thread(keep_theme, name)
    except (LinkdashError, RuntimeError, OSError) as error:
        app.warn(f"{error} It stays until linkdash ends.", f"Theme: {name}")
    else:
        app.say("It is kept for the next run.", f"Theme: {name}")


def keep_theme(name: str) -> None:
    """Writes a theme into the configuration file. Raises Misconfigured, NotSaved, OSError."""
    path = configuration_path().resolve()
    text = path.read_text("utf-8-sig") if path.exists() else ""
    changed = with_theme(text, name)
    private_folder(path.parent)
    replace_text(path, changed)


# ---- another profile ----


async def switch_to(app: "LinkdashApp", choice: ProfileChoice) -> None:
    """Closes this session and opens that of another profile, after a question where something is open."""
    if choice.name == app.settings.profile:
        app.say(f"This is {choice.name} already.")
        return
    if app.session.writes.under_way and app.session.jobs.is_over:
        app.warn("A change is on its way. Switch when it is done.")
        return
    settings = await _settings_of(app, choice)
    if await _agreed(app, choice):
        session = await asyncio.to_thread(choice.open, settings)  # where that fails, this one stays
        await _stop_jobs(app)
        await app.replace_session(session)
        where = f"{settings.host}{', read-only' if settings.read_only else ''}"
        app.say(where, f"Profile {choice.name}")
        await app.tell_what_is_left()


async def _settings_of(app: "LinkdashApp", choice: ProfileChoice) -> Settings:
    """The settings of a profile; a command that gives its key may have to ask in the terminal."""
    if not choice.asks:
        return await asyncio.to_thread(choice.settings)
    with app.suspend():
        return choice.settings()


async def _agreed(app: "LinkdashApp", choice: ProfileChoice) -> bool:
    jobs = app.session.jobs
    left = jobs.job.left if jobs.job is not None and not jobs.is_over else 0
    question = windows.switching(choice.name, choice.host, app.unsaved_places(), left)
    agreed: bool = question is None or await app.push_screen_wait(question)
    return agreed


async def _stop_jobs(app: "LinkdashApp") -> None:
    """Ends the bulk job; what is on its way is waited for."""
    app.session.jobs.stop()
    running = [worker for worker in app.workers if worker.group == "bulk" and not worker.is_finished]
    for worker in running:
        await worker.wait()
