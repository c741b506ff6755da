"""The typed answers of the tools, whose schemas clients are told of."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

from linkdash.api.inert_text import encodable
from linkdash.commands.mcp.fencing import ABOUT_TEXTS

Outcomes = Literal["done", "rejected", "not sent", "unknown"]


def _sendable(value: object) -> object:
    """A value whose texts can be sent."""
    match value:
        case str():
            return encodable(value)
        case dict():
            return {_sendable(name): _sendable(inner) for name, inner in value.items()}
        case list():
            return [_sendable(inner) for inner in value]
    return value


class AnswerPart(BaseModel):
    """A part of an answer. What is not declared is a fault."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _made_sendable(cls, data: object) -> object:
        return _sendable(data)


class ToolAnswer(AnswerPart):
    """The members of every answer."""

    about_texts: str = Field(default=ABOUT_TEXTS, description="What texts of records are, and are not")
    requests_left: int | None = Field(
        default=None, description="Requests of the service left in this window; null while it is not known"
    )


# ---- records ----


class FoundRecords(ToolAnswer):
    """Records of a list."""

    records: list[dict[str, JsonValue]]
    not_known: int = Field(
        default=0, description="Records left out because what the filter asks for is not known of them"
    )
    next_cursor: str | None = Field(description="Give it as cursor for what follows; null at the end")
    total: int | None = Field(description="Records of the whole list, without a filter")


class FoundRecord(ToolAnswer):
    """A record."""

    record: dict[str, JsonValue]
    statistics: dict[str, JsonValue] | None = Field(default=None, description="Of a QR code, as sent")


# ---- statistics ----


class TotalChange(AnswerPart):
    """A total of a code, and its change."""

    in_all: int | None
    added: int | None = Field(description="In the last days; null where too little was read")
    before: int | None = Field(description="In as many days before")
    percent: int | None
    certainty: Literal["read", "estimate", "partial", "unknown"]


class LabelCount(AnswerPart):
    """A label of a breakdown, such as a country."""

    label: str
    count: int
    added: int | None
    before: int | None


class CodeSummary(AnswerPart):
    """A QR code over a period."""

    id: int
    name: str
    link: str
    read_at: str | None
    answer: str = Field(description="Whether it fell or rose, since when, and where, in a sentence")
    totals: dict[str, TotalChange]
    top: dict[str, list[LabelCount]] = Field(description="The largest labels of each breakdown")


class NotRead(AnswerPart):
    """A code that could not be read."""

    id: int
    message: str


class CodeSummaries(ToolAnswer):
    """Some QR codes over a period."""

    start: str
    end: str
    codes: list[CodeSummary]
    not_read: list[NotRead] = []
    total: int = Field(description="Codes there are to report on")
    next_offset: int | None = Field(default=None, description="Give it as offset for what follows")


# ---- users ----


class UserSummary(AnswerPart):
    """A user in a finding."""

    id: int
    username: str
    expires: str | None


class UserFinding(AnswerPart):
    """Users that have something in common."""

    finding: str
    count: int
    users: list[UserSummary] = Field(description="The first of them")


class UserFindings(ToolAnswer):
    """The findings of a review of all users."""

    findings: list[UserFinding]


# ---- what is known here ----


class JournalChange(AnswerPart):
    """A change that was made with linkdash."""

    id: int | None = Field(description="None as long as it waits to be handed in to the team's store")
    when: str
    outcome: str
    what: str
    person: str
    machine: str
    message: str
    resource: str
    record_ids: list[int]


class JournalChanges(ToolAnswer):
    """Changes, the newest first."""

    changes: list[JournalChange]
    waiting: list[JournalChange] = Field(description="Those that are not in the team's store yet")
    away: str | None = Field(description="Why the changes in the team's store cannot be read")


class StandingAlert(AnswerPart):
    """An alert that is raised."""

    rule: str
    subject: str
    message: str
    since: str


class StandingAlerts(ToolAnswer):
    """The alerts that are raised now."""

    alerts: list[StandingAlert]


class BudgetNow(ToolAnswer):
    """The request budget."""

    limit: int | None
    window_seconds: float | None
    reset_in_seconds: float | None
    queued: int
    reason: str | None = Field(description="Why the next in the queue waits")


# ---- changes ----


class Settled(ToolAnswer):
    """The outcome of a change whose answer was lost."""

    happened: bool | None = Field(description="null if that cannot be determined")
    message: str


class SentChange(AnswerPart):
    """The end of a change."""

    what: str
    outcome: Outcomes
    id: int | None = Field(default=None, description="Of a record that was created")
    message: str = ""
    answer: dict[str, JsonValue] = Field(default={}, description="Of the service, secrets masked")


class ChangeAnswer(ToolAnswer):
    """The ends of changes, or the confirmation that is needed before."""

    state: Literal["sent", "declined", "needs_confirmation"]
    what: str
    details: list[str] = Field(default=[], description="What changes, and what others have changed meanwhile")
    requests: list[str] = Field(default=[], description="What is, or was to be, sent; secrets masked")
    changes: list[SentChange] = []
    left: int = Field(default=0, description="Changes that were not sent because of one before them")
    token: str | None = Field(
        default=None,
        description="For confirm_change, once a person has agreed to exactly this; good for one use",
    )
