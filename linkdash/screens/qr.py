"""QR codes; enter shows the statistics of one."""

from linkdash.api.endpoints import Endpoints
from linkdash.api.qr import QrCode
from linkdash.api.resource import Source
from linkdash.screens.resource import ResourceScreen
from linkdash.widgets.columns import column


class QrScreen(ResourceScreen[QrCode]):
    """QR codes; enter shows the statistics of one."""

    name_of_place = "qr"
    TITLE = "QR codes"
    record = QrCode
    singular = "QR code"
    columns = (
        column(QrCode, "id"),
        column(QrCode, "name", grow=True, essential=True),
        column(QrCode, "scans", essential=True),
        column(QrCode, "link", grow=True),
        column(QrCode, "date"),
    )

    def source(self, endpoints: Endpoints) -> Source[QrCode]:
        return endpoints.qr.paged
