"""Plans with their prices, allowances and features."""

from typing import TYPE_CHECKING

from linkdash.api.plans import Plan
from linkdash.api.resource import Source
from linkdash.screens.resource import ResourceScreen
from linkdash.widgets.columns import column

if TYPE_CHECKING:
    from linkdash.api.client import Client


class PlansScreen(ResourceScreen[Plan]):
    """Plans with their prices, allowances and features."""

    name_of_place = "plans"
    TITLE = "Plans"
    record = Plan
    singular = "plan"
    columns = (
        column(Plan, "id"),
        column(Plan, "name", grow=True, essential=True),
        column(Plan, "free"),
    )

    def source(self, client: "Client") -> Source[Plan]:
        return client.plans.all
