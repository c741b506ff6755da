"""What one run of the app works with: the profile, the client, the clock."""

import asyncio
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from linkdash.api.gate import Gate
from linkdash.config import Settings

if TYPE_CHECKING:
    from linkdash.api.client import Client
    from linkdash.widgets.navigation import Place


class Session:
    """One profile at work. Made before the first paint, so it holds nothing that is slow to import."""

    def __init__(
        self, settings: Settings, places: "Sequence[Place]" = (), *, clock: Callable[[], float] = time.time
    ) -> None:
        self.settings = settings
        self.places = places
        self.now = clock
        self.gate = Gate()
        self._client: Client | None = None

    @property
    def host(self) -> str:
        """Where the service is, as a person says it."""
        parts = urlsplit(self.settings.base_url)
        return f"{parts.netloc}{parts.path}"

    @property
    def read_only(self) -> bool:
        """Whether nothing may be changed in this run."""
        return self.settings.read_only

    def local_time(self) -> datetime:
        """Now as the clock on the wall shows it."""
        return datetime.fromtimestamp(self.now())  # noqa: DTZ006  the service names no zone, nor do we

    async def client(self) -> "Client":
        """The client. What it needs is imported off the event loop, after the first paint."""
        if self._client is None:
            make = await asyncio.to_thread(_client_class)
            self._client = self._client or make(
                self.settings.base_url, self.settings.api_key.get_secret_value(), gate=self.gate
            )
        return self._client

    async def close(self) -> None:
        """Closes what was opened."""
        if self._client is not None:
            await self._client.close()


def _client_class() -> "type[Client]":
    from linkdash.api.client import Client

    return Client
