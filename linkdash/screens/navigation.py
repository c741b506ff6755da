"""Going from place to place, to a record, and back."""

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from textual.screen import Screen

from linkdash.model.lists.views import View
from linkdash.model.resources import OVERVIEW, PLACES
from linkdash.model.session import Session
from linkdash.screens.host_app import HostApp
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.registry import screen_for


class Origin(NamedTuple):
    """The origin of a followed record: the place, and the screen that is shown again on the way back."""

    place: str
    screen: Screen[None]


class Navigation:
    """The places of a session: a mode of the app each, whose screen is made when it is first wanted."""

    def __init__(self, app: HostApp, session: Session) -> None:
        self.previous_place = ""
        """The place that was left for this one; empty where there was none."""
        self.led_from: dict[str, Origin] = {}
        """The origin of each record that was followed, by the place where it is."""
        self.closed_for: dict[str, HostScreen] = {}
        """The screen that was closed for a record below it, made anew, by the place where that is."""
        self._app = app
        self._session = session
        self._screens: dict[str, HostScreen] = {}

    async def open(self, place: str) -> None:
        """Make the places known to the app, and show this one."""
        for known in (OVERVIEW, *PLACES):
            self._app.add_mode(known.id, partial(self.screen_of, known.id))
        await self._app.switch_mode(place)

    async def close(self) -> None:
        """Take the places from the app, which shows something else by now."""
        for place in (OVERVIEW, *PLACES):
            await self._app.remove_mode(place.id)

    def screen_of(self, id: str) -> HostScreen:
        """Return the screen of a place, which is made when it is first wanted."""
        if id not in self._screens:
            self._screens[id] = screen_for(id, self._session)
        return self._screens[id]

    def unsaved_places(self) -> list[str]:
        """The places with a form in which something was typed and not saved."""
        return [screen.place for screen in self._screens.values() if screen.has_unsaved_input]

    async def keep_drafts(self) -> None:
        """Keep what was typed in the forms, for the next time."""
        for screen in [*self._screens.values()]:
            await screen.keep_input()

    # ---- going ----

    async def go_by_key(self, place: str) -> None:
        """Go to a place as its key does."""
        self._session.faults.did(f"go to {place}")
        is_here = place == self._app.current_mode
        self.led_from.pop(place, None)
        self.closed_for.pop(place, None)
        await self.go(place)
        if is_here:
            return
        if len(self._app.screen_stack) == 1:
            self.screen_of(place).arrive()
        elif place != OVERVIEW.id:
            self._app.say(
                f"This is as you left it; press {self._app.keys.of(f'go-{place}')} again for the list."
            )

    async def go(self, place: str) -> None:
        """Go to a place as it was left; from there, to its list.

        What has nothing more to say is closed where it is left.
        """
        app, is_here = self._app, place == self._app.current_mode
        while len(app.screen_stack) > 1 and isinstance(app.screen, HostScreen):
            if not is_here and not app.screen.is_over:
                break
            await app.pop_screen()
        if not is_here:
            self.previous_place = app.current_mode
            await app.switch_mode(place)

    def go_to_record(
        self, resource: str, id: int | None, then: str = "", given: Mapping[str, object] | None = None
    ) -> None:
        """Begin to go to a record, also where that ends the screen that asks for it.

        `then` is an action that is done there; `given` is filled into the form that `assign` opens. For what
        was deleted `anew` opens the form that creates it again.
        """
        self._app.begin(self.follow(resource, id, then, given), "go-there", opens=True)

    async def follow(
        self, resource: str, id: int | None, then: str = "", given: Mapping[str, object] | None = None
    ) -> None:
        """Go to a record in the list of its resource, and do an action there if one is named.

        Where the user comes from stays as it is, and is where going back from there leads to; a screen that
        lay over this list is opened again for that.
        """
        from linkdash.screens.resource_screen import ResourceScreen  # the overview comes without it

        leads_back, mode = True, self._app.current_mode
        if resource != mode:
            stays = (one for one in reversed(self._app.screen_stack) if not _is_over(one))
            self.led_from[resource] = Origin(mode, next(stays, self.screen_of(mode)))
        elif isinstance(self._app.screen, HostScreen) and (closed := self._app.screen.anew()) is not None:
            self.closed_for[resource] = closed
        else:
            leads_back = False
        await self.go(resource)
        while len(self._app.screen_stack) > 1:
            await self._app.pop_screen()
        screen = self.screen_of(resource)
        if id is None or not isinstance(screen, ResourceScreen):
            return
        if then == "anew":
            await screen.fill_in_anew(id)
        elif await screen.go_to(id) and then:
            if then == "assign":
                screen.assign_row(given or {}, leads_back=leads_back)
            elif then == "undo":
                screen.undo_row(leads_back=leads_back)
            else:
                screen.action_do(then)

    def go_to_view(self, resource: str, view: View) -> None:
        """Go to a list, and show it as a view says."""
        self._app.begin(self._follow_view(resource, view), "go-there", opens=True)

    async def _follow_view(self, resource: str, view: View) -> None:
        from linkdash.screens.resource_screen import ResourceScreen  # the overview comes without it

        await self.follow(resource, None)
        screen = self.screen_of(resource)
        if isinstance(screen, ResourceScreen):
            await screen.arranging.recall()
            await screen.arranging.look_up_facts()
            screen.arranging.open(view)


def _is_over(screen: Screen[object]) -> bool:
    """Return whether a screen is closed where it is left."""
    return isinstance(screen, HostScreen) and screen.is_over
