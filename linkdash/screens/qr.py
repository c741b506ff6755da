"""QR codes; enter shows the statistics of one."""

from linkdash.api.client import Endpoints
from linkdash.api.model import Body, Unreadable
from linkdash.api.qr import QrCode, QrCreate, QrUpdate
from linkdash.api.resource import Source
from linkdash.model.columns import column
from linkdash.screens import places
from linkdash.screens.actions import Action, bindings
from linkdash.screens.list_actions import LIST_ACTIONS
from linkdash.screens.qr_preview import QrPreview
from linkdash.screens.statistics.compare import FEWEST, MOST, CompareScreen
from linkdash.screens.statistics.screen import StatisticsScreen
from linkdash.screens.statistics.top import TopScreen
from linkdash.screens.statistics.watch import WatchScreen
from linkdash.screens.writing.assigning import QR_GIVEN, QR_GIVING
from linkdash.screens.writing.writable import WritableScreen
from linkdash.screens.writing.writes import Deleting, creating, updating
from linkdash.widgets.form import Preview

QR_ACTIONS = (
    Action(
        "compare", "c", "Compare", "Compare the marked codes", cost="1 request each", needs=("comparable",)
    ),
    Action(
        "watch",
        "W",
        "Watch",
        "Follow the marked codes, or the one under the cursor",
        cost="1 request each time",
        needs=("row",),
    ),
    Action("top", "t", "Top", "All codes that are loaded, by scans and by growth"),
    *LIST_ACTIONS,
)


class QrScreen(WritableScreen[QrCode]):
    """QR codes; enter shows the statistics of one."""

    name_of_place = places.QR.id
    TITLE = places.QR.title
    record_type = QrCode
    singular = "QR code"
    ACTIONS = QR_ACTIONS
    BINDINGS = bindings(QR_ACTIONS)
    columns = (
        column(QrCode, "id"),
        column(QrCode, "name", width=17, grow=True, essential=True),
        column(QrCode, "scans", essential=True),
        column(QrCode, "link", width=24),
        column(QrCode, "date"),
    )
    creating = creating(QrCreate, lambda at, body: at.qr.create(body))
    updating = updating(QrUpdate, lambda at, id, body: at.qr.update(id, body))
    deleting = Deleting(
        lambda at, id: at.qr.delete(id),
        lambda code: f"Whatever it is printed on leads nowhere. Scans so far: {code.scans or 0:,}.",
    )

    giving = QR_GIVING
    given = QR_GIVEN

    def preview(self, model: type[Body]) -> Preview | None:
        return QrPreview() if "data" in model.model_fields else None

    def source(self, endpoints: Endpoints) -> Source[QrCode]:
        return endpoints.qr.source

    # ---- statistics ----

    @property
    def loaded(self) -> list[QrCode]:
        """The codes that are loaded."""
        return [row for row in self.listing.loaded_rows() if not isinstance(row, Unreadable)]

    @property
    def marked(self) -> list[QrCode]:
        """The marked codes."""
        return [code for code in self.loaded if code.key in self.table.marks]

    def missing_comparable(self) -> str | None:
        """Why there is nothing to compare."""
        count = len(self.marked)
        if FEWEST <= count <= MOST:
            return None
        return f"Mark {FEWEST} to {MOST} codes with space to compare them; {count} are marked."

    def do_open(self) -> None:
        if self.row is not None:
            self.app.push_screen(StatisticsScreen(self.session, self.row))

    def do_compare(self) -> None:
        self.app.push_screen(CompareScreen(self.session, self.marked))

    def do_watch(self) -> None:
        codes = self.marked or ([self.row] if self.row else [])
        if codes:
            self.app.push_screen(WatchScreen(self.session, codes))

    def do_top(self) -> None:
        self.app.push_screen(TopScreen(self.session, self.loaded, self.listing.total))
