"""The async client of the service, usable as a library of its own.

    from linkdash.api import Client, Options

    async with Client(base_url, api_key) as client:
        page = await client.domains.list(page=1, limit=50)
        made = await client.pixels.create(type="bing", name="Shop", tag="T-1", options=Options(deadline=10))

Everything here is imported when it is first asked for, so that `import linkdash.api` itself costs nothing.
`python -m pydoc linkdash.api.client` and the same for `linkdash.api.resources.pixels`, `linkdash.api.errors`
… are its reference.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linkdash.api.budget.gate import Gate
    from linkdash.api.budget.lanes import Lane
    from linkdash.api.budget.quote import Quote
    from linkdash.api.budget.scheduler import BudgetState, Waiting
    from linkdash.api.client import Client
    from linkdash.api.endpoints import Created, Done, Listing
    from linkdash.api.errors import (
        AdminRequired,
        AnswerLost,
        Closed,
        InvalidBody,
        KeyRefused,
        LinkdashError,
        Misconfigured,
        NotAnAnswer,
        NotSent,
        OutcomeUnknown,
        RateLimited,
        ReadOnly,
        Rejected,
        ServiceError,
        TimedOut,
        UnreadableAnswer,
        WrongLoop,
    )
    from linkdash.api.http.request import Answer, Hooks, Observed, Options, Request
    from linkdash.api.paging import Page
    from linkdash.api.records import Body, Record, Unreadable, as_sent
    from linkdash.api.resources.account import Account, AccountUpdate
    from linkdash.api.resources.campaigns import Campaign, CampaignCreate, CampaignSaved, CampaignUpdate
    from linkdash.api.resources.channels import (
        Channel,
        ChannelCreate,
        ChannelCreated,
        ChannelItem,
        ChannelUpdate,
        ItemType,
    )
    from linkdash.api.resources.domains import Domain, DomainCreate, DomainUpdate
    from linkdash.api.resources.overlays import Overlay
    from linkdash.api.resources.pixels import Pixel, PixelCreate, PixelType, PixelUpdate
    from linkdash.api.resources.plans import Plan, Subscription, Term
    from linkdash.api.resources.qr import QrCode, QrCreate, QrCreated, QrReading, QrType, QrUpdate, Statistics
    from linkdash.api.resources.splash import SplashPage
    from linkdash.api.resources.users import User, UserClass, UserCreate, UserCreated

__all__ = [
    "Account",
    "AccountUpdate",
    "AdminRequired",
    "Answer",
    "AnswerLost",
    "Body",
    "BudgetState",
    "Campaign",
    "CampaignCreate",
    "CampaignSaved",
    "CampaignUpdate",
    "Channel",
    "ChannelCreate",
    "ChannelCreated",
    "ChannelItem",
    "ChannelUpdate",
    "Client",
    "Closed",
    "Created",
    "Domain",
    "DomainCreate",
    "DomainUpdate",
    "Done",
    "Gate",
    "Hooks",
    "InvalidBody",
    "ItemType",
    "KeyRefused",
    "Lane",
    "LinkdashError",
    "Listing",
    "Misconfigured",
    "NotAnAnswer",
    "NotSent",
    "Observed",
    "Options",
    "OutcomeUnknown",
    "Overlay",
    "Page",
    "Pixel",
    "PixelCreate",
    "PixelType",
    "PixelUpdate",
    "Plan",
    "QrCode",
    "QrCreate",
    "QrCreated",
    "QrReading",
    "QrType",
    "QrUpdate",
    "Quote",
    "RateLimited",
    "ReadOnly",
    "Record",
    "Rejected",
    "Request",
    "ServiceError",
    "SplashPage",
    "Statistics",
    "Subscription",
    "Term",
    "TimedOut",
    "Unreadable",
    "UnreadableAnswer",
    "User",
    "UserClass",
    "UserCreate",
    "UserCreated",
    "Waiting",
    "WrongLoop",
    "as_sent",
]

_MODULES = {
    "budget.gate": "Gate",
    "budget.lanes": "Lane",
    "budget.quote": "Quote",
    "budget.scheduler": "BudgetState Waiting",
    "client": "Client",
    "endpoints": "Created Done Listing",
    "errors": """
        AdminRequired AnswerLost Closed InvalidBody KeyRefused LinkdashError Misconfigured
        NotAnAnswer NotSent OutcomeUnknown RateLimited ReadOnly Rejected ServiceError TimedOut
        UnreadableAnswer WrongLoop
    """,
    "http.request": "Answer Hooks Observed Options Request",
    "paging": "Page",
    "records": "Body Record Unreadable as_sent",
    "resources.account": "Account AccountUpdate",
    "resources.campaigns": "Campaign CampaignCreate CampaignSaved CampaignUpdate",
    "resources.channels": "Channel ChannelCreate ChannelCreated ChannelItem ChannelUpdate ItemType",
    "resources.domains": "Domain DomainCreate DomainUpdate",
    "resources.overlays": "Overlay",
    "resources.pixels": "Pixel PixelCreate PixelType PixelUpdate",
    "resources.plans": "Plan Subscription Term",
    "resources.qr": "QrCode QrCreate QrCreated QrReading QrType QrUpdate Statistics",
    "resources.splash": "SplashPage",
    "resources.users": "User UserClass UserCreate UserCreated",
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}

if not TYPE_CHECKING:  # else a checker would take every name for one that is there

    def __getattr__(name: str) -> object:
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
