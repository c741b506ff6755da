"""Metrics of what is kept here, in the format of Prometheus. No request is sent for them.

Labels are bounded: of many codes those with the most scans have a row each, and how many have none is told.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Never, TypeVar

from linkdash import __version__
from linkdash.api.budget.scheduler import BudgetState
from linkdash.api.errors import Misconfigured
from linkdash.api.inert_text import inert
from linkdash.api.records import Record
from linkdash.api.resources.users import User
from linkdash.model.declaration import Resource
from linkdash.model.humanize import SOON, TimeLeft
from linkdash.model.insight.expiry import expiring
from linkdash.model.lists.collection import Collection
from linkdash.model.resources.qr import RESOURCE as CODES
from linkdash.model.resources.users import RESOURCE as USERS
from linkdash.model.session import Session
from linkdash.store.alerts import Alert
from linkdash.store.reading import Reading, Total

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry
    from prometheus_client.core import GaugeMetricFamily

    Rows = Iterable[tuple[Sequence[str], float]]
    """The values of the labels, and the number."""


T = TypeVar("T", bound=Record)

MOST_CODES = 1_000
"""Codes with rows of their own."""
_MOST_RULES = 100
_TOTALS: Mapping[Total, str] = {
    "scans": "Scans of a QR code, in all.",
    "clicks": "Clicks of a QR code, in all.",
    "unique": "Unique clicks of a QR code, in all.",
}
_LONGEST_NAME = 80


@dataclass(frozen=True)
class Kept:
    """The data that metrics are made of."""

    now: float
    """Epoch seconds."""
    labels: Mapping[str, str]
    """Which profile, host and version this is."""
    codes: Mapping[int, Reading]
    """The newest reading of each code."""
    names: Mapping[int, str]
    budget: BudgetState
    alerts: Sequence[Alert]
    users: Sequence[User]
    """Those that the list told when it was last read."""
    local_time: datetime
    """Now as the service's own moments are, without a zone."""


async def kept(session: Session) -> Kept:
    """Read what is kept. Raises StoreUnavailable."""
    history = session.store.history
    listed, full = await history.latest_listed(), await history.latest()
    newest = {id: _newer(listed.get(id), full.get(id)) for id in listed.keys() | full.keys()}
    await session.gate.learn()
    settings = session.settings
    return Kept(
        session.now(),
        {"profile": settings.profile, "host": settings.host, "version": __version__},
        {id: reading for id, reading in newest.items() if reading is not None},
        {code.id: code.name for code in await _records(session, CODES)},
        session.gate.state,
        await session.store.alerts.raised(),
        await _records(session, USERS),
        session.local_time(),
    )


async def _records(session: Session, resource: Resource[T]) -> Sequence[T]:
    """The records of a list as another run may just have kept them, found anew each time."""
    return await Collection(session, resource).known_records()


def _newer(listed: Reading | None, full: Reading | None) -> Reading | None:
    """The totals of both, as far as the newer one tells them."""
    if listed is None or full is None or full.at >= listed.at:
        return full or listed
    return Reading(listed.at, full.clicks, full.unique, listed.scans)


# ---- as metrics ----


def _gauge(name: str, told: str, rows: "Rows", *labels: str) -> "GaugeMetricFamily":
    """The metric `linkdash_<name>`: the values of its labels, and the number, in rows."""
    from prometheus_client.core import GaugeMetricFamily

    family = GaugeMetricFamily(f"linkdash_{name}", told, labels=labels)
    for values, value in rows:
        family.add_metric(values, value)
    return family


def families(found: Kept) -> "Iterator[GaugeMetricFamily]":
    """Every metric. Raises ImportError where the client of Prometheus is missing."""
    named = found.labels.items()
    yield _gauge(
        "info", "What is looked at.", [([text for _, text in named], 1)], *(name for name, _ in named)
    )
    yield from _of_codes(found)
    yield from _of_budget(found.budget)
    rules = Counter(alert.rule for alert in found.alerts).most_common(_MOST_RULES)
    yield _gauge(
        "alerts_raised", "Alerts that are raised.", [([_label(rule)], count) for rule, count in rules], "rule"
    )
    if found.users:
        yield from _of_users(found)


def _of_codes(found: Kept) -> "Iterator[GaugeMetricFamily]":
    most = sorted(found.codes, key=lambda id: (-(found.codes[id].scans or 0), id))[:MOST_CODES]
    readings = [([str(id), _label(found.names.get(id, ""))], found.codes[id]) for id in most]
    yield _gauge("codes", "QR codes that anything is kept of.", [((), len(found.codes))])
    yield _gauge("codes_left_out", "Of these, those without rows.", [((), len(found.codes) - len(most))])
    for name, told in _TOTALS.items():
        totals = [(labels, reading.total(name)) for labels, reading in readings]
        title = f"qr_{'unique_clicks' if name == 'unique' else name}"
        yield _gauge(
            title, told, [(labels, value) for labels, value in totals if value is not None], "id", "name"
        )
    ages = [(labels, max(0.0, found.now - reading.at.timestamp())) for labels, reading in readings]
    yield _gauge("qr_reading_age_seconds", "Seconds since a QR code was last read.", ages, "id", "name")


def _of_users(found: Kept) -> "Iterator[GaugeMetricFamily]":
    users, now = found.users, found.local_time
    states = Counter(user.status if user.status in ("free", "pro") else "other" for user in users)
    rows = [([state], count) for state, count in sorted(states.items())]
    yield _gauge("users", "Users by state, as the list was last read.", rows, "state")
    over = sum(TimeLeft(user.expires, now).is_over for user in users)
    yield _gauge("users_expired", "Of these, those whose time is over.", [((), over)])
    soon = len(expiring(users, now, SOON))
    yield _gauge("users_expiring", "Of these, those whose time is over within 7 days.", [((), soon)])


def _of_budget(state: BudgetState) -> "Iterator[GaugeMetricFamily]":
    """Yield the metrics of the budget. What is not known has no row, which is not zero."""
    for name, told, value in (
        ("limit", "Requests that a window has.", state.limit),
        ("left", "Requests that are left, as far as is known.", state.remaining),
        ("reset_seconds", "Seconds until the window is over.", state.reset_in),
        ("refused", "Requests that the service has refused in a row.", state.refusals),
        ("paused_seconds", "Seconds that the key still waits after a refusal.", state.paused_for or 0.0),
    ):
        yield _gauge(f"budget_{name}", told, [((), value)] if value is not None else [])


def _label(text: str) -> str:
    text = inert(text)
    return text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME - 1]}…"


# ---- for a scrape ----


class KeptCollector:
    """A collector for a registry of Prometheus; at each scrape `read` gives what is kept then."""

    def __init__(self, read: Callable[[], Kept]) -> None:
        self._read = read

    def collect(self) -> "Iterator[GaugeMetricFamily]":
        """Every metric, as of now."""
        yield from families(self._read())

    def describe(self) -> Sequence[Never]:
        """Nothing is asked for before the first scrape."""
        return ()


def registry_of(read: Callable[[], Kept]) -> "CollectorRegistry":
    """A registry that has these metrics and no other. Raises Misconfigured where the client is missing."""
    try:
        from prometheus_client import CollectorRegistry
    except ImportError:
        raise Misconfigured("Metrics are not supported here.", "pip install 'linkdash[metrics]'") from None
    registry = CollectorRegistry(auto_describe=False)
    registry.register(KeptCollector(read))
    return registry


def metrics_text(found: Kept) -> str:
    """The metrics as Prometheus reads them. Raises Misconfigured where its client is missing."""
    registry = registry_of(lambda: found)
    from prometheus_client import generate_latest

    return generate_latest(registry).decode()
