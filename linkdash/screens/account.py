"""The account behind the key."""

from dataclasses import replace

from linkdash.api.account import Account, AccountUpdate
from linkdash.api.client import Endpoints
from linkdash.api.resource import Source
from linkdash.screens import places
from linkdash.screens.actions import bindings
from linkdash.screens.list_actions import FIND_ACTIONS, PAGE_ACTIONS, RECORD_ACTIONS, WRITE_ACTIONS
from linkdash.screens.writing.writable import WritableScreen
from linkdash.screens.writing.writes import updating
from linkdash.widgets.columns import column

_ONE_RECORD = (  # there is nothing to find
    replace(action, shown=action.id == "refresh") for action in (*FIND_ACTIONS, *PAGE_ACTIONS)
)
ACCOUNT_ACTIONS = (*WRITE_ACTIONS, *_ONE_RECORD, *RECORD_ACTIONS)


class AccountScreen(WritableScreen[Account]):
    """One record, so its details are the screen."""

    name_of_place = places.ACCOUNT.id
    TITLE = places.ACCOUNT.title
    record_type = Account
    singular = "account"
    columns = (
        column(Account, "username", grow=True, essential=True),
        column(Account, "email", grow=True, essential=True),
        column(Account, "status"),
        column(Account, "expires"),
        column(Account, "registered"),
    )
    ACTIONS = ACCOUNT_ACTIONS
    BINDINGS = bindings(ACCOUNT_ACTIONS)
    updating = updating(AccountUpdate, lambda at, _id, body: at.account.update(body))

    def source(self, endpoints: Endpoints) -> Source[Account]:
        return endpoints.account.source
