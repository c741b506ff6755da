"""Plans and subscriptions, for keys with admin privileges (reference: plans)."""

import re
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Literal, overload

from pydantic import BeforeValidator, Field, model_validator

from linkdash.api.endpoints import Caller, Done, Listing, WholeList, path_of
from linkdash.api.fields import Count, Flag, Kind, Labels, Text, When
from linkdash.api.http.request import NO_OPTIONS, Options, Request
from linkdash.api.records import Body, NestedModel, Record

Term = Literal["monthly", "yearly", "lifetime"]
TERMS = Labels({"monthly": "Monthly", "yearly": "Yearly", "lifetime": "Lifetime"})

FEATURES = {
    "team": "several users",
    "splash": "splash pages",
    "overlay": "overlays",
    "pixels": "tracking pixels",
    "domain": "own domains",
    "custom": "custom features",
    "multiple": "multiple domains",
    "alias": "custom alias",
    "device": "device targeting",
    "geo": "geo targeting",
    "bundle": "campaigns",
    "parameters": "link parameters",
    "export": "data export",
    "api": "API access",
}
"""The features of the reference, each in words; the first five carry a count. A service may send more."""


def feature_words(name: str) -> str:
    """The name of a feature; one that the reference does not have by its own name."""
    return FEATURES.get(name) or name.replace("_", " ").replace("-", " ")


_PRICE = re.compile(r"(\d{1,3}(,\d{3})+|\d{1,12})(\.\d{1,12})?", re.ASCII)


def read_price(value: object) -> Decimal | None:
    """A price with two places out of 9.9, "9.90" or "1,234.50"; None for null and the empty text."""
    if value is None or value == "":
        return None
    text = str(value).strip()
    if isinstance(value, bool) or not _PRICE.fullmatch(text):
        raise ValueError("not a price")
    return round(Decimal(text.replace(",", "")), 2)


def _empty_is_none(value: object) -> object:
    return None if value in ("", [], {}) or value is False else value


EmptyIsNone = BeforeValidator(_empty_is_none)
Price = Annotated[Decimal | None, BeforeValidator(read_price)]


class Prices(NestedModel):
    """The prices of a plan by term; None for a term that is not offered."""

    monthly: Price = Field(default=None, title="Monthly")
    yearly: Price = Field(default=None, title="Yearly")
    lifetime: Price = Field(default=None, title="Lifetime")


class Feature(NestedModel):
    """A feature of a plan: included or not, and how many of it."""

    enabled: Flag = None
    count: Count = None


class Limits(NestedModel):
    """A plan's allowances. The unit of `retention` is not documented."""

    links: Count = Field(default=None, title="Links")
    clicks: Count = Field(default=None, title="Clicks")
    retention: Count = Field(default=None, title="Retention")
    features: dict[str, Feature] = Field(default={}, title="Features")

    @model_validator(mode="before")
    @classmethod
    def _gather_features(cls, data: object) -> object:
        """The service puts features beside the numbers; here they stand together."""
        if not isinstance(data, Mapping) or "features" in data:
            return data
        features = {
            str(name): value if isinstance(value, Mapping) else {"enabled": value}
            for name, value in data.items()
            if isinstance(value, Mapping) or name in FEATURES
        }
        return {**{name: data[name] for name in data if name not in features}, "features": features}


class Plan(Record):
    """A plan users can be subscribed to."""

    name: Text = Field(default="", title="Name")
    free: Flag = Field(default=None, title="Free")
    prices: Annotated[Prices | None, EmptyIsNone, Kind.NESTED] = Field(default=None, title="Prices")
    limits: Annotated[Limits | None, EmptyIsNone, Kind.NESTED] = Field(default=None, title="Limits")

    @property
    def monthly(self) -> Decimal | None:
        """The price of a month."""
        return self.prices.monthly if self.prices else None

    @property
    def yearly(self) -> Decimal | None:
        """The price of a year."""
        return self.prices.yearly if self.prices else None

    @property
    def lifetime(self) -> Decimal | None:
        """The price for good."""
        return self.prices.lifetime if self.prices else None

    @property
    def links(self) -> int | None:
        """Links allowed."""
        return self.limits.links if self.limits else None

    @property
    def clicks(self) -> int | None:
        """Clicks allowed."""
        return self.limits.clicks if self.limits else None


class Subscription(Body):
    """A user's subscription to a plan."""

    type: Annotated[Term, TERMS] = Field(title="Term")
    expiration: When | None = Field(
        None, title="Expires", description="Empty: the service sets it from the term"
    )


class Plans:
    """`client.plans`, for keys of admins (reference: plans)."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.source = WholeList(caller, Plan, Request("GET", "/api/plans", admin=True))
        """The list itself: this list has no pages."""

    def list(self, *, options: Options = NO_OPTIONS) -> Listing[Plan]:
        """All plans, in one answer if awaited, one by one if iterated (reference: plans).

        Raises AdminRequired, ServiceError.
        """
        return Listing(self.source, options=options)

    @overload
    async def subscribe(
        self, plan_id: int, user_id: int, body: Subscription, /, *, options: Options = NO_OPTIONS
    ) -> Done: ...
    @overload
    async def subscribe(
        self,
        plan_id: int,
        user_id: int,
        /,
        *,
        type: Term,
        expiration: datetime | str = ...,
        options: Options = NO_OPTIONS,
    ) -> Done: ...
    async def subscribe(
        self,
        plan_id: int,
        user_id: int,
        body: Subscription | None = None,
        /,
        *,
        options: Options = NO_OPTIONS,
        **members: object,
    ) -> Done:
        """Subscribe a user to a plan for a term: `type`, optionally `expiration` (reference: plans).

        Without `expiration`, in the service's own time, the term sets it.
        Raises InvalidBody, ReadOnly, AdminRequired, ServiceError.
        """
        path = path_of("/api/plan/{plan_id}/user/{user_id}", plan_id=plan_id, user_id=user_id)
        given = self._caller.body(Subscription, body, members)
        return await self._caller.acknowledged("PUT", path, options, given, admin=True)
