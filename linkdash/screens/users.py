"""Users of the service, of all classes or of one."""

from collections.abc import Mapping, Sequence

from textual import on, work
from textual.message import Message

from linkdash.api.client import Endpoints
from linkdash.api.errors import ServiceError
from linkdash.api.model import Body
from linkdash.api.plans import Subscription
from linkdash.api.resource import Source
from linkdash.api.users import USER_CLASSES, User, UserClass, UserCreate
from linkdash.model.listing import Listing
from linkdash.model.columns import ESTIMATED, column
from linkdash.model.session import Session
from linkdash.screens import places
from linkdash.screens.actions import Action, bindings
from linkdash.screens.list_actions import SUBSCRIBING_ACTIONS
from linkdash.screens.writing.subscribing import USER_GIVEN, USER_GIVING, ExpiryPreview, shown_of
from linkdash.screens.writing.writable import WritableScreen
from linkdash.screens.writing.writes import Deleting, creating
from linkdash.store.journal import WriteIntent
from linkdash.widgets.form import Preview

_SHOWN_IN_TURN: tuple[UserClass | None, ...] = (None, *USER_CLASSES)

USER_ACTIONS = (
    Action(
        "class", "c", "Class", "All users, or only admins, free or pro ones", cost="1 request", shown=True
    ),
    *SUBSCRIBING_ACTIONS,
)


class UsersScreen(WritableScreen[User]):
    """All users in one list, which has no pages."""

    name_of_place = places.USERS.id
    for_admins = True
    TITLE = places.USERS.title
    record_type = User
    singular = "user"
    columns = (
        column(User, "id"),
        column(User, "username", grow=True, essential=True),
        column(User, "email", grow=True, essential=True),
        column(User, "status", width=6),
        column(User, "expires", width=len(f"{ESTIMATED} 2026-12-31")),
        column(User, "planid"),
    )
    ACTIONS = USER_ACTIONS
    BINDINGS = bindings(USER_ACTIONS)
    creating = creating(UserCreate, lambda at, body: at.users.create(body))
    deleting = Deleting(
        lambda at, id: at.users.delete(id),
        lambda user: f"{user.email} can no longer log in, and all that is theirs is gone.",
        typed=True,
    )
    giving = USER_GIVING
    given = USER_GIVEN

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.user_class: UserClass | None = None
        self._listings: dict[UserClass | None, Listing[User]] = {None: self.listing}

    @property
    def place(self) -> str:
        return f"Users · {self.user_class or 'all classes'}"

    @property
    def listings(self) -> Sequence[Listing[User]]:
        return (self.listing, *(other for other in self._listings.values() if other is not self.listing))

    def preview(self, model: type[Body]) -> Preview | None:
        return ExpiryPreview(self.session.local_time) if issubclass(model, Subscription) else None

    def shown_of(self, task: WriteIntent) -> Mapping[str, object]:
        if task.action == "subscribe":
            return shown_of(task, self.session.local_time())
        expires = task.params.get("expiration")
        return {**task.params, "expires": expires} if expires else task.params

    def whole(self, endpoints: Endpoints) -> Source[User]:
        return endpoints.users.of_class()

    def source(self, endpoints: Endpoints) -> Source[User]:
        return endpoints.users.of_class(self.user_class)

    class Came(Message):
        """One user was asked for and came."""

        def __init__(self, user: User) -> None:
            super().__init__()
            self.user = user

    def do_open(self) -> None:
        """Asks for this one user, and shows what came in full."""
        if self.row is not None:
            self._ask_for(self.row.id)

    @work(group="open", exclusive=True, exit_on_error=False)
    async def _ask_for(self, id: int) -> None:
        try:
            user = await self.session.endpoints.users.get(id)
        except ServiceError as error:
            self.tell(error)
            return
        if isinstance(user, User):
            self.post_message(self.Came(user))

    @on(Came)
    def _show_user(self, message: Came) -> None:
        self.listing.put(message.user)
        self.paint()
        super().do_open()

    def do_class(self) -> None:
        """Shows the next class; one that was asked for before costs nothing."""
        following = _SHOWN_IN_TURN.index(self.user_class) + 1
        self.user_class = _SHOWN_IN_TURN[following % len(_SHOWN_IN_TURN)]
        self.show_listing(self._listings.setdefault(self.user_class, Listing()))
