"""Custom splash pages."""

from linkdash.api.resources.splash import SplashPage
from linkdash.model.declaration import Resource
from linkdash.model.lists.columns import column

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
