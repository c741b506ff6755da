"""QR codes; opening one shows its statistics."""

from textual.app import ComposeResult
from textual.widgets import Static

from linkdash.api.fields import read_color
from linkdash.api.model import Body
from linkdash.api.qr import QrCode
from linkdash.model.resources.qr import RESOURCE
from linkdash.model.session import Session
from linkdash.screens.actions import LIST_ACTIONS, Action, Flow, bindings
from linkdash.screens.resource import ResourceScreen
from linkdash.screens.statistics.compare import FEWEST, MOST, CompareScreen
from linkdash.screens.statistics.screen import StatisticsScreen
from linkdash.screens.statistics.top import TopScreen
from linkdash.screens.statistics.watch import WatchScreen
from linkdash.widgets.form import Draft, Preview
from linkdash.widgets.qr_code import Rgb
from linkdash.widgets.qr_image import QrImage

QR_ACTIONS = (
    Action(
        "compare", "c", "Compare", "Compare the selected codes", cost="1 request each", needs=("comparable",)
    ),
    Action(
        "watch",
        "W",
        "Watch",
        "Follow the selected codes, or the one under the cursor",
        cost="1 request each time",
        needs=("row",),
    ),
    Action("top", "t", "Top", "All loaded codes, by scans and by growth"),
    *LIST_ACTIONS,
)


class QrScreen(ResourceScreen[QrCode]):
    """QR codes, and what of their statistics is asked for from here."""

    TITLE = RESOURCE.title
    ACTIONS = QR_ACTIONS
    BINDINGS = bindings(QR_ACTIONS)

    def __init__(self, session: Session) -> None:
        super().__init__(session, RESOURCE)

    def preview(self, model: type[Body]) -> Preview | None:
        return QrPreview() if "data" in model.model_fields else None

    @property
    def selected(self) -> list[QrCode]:
        """The selected codes, in the order of the list."""
        keys = self.collection.selection.keys
        return [code for code in self.collection.records if code.key in keys]

    def missing(self, need: str) -> str | None:
        if need == "comparable":
            count = len(self.collection.selection)
            wanted = f"Select {FEWEST} to {MOST} codes with {self.key_of('mark')} to compare them"
            return None if FEWEST <= count <= MOST else f"{wanted}; {count} are selected."
        return super().missing(need)

    def do_open(self) -> Flow | None:
        if self.row is not None:
            self.app.push_screen(StatisticsScreen(self.session, self.row))
        return None

    def do_compare(self) -> None:
        self.app.push_screen(CompareScreen(self.session, self.selected))

    def do_watch(self) -> None:
        if codes := self.selected or ([self.row] if self.row else []):
            self.app.push_screen(WatchScreen(self.session, codes))

    def do_top(self) -> None:
        collection = self.collection
        self.app.push_screen(TopScreen(self.session, collection.records, collection.listing.total))


class QrPreview(Preview):
    """Shows what a code will hold, in its chosen colors where a scanner can tell them apart."""

    def compose(self) -> ComposeResult:
        yield Static("The code appears here once its data is complete.", id="preview-hint", markup=False)
        yield QrImage(id="preview-code")

    def show(self, draft: Draft) -> None:
        payload = draft.payload("data")
        code = self.query_one(QrImage)
        code.display = payload is not None
        self.query_one("#preview-hint").display = payload is None
        if payload is not None:
            code.show(payload.content(), _color(draft, "foreground"), _color(draft, "background"))


def _color(draft: Draft, name: str) -> Rgb | None:
    try:
        return read_color(draft.text(name))
    except ValueError:
        return None
