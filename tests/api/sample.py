# ruff: noqa: T201
"""A script as people write them on the library: strict type checkers find nothing in it. It is never run."""

import asyncio
import os
from collections.abc import Iterable
from datetime import datetime

from linkdash.api import (
    BudgetState,
    Client,
    Domain,
    Hooks,
    Lane,
    LinkdashError,
    Observed,
    Options,
    OutcomeUnknown,
    Page,
    PixelCreate,
    QrCode,
    QrReading,
    ServiceError,
    User,
)


def told(observed: Observed) -> None:
    print(observed.request, observed.status, f"{observed.seconds:.2f} s")


def longest(codes: Iterable[QrCode]) -> QrCode | None:
    return max(codes, key=lambda code: code.scans or 0, default=None)


async def statistics(client: Client, code: QrCode) -> dict[str, int]:
    reading: QrReading = await client.qr.get(code.id, options=Options(lane=Lane.BACKGROUND, deadline=30.0))
    return reading.statistics.countries if reading.statistics else {}


async def main() -> None:
    key = os.environ["LINKDASH_API_KEY"]
    async with Client("https://links.example.org", key, share=True, hooks=Hooks(answer=told)) as client:
        page: Page[Domain] = await client.domains.list(page=1, limit=50)
        print(page.result, [domain.redirect404 for domain in page])
        best = longest([code async for code in client.qr.iter()])
        if best is not None:
            print(await statistics(client, best))
        async for user in client.users.list(filter="pro"):
            expires: datetime | None = user.expires
            print(user.username, expires, user.raw.get("planid"))
        body = PixelCreate(type="bing", name="Shop", tag="UET-1")
        try:
            made = await client.pixels.create(body)
            await client.pixels.update(made.id, tag="UET-2")
            saved = await client.campaigns.create(name="Spring", public=True)
            await client.campaigns.assign(saved.id, 7)
            await client.plans.subscribe(2, 30, type="yearly", expiration=datetime(2030, 1, 1))
            code = await client.qr.create(type="wifi", data={"ssid": "Guests"}, foreground="#000080")
            print(code.link, code.answer.status if code.answer else None)
        except OutcomeUnknown as error:
            print("check before repeating:", error)
        except ServiceError as error:
            print(error.status, error.what, error.advice)
        except LinkdashError as error:
            print(error)
        user_or_error: User = await client.users.get(30, options=Options(retries=0))
        state: BudgetState = client.budget
        print(user_or_error.email, state.remaining, state.limit, state.reset_in)


if __name__ == "__main__":
    asyncio.run(main())
