"""QR codes; enter shows the statistics of one."""

from typing import TYPE_CHECKING

from linkdash.api.qr import QrCode
from linkdash.api.resource import Source
from linkdash.screens.resource import ResourceScreen
from linkdash.widgets.columns import column

if TYPE_CHECKING:
    from linkdash.api.client import Client


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

    def source(self, client: "Client") -> Source[QrCode]:
        return client.qr.paged
