"""The async client of the service, usable as a library of its own.

    from linkdash.api import Client, Options

    async with Client(base_url, api_key) as client:
        page = await client.domains.list(page=1, limit=50)
        made = await client.pixels.create(type="bing", name="Shop", tag="T-1", options=Options(deadline=10))

Everything here is imported when it is first asked for, so that `import linkdash.api` itself costs nothing.
`python -m pydoc linkdash.api.client` and the same for `linkdash.api.overlays`, `linkdash.api.errors` … are
its reference.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linkdash.api.budget import BudgetState, Lane, Quote, Waiting
    from linkdash.api.campaigns import Campaign, CampaignCreate, CampaignSaved, CampaignUpdate
    from linkdash.api.channels import (
        Channel,
        ChannelCreate,
        ChannelCreated,
        ChannelItem,
        ChannelUpdate,
        ItemType,
    )
    from linkdash.api.client import Client
    from linkdash.api.domains import Domain, DomainCreate, DomainUpdate
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
    from linkdash.api.exchange import Answer, Hooks, Observed, Options, Request
    from linkdash.api.gate import Gate
    from linkdash.api.model import Body, Record, Unreadable
    from linkdash.api.overlays import Overlay, Pixel, PixelCreate, PixelType, PixelUpdate, SplashPage
    from linkdash.api.pages import Page
    from linkdash.api.plans import Plan, Subscription, Term
    from linkdash.api.qr import QrCode, QrCreate, QrCreated, QrReading, QrType, QrUpdate, Statistics
    from linkdash.api.resource import Created, Done, Listing
    from linkdash.api.users import Account, AccountUpdate, User, UserClass, UserCreate, UserCreated

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
]

_MODULES = {
    "budget": "BudgetState Lane Quote Waiting",
    "campaigns": "Campaign CampaignCreate CampaignSaved CampaignUpdate",
    "channels": "Channel ChannelCreate ChannelCreated ChannelItem ChannelUpdate ItemType",
    "client": "Client",
    "domains": "Domain DomainCreate DomainUpdate",
    "errors": """
        AdminRequired AnswerLost Closed InvalidBody KeyRefused LinkdashError Misconfigured
        NotAnAnswer NotSent OutcomeUnknown RateLimited ReadOnly Rejected ServiceError TimedOut
        UnreadableAnswer WrongLoop
    """,
    "exchange": "Answer Hooks Observed Options Request",
    "gate": "Gate",
    "model": "Body Record Unreadable",
    "overlays": "Overlay Pixel PixelCreate PixelType PixelUpdate SplashPage",
    "pages": "Page",
    "plans": "Plan Subscription Term",
    "qr": "QrCode QrCreate QrCreated QrReading QrType QrUpdate Statistics",
    "resource": "Created Done Listing",
    "users": "Account AccountUpdate User UserClass UserCreate UserCreated",
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}

if not TYPE_CHECKING:  # else a checker would take every name for one that is there

    def __getattr__(name: str) -> object:
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
