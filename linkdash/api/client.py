"""The client: every endpoint of the service under one roof.

async with Client(base_url, api_key) as client:
    page = await client.domains.list(page=1, limit=50)
    async for code in client.qr.iter(): ...
"""

from types import TracebackType
from typing import Self

from linkdash.api.account import AccountEndpoints
from linkdash.api.budget import BudgetState, Lane
from linkdash.api.campaigns import Campaigns
from linkdash.api.channels import Channels
from linkdash.api.connection import Connection
from linkdash.api.domains import Domains
from linkdash.api.gate import Gate
from linkdash.api.overlays import Overlays
from linkdash.api.pixels import Pixels
from linkdash.api.plans import Plans
from linkdash.api.qr import QrCodes
from linkdash.api.resource import Caller
from linkdash.api.splash import SplashPages
from linkdash.api.users import Users


class Client:
    """All endpoints of the reference, in one budget of requests.

    Methods raise the `ServiceError`s of `linkdash.api.errors`, and `InvalidBody` before anything is sent.
    """

    def __init__(
        self, base_url: str, api_key: str, *, timeout: float = 30.0, gate: Gate | None = None
    ) -> None:
        """`timeout` is in seconds and covers a whole answer. Raises Misconfigured for an address or key
        that cannot be used."""
        self._use(Connection(base_url, api_key, timeout=timeout, gate=gate), None)

    def _use(self, connection: Connection, lane: Lane | None) -> None:
        self.connection = connection
        caller = Caller(connection, lane)
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

    def at(self, lane: Lane) -> "Client":
        """The same client, with all of its requests in `lane`."""
        client = Client.__new__(Client)
        client._use(self.connection, lane)
        return client

    @property
    def budget(self) -> BudgetState:
        """The request budget now: limit, remaining, seconds to reset, what is queued and why."""
        return self.connection.gate.state

    @property
    def gate(self) -> Gate:
        """The gate every request of this client goes through."""
        return self.connection.gate

    async def close(self) -> None:
        """Closes all connections."""
        await self.connection.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
