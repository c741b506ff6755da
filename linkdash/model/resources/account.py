"""The account behind the key: a list of one record."""

from linkdash.api.resources.account import Account, AccountUpdate
from linkdash.model.declaration import Resource
from linkdash.model.lists.columns import column

RESOURCE = Resource(
    "account",
    singular="account",
    record=Account,
    columns=(
        column(Account, "username", grow=True, essential=True),
        column(Account, "email", grow=True, essential=True),
        column(Account, "status"),
        column(Account, "expires"),
        column(Account, "registered"),
    ),
    update=AccountUpdate,
    is_single=True,
)
