"""The account behind the key."""

from linkdash.api.account import Account
from linkdash.api.endpoints import Endpoints
from linkdash.api.resource import Source
from linkdash.screens.resource import ResourceScreen
from linkdash.widgets.columns import column


class AccountScreen(ResourceScreen[Account]):
    """One record, so its details are the screen."""

    name_of_place = "account"
    TITLE = "Account"
    record = Account
    singular = "account"
    columns = (
        column(Account, "username", grow=True, essential=True),
        column(Account, "email", grow=True, essential=True),
        column(Account, "status"),
        column(Account, "expires"),
        column(Account, "registered"),
    )

    def source(self, endpoints: Endpoints) -> Source[Account]:
        return endpoints.account.own
