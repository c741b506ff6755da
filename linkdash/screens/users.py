"""Users of the service, of all classes or of one."""

from linkdash.api.model import Body
from linkdash.api.plans import Subscription
from linkdash.api.users import USER_CLASSES, User, UserClass
from linkdash.model.resources.users import RESOURCE
from linkdash.model.session import Session
from linkdash.screens.actions import SUBSCRIBING_ACTIONS, Action, Flow, bindings
from linkdash.screens.plan_matrix import PlanMatrixScreen
from linkdash.screens.plans import ExpiryPreview
from linkdash.screens.resource import ResourceScreen
from linkdash.screens.review import ReviewScreen
from linkdash.widgets.form import Preview

_SHOWN_IN_TURN: tuple[UserClass | None, ...] = (None, *USER_CLASSES)

REVIEW = Action("review", "V", "Review", "Review users: who expires, who is on which plan", shown=True)
USER_ACTIONS = (
    Action(
        "class", "c", "Class", "All users, or only admins, free or pro ones", cost="1 request", shown=True
    ),
    REVIEW,
    Action("plan", "m", "Plans", "All plans side by side, with what is known of the user", needs=("row",)),
    *SUBSCRIBING_ACTIONS,
)


class UsersScreen(ResourceScreen[User]):
    """All users in one list, which has no pages."""

    TITLE = RESOURCE.title
    ACTIONS = USER_ACTIONS
    BINDINGS = bindings(USER_ACTIONS)

    def __init__(self, session: Session) -> None:
        super().__init__(session, RESOURCE)

    @property
    def user_class(self) -> UserClass | None:
        """The class that is shown; None for all of them."""
        return next((known for known in USER_CLASSES if (known,) == self.collection.part), None)

    @property
    def place(self) -> str:
        return f"{RESOURCE.title} · {self.user_class or 'all classes'}"

    def preview(self, model: type[Body]) -> Preview | None:
        return ExpiryPreview(self.session.local_time) if issubclass(model, Subscription) else None

    def do_open(self) -> Flow | None:
        return self._read_one(self.row.id) if self.row is not None else None

    async def _read_one(self, id: int) -> None:
        """Asks for this one user, and shows what came in full. Raises ServiceError."""
        self.collection.put(await self.session.client.users.get(id))
        super().do_open()

    def do_class(self) -> None:
        """Shows the next class; one that was asked for before costs nothing."""
        following = _SHOWN_IN_TURN.index(self.user_class) + 1
        shown = _SHOWN_IN_TURN[following % len(_SHOWN_IN_TURN)]
        self.show_part(*([shown] if shown else []))

    def do_plan(self) -> None:
        self.app.push_screen(PlanMatrixScreen(self.session, self.row))

    def do_review(self) -> None:
        self.app.push_screen(ReviewScreen(self.session))
