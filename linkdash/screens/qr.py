"""QR codes; enter shows the statistics of one."""

from linkdash.api.endpoints import Endpoints
from linkdash.api.qr import QrCode, QrCreate, QrUpdate
from linkdash.api.resource import Source
from linkdash.screens.qr_preview import QrPreview
from linkdash.screens.writable import WritableScreen
from linkdash.screens.writes import Deleting, creating, updating
from linkdash.widgets.columns import column
from linkdash.widgets.form import Preview


class QrScreen(WritableScreen[QrCode]):
    """QR codes; enter shows the statistics of one."""

    name_of_place = "qr"
    TITLE = "QR codes"
    record_type = QrCode
    singular = "QR code"
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

    def preview(self) -> Preview:
        return QrPreview()

    def source(self, endpoints: Endpoints) -> Source[QrCode]:
        return endpoints.qr.paged
