"""The client: every endpoint of the service, and the connection they share.

async with Client(base_url, api_key) as client:
    page = await client.domains.list(page=1, limit=50)
    async for code in client.qr.iter(): ...
"""

from types import TracebackType
from typing import Self

from pydantic import SecretStr

from linkdash.api.budget import BudgetState
from linkdash.api.connection import Connection
from linkdash.api.endpoints import Endpoints
from linkdash.api.gate import Gate


class Client(Endpoints):
    """All endpoints of the reference, in one budget of requests."""

    def __init__(
        self, base_url: str, api_key: str | SecretStr, *, timeout: float = 30.0, gate: Gate | None = None
    ) -> None:
        """`timeout` is in seconds and covers a whole answer.

        Raises Misconfigured for an address, a key or a proxy that cannot be used.
        """
        self.connection = Connection(base_url, api_key, timeout=timeout, gate=gate)
        super().__init__(self.connection)

    @property
    def budget(self) -> BudgetState:
        """The request budget now: limit, remaining, seconds to reset, what is queued and why."""
        return self.gate.state

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
