"""The client: every endpoint of the reference, one connection, one budget of requests.

async with Client(base_url, api_key) as client:
    page = await client.domains.list(page=1, limit=50)
    async for code in client.qr.iter(): ...
"""

from datetime import tzinfo
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Self

from pydantic import SecretStr

from linkdash.api.budget.gate import Gate
from linkdash.api.budget.scheduler import BudgetState
from linkdash.api.budget.shared_budget_file import FileSharedBudget
from linkdash.api.endpoints import Caller
from linkdash.api.errors import Misconfigured
from linkdash.api.http.address import base_address, checked_key, state_folder
from linkdash.api.http.connection import Connection
from linkdash.api.http.request import Hooks, Send
from linkdash.api.http.retries import RETRIES

if TYPE_CHECKING:  # the models of a resource are made when it is first asked for
    from linkdash.api.resources.account import AccountEndpoints
    from linkdash.api.resources.campaigns import Campaigns
    from linkdash.api.resources.channels import Channels
    from linkdash.api.resources.domains import Domains
    from linkdash.api.resources.overlays import Overlays
    from linkdash.api.resources.pixels import Pixels
    from linkdash.api.resources.plans import Plans
    from linkdash.api.resources.qr import QrCodes
    from linkdash.api.resources.splash import SplashPages
    from linkdash.api.resources.users import Users


class Endpoints:
    """The namespaces of the client, over anything that sends requests."""

    def __init__(self, send: Send, *, timezone: tzinfo | None = None, safe_text: bool = False) -> None:
        self._caller = Caller(send, timezone, safe_text)

    def over(self, send: Send) -> "Endpoints":
        """The same namespaces, their requests sent by another function."""
        return Endpoints(send, timezone=self._caller.timezone, safe_text=self._caller.safe_text)

    @cached_property
    def account(self) -> "AccountEndpoints":
        from linkdash.api.resources.account import AccountEndpoints

        return AccountEndpoints(self._caller)

    @cached_property
    def domains(self) -> "Domains":
        from linkdash.api.resources.domains import Domains

        return Domains(self._caller)

    @cached_property
    def overlays(self) -> "Overlays":
        from linkdash.api.resources.overlays import Overlays

        return Overlays(self._caller)

    @cached_property
    def splash(self) -> "SplashPages":
        from linkdash.api.resources.splash import SplashPages

        return SplashPages(self._caller)

    @cached_property
    def campaigns(self) -> "Campaigns":
        from linkdash.api.resources.campaigns import Campaigns

        return Campaigns(self._caller)

    @cached_property
    def channels(self) -> "Channels":
        from linkdash.api.resources.channels import Channels

        return Channels(self._caller)

    @cached_property
    def pixels(self) -> "Pixels":
        from linkdash.api.resources.pixels import Pixels

        return Pixels(self._caller)

    @cached_property
    def qr(self) -> "QrCodes":
        from linkdash.api.resources.qr import QrCodes

        return QrCodes(self._caller)

    @cached_property
    def plans(self) -> "Plans":
        from linkdash.api.resources.plans import Plans

        return Plans(self._caller)

    @cached_property
    def users(self) -> "Users":
        from linkdash.api.resources.users import Users

        return Users(self._caller)


class Client(Endpoints):
    """All 34 endpoints of the reference, in one budget of requests and one event loop.

    Methods raise InvalidBody and ReadOnly before anything is sent, and the `ServiceError`s of
    `linkdash.api.errors`; nothing else leaves from here. A write is sent once and never again by itself.
    """

    def __init__(  # noqa: PLR0913  options, each with a name
        self,
        base_url: str,
        api_key: str | SecretStr,
        *,
        timeout: float = 30.0,
        retries: int = RETRIES,
        read_only: bool = False,
        share: bool = False,
        timezone: tzinfo | None = None,
        safe_text: bool = False,
        hooks: Hooks | None = None,
        gate: Gate | None = None,
    ) -> None:
        """A client of the service at `base_url`. Nothing is opened before the first request.

        - `timeout`: seconds for one attempt, from leaving to the last byte of its answer.
        - `retries`: how often a read is asked again after a reset, 429, 502, 503 or 504; 0 for never.
        - `read_only`: a write raises ReadOnly before it reaches the budget.
        - `share`: share the budget with every program on this machine that has the same key and address.
        - `timezone`: the service's own, if it is known: date-times with a zone are converted to it, and
          refused without it (reference: conventions).
        - `safe_text`: texts in fields of records are safe to show on a terminal: what acts, hides or ends a
          line is a visible mark. `raw` beside them is the row as it was sent, `as_sent` of
          `linkdash.api.records` the record. Without it each field has what the service sent.
        - `hooks`: callables that are told of every request and answer.
        - `gate`: the budget's, where several clients have one; it is then closed by whoever made it.

        Raises Misconfigured for an address or a key that cannot be used.
        """
        self._owns_gate = gate is None
        self.connection = Connection(
            base_url,
            api_key,
            timeout=timeout,
            retries=retries,
            read_only=read_only,
            gate=gate or _gate(base_url, api_key, share=share),
            hooks=hooks,
        )
        super().__init__(self.connection.send, timezone=timezone, safe_text=safe_text)

    @property
    def read_only(self) -> bool:
        """Return whether this client may only read."""
        return self.connection.read_only

    @property
    def budget(self) -> BudgetState:
        """The request budget now: limit, remaining, seconds to reset, what is queued and why."""
        return self.gate.state

    @property
    def gate(self) -> Gate:
        """The gate every request of this client goes through."""
        return self.connection.gate

    async def close(self) -> None:
        """End every call that waits or is under way, each with a typed error, and close all connections.

        Reads and what has not left raise Closed; a write that has left raises OutcomeUnknown.
        """
        await self.connection.close()
        if self._owns_gate:
            self.gate.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def _gate(base_url: str, api_key: str | SecretStr, *, share: bool) -> Gate:
    if not share:
        return Gate()
    key = api_key.get_secret_value() if isinstance(api_key, SecretStr) else api_key
    try:
        folder = state_folder()
    except RuntimeError:
        raise Misconfigured("This user has no home folder.", "Set HOME to a folder.") from None
    return Gate(shared=FileSharedBudget(folder, base_address(base_url), checked_key(key)))
