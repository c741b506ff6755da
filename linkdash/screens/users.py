"""Users of the service, of all classes or of one."""

from typing import TYPE_CHECKING

from linkdash.api.resource import Source
from linkdash.api.users import User
from linkdash.screens.resource import ResourceScreen
from linkdash.widgets.columns import column

if TYPE_CHECKING:
    from linkdash.api.client import Client


class UsersScreen(ResourceScreen[User]):
    """Users of the service, of all classes or of one."""

    name_of_place = "users"
    TITLE = "Users"
    record = User
    singular = "user"
    columns = (
        column(User, "id"),
        column(User, "username", grow=True, essential=True),
        column(User, "email", grow=True),
        column(User, "status"),
        column(User, "expires"),
        column(User, "planid"),
    )

    def source(self, client: "Client") -> Source[User]:
        return client.users.of_class(None)
