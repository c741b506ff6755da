"""Going from place to place, to a record, and back."""

from collections.abc import Mapping, Sequence
from functools import partial

from textual.screen import Screen

from linkdash.model.lists.views import View
from linkdash.model.resources import OVERVIEW, PLACES
from linkdash.model.session import Session
from linkdash.screens.actions import AnyAction
from linkdash.screens.app_services import AppServices, Navigation, Origin
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.registry import actions_of_place, screen_for


class PlaceNavigation(Navigation):
    """The places of a session: a mode of the app each, whose screen is made when it is first wanted."""

    def __init__(self, app: AppServices, session: Session) -> None:
        self.previous_place = ""
        self.led_from = {}
        self.closed_for = {}
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
        if id not in self._screens:
            self._screens[id] = screen_for(id, self._session)
        return self._screens[id]

    def actions_of(self, id: str) -> Sequence[AnyAction]:
        return actions_of_place(id)

    def unsaved_places(self) -> list[str]:
        return [screen.place for screen in self._screens.values() if screen.has_unsaved_input]

    async def keep_drafts(self) -> None:
        for screen in [*self._screens.values()]:
            await screen.keep_input()

    # ---- going ----

    async def go_by_key(self, place: str) -> None:
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
        self._app.begin(self.follow(resource, id, then, given), "go-there", opens=True)

    async def follow(
        self, resource: str, id: int | None, then: str = "", given: Mapping[str, object] | None = None
    ) -> None:
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
