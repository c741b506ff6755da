"""Custom splash pages."""

from typing import TYPE_CHECKING

from linkdash.api.resource import Source
from linkdash.api.splash import SplashPage
from linkdash.screens.resource import ResourceScreen
from linkdash.widgets.columns import column

if TYPE_CHECKING:
    from linkdash.api.client import Client


class SplashScreen(ResourceScreen[SplashPage]):
    """Custom splash pages."""

    name_of_place = "splash"
    TITLE = "Splash pages"
    record = SplashPage
    singular = "splash page"
    columns = (
        column(SplashPage, "id"),
        column(SplashPage, "name", grow=True, essential=True),
        column(SplashPage, "date"),
    )

    def source(self, client: "Client") -> Source[SplashPage]:
        return client.splash.paged
