"""Custom splash pages."""

from linkdash.api.overlays import SplashPage
from linkdash.model.columns import column
from linkdash.model.resource import Resource

RESOURCE = Resource(
    "splash",
    singular="splash page",
    record=SplashPage,
    columns=(
        column(SplashPage, "name", width=24, grow=True, essential=True),
        column(SplashPage, "date"),
        column(SplashPage, "id"),
    ),
)
