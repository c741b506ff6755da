"""Custom splash pages."""

from linkdash.api.client import Endpoints
from linkdash.api.overlays import SplashPage
from linkdash.api.resource import Source
from linkdash.screens import places
from linkdash.screens.resource import ResourceScreen
from linkdash.widgets.columns import column


class SplashScreen(ResourceScreen[SplashPage]):
    """Custom splash pages."""

    name_of_place = places.SPLASH.id
    TITLE = places.SPLASH.title
    record_type = SplashPage
    singular = "splash page"
    columns = (
        column(SplashPage, "id"),
        column(SplashPage, "name", grow=True, essential=True),
        column(SplashPage, "date"),
    )

    def source(self, endpoints: Endpoints) -> Source[SplashPage]:
        return endpoints.splash.source
