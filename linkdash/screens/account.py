"""The account behind the key: one record, so its details are the screen."""

from dataclasses import replace

from linkdash.api.users import Account
from linkdash.model.resources.account import RESOURCE
from linkdash.model.session import Session
from linkdash.screens.actions import FIND_ACTIONS, PAGE_ACTIONS, RECORD_ACTIONS, WRITE_ACTIONS, bindings
from linkdash.screens.resource import ResourceScreen

_ONE_RECORD = (  # there is nothing to find
    replace(action, shown=action.id == "refresh") for action in (*FIND_ACTIONS, *PAGE_ACTIONS)
)
ACCOUNT_ACTIONS = (*WRITE_ACTIONS, *_ONE_RECORD, *RECORD_ACTIONS)


class AccountScreen(ResourceScreen[Account]):
    """The account that the key belongs to."""

    TITLE = RESOURCE.title
    ACTIONS = ACCOUNT_ACTIONS
    BINDINGS = bindings(ACCOUNT_ACTIONS)

    def __init__(self, session: Session) -> None:
        super().__init__(session, RESOURCE)
