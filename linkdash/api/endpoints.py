"""Every endpoint of the reference under one roof, over anything that sends requests."""

from linkdash.api.account import AccountEndpoints
from linkdash.api.budget import Lane
from linkdash.api.campaigns import Campaigns
from linkdash.api.channels import Channels
from linkdash.api.domains import Domains
from linkdash.api.overlays import Overlays
from linkdash.api.pixels import Pixels
from linkdash.api.plans import Plans
from linkdash.api.qr import QrCodes
from linkdash.api.request import Sender
from linkdash.api.resource import Caller
from linkdash.api.splash import SplashPages
from linkdash.api.users import Users


class Endpoints:
    """The namespaces of the client, with their requests in one lane.

    Methods raise the `ServiceError`s of `linkdash.api.errors`, and `InvalidBody` before anything is sent.
    """

    def __init__(self, sender: Sender, lane: Lane | None = None) -> None:
        """`lane` is None for a person's: reads and writes then have lanes of their own."""
        self._sender = sender
        caller = Caller(sender, lane)
        self.account = AccountEndpoints(caller)
        self.domains = Domains(caller)
        self.overlays = Overlays(caller)
        self.splash = SplashPages(caller)
        self.campaigns = Campaigns(caller)
        self.channels = Channels(caller)
        self.pixels = Pixels(caller)
        self.qr = QrCodes(caller)
        self.plans = Plans(caller)
        self.users = Users(caller)

    def at(self, lane: Lane) -> "Endpoints":
        """The same endpoints, with all of their requests in `lane`."""
        return Endpoints(self._sender, lane)
