"""The opening of the palette, with its entries beside records: actions, places, views, themes, profiles."""

import inspect
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from linkdash.model.configuration_text import set_setting
from linkdash.model.declaration import declarations
from linkdash.model.lists.record_search import Found
from linkdash.model.lists.views import ListPreferences
from linkdash.model.resources import OVERVIEW, PLACES
from linkdash.screens.actions import AnyAction, Flow
from linkdash.screens.frame_entries import place_entries
from linkdash.screens.host_app import HostApp
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.lists.own_commands import offered
from linkdash.screens.palette import entries, palette_screen
from linkdash.screens.palette.palette_screen import Group, PaletteEntry, PaletteScreen
from linkdash.screens.palette.profile_switch import set_up_profile, switch_to
from linkdash.screens.pictures import save_picture
from linkdash.screens.registry import column_titles
from linkdash.screens.saved_setting import save_setting


def open_palette(app: HostApp) -> None:
    """Ask what is to be done, and do it; at once, since the next key is typed into it."""

    def go_to(found: Found) -> Flow:
        return app.navigation.follow(found.resource.id, found.record.id)

    def do(chosen: PaletteEntry | None) -> None:
        done = chosen.do() if chosen is not None else None
        if inspect.iscoroutine(done):
            app.begin(done, "palette", opens=True)

    here = app.screen.ACTIONS if isinstance(app.screen, HostScreen) else ()
    later = partial(_later, app, here)
    app.push_screen(PaletteScreen(app.session.finder, go_to, [*_groups(app)], later), do)


def _groups(app: HostApp) -> Iterable[Group]:
    """All that can be found beside records and views."""
    screen = app.screen
    if isinstance(screen, HostScreen):
        doing = entries.doing(screen, screen.action_do)
        picture = entries.picture(lambda: save_picture(screen))
        yield replace(doing, entries=[*doing.entries, *_own_commands(app, screen.place_id), picture])
    places = [
        entries.place_entry(place, partial(app.navigation.go, place.id))
        for place in place_entries(app.keys, app.session.collections)
        if place.id != OVERVIEW.id
    ]
    own = [
        entries.action_entry("→", action, app.keys, partial(app.action_do, action.id))
        for action in app.ACTIONS
        if action.id != "palette"
    ]
    set_up = [] if app.set_up is None else [entries.set_up(partial(set_up_profile, app))]
    yield Group(palette_screen.GO, [*places, *own, *set_up])
    themes = entries.themes(app.available_themes.values(), app.theme, partial(_choose_theme, app))
    profiles = [
        entries.profile(choice, app.settings.profile, partial(switch_to, app, choice))
        for choice in app.profiles()
    ]
    yield Group(palette_screen.LOOK, [*profiles, *themes])


def _own_commands(app: HostApp, resource: str) -> Iterable[PaletteEntry]:
    names = list(app.settings.commands)
    for name, command in offered(app.settings, resource):
        run = partial(app.action_command, names.index(name))
        yield entries.own_command_entry(name, command, run)


async def _later(app: HostApp, here: Sequence[AnyAction]) -> Sequence[Group]:
    """The actions of other screens, the findings of every list, and the views that were saved."""
    from linkdash.screens.palette.elsewhere import elsewhere  # the palette does not wait for all screens

    return [elsewhere(app, here), await _views(app), _findings(app)]


def _findings(app: HostApp) -> Group:
    found = [
        entries.view(resource.place, one, one.why, partial(app.navigation.go_to_view, resource.id, one))
        for resource in declarations()
        for one in resource.findings
    ]
    return Group(palette_screen.FINDINGS, found, is_only_found=True)


async def _views(app: HostApp) -> Group:
    """The views that were saved, of every list."""
    found = [
        entries.view(
            place,
            view,
            view.described(column_titles(place.id)),
            partial(app.navigation.go_to_view, place.id, view),
        )
        for place in PLACES
        for view in await ListPreferences(app.session, place.id).views()
    ]
    return Group(palette_screen.VIEWS, found)


async def _choose_theme(app: HostApp, name: str) -> None:
    """Take a theme, and keep it in the configuration file for the next run; the demo keeps nothing."""
    app.theme = name
    if not app.settings.keeps_state:
        app.say("In use until linkdash ends.", f"Theme: {name}")
        return
    await save_setting(app, f"Theme: {name}", partial(set_setting, name="theme", value=name))
