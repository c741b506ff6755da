"""The findings of the configuration's rules: in readings of codes, among users, in views, in the budget.

What cannot be told, because nothing was read for some time, raises nothing and ends nothing. What is raised
is kept.
"""

import asyncio
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import NamedTuple

from linkdash.api.inert_text import inert
from linkdash.api.resources.qr import QrCode
from linkdash.api.resources.users import User
from linkdash.model.configuration_file import AlertSetting
from linkdash.model.declaration import declarations
from linkdash.model.humanize import TELLING_COUNT, counted
from linkdash.model.insight.alert_rules import Rule
from linkdash.model.insight.expiry import expiring
from linkdash.model.insight.findings import ViewFinds, find_kept, views_of
from linkdash.model.lists.collection import AnyCollection
from linkdash.model.local_time import local_moment
from linkdash.model.session import Session
from linkdash.model.statistics.chart_data import label_text
from linkdash.model.statistics.code_statistics import kept_codes
from linkdash.model.statistics.period import period
from linkdash.model.statistics.period_comparison import Track, added, compared
from linkdash.model.statistics.scan_activity import prefix
from linkdash.store.alerts import Alert
from linkdash.store.reading import Reading

# ---- what the rules find ----

NEW_FOR = timedelta(days=7)
"""For how long a country is new."""


class AlertFacts(NamedTuple):
    """The facts that rules look at; None for what is not known now."""

    now: datetime
    """Aware, in the user's zone."""
    service_now: datetime
    """Now as the service's own moments are, without a zone."""
    codes: Sequence[tuple[QrCode, Sequence[Reading]]] = ()
    users: Sequence[User] | None = None
    requests_left: int | None = None
    views: Mapping[str, Mapping[str, str | None]] = MappingProxyType({})
    """What views find, by their names: of each list that has such a view in words, by the list's id.

    Nothing is "", and None stands where that is not known.
    """


@dataclass
class Findings:
    """The findings of the rules."""

    holding: list[Alert] = field(default_factory=list)
    undecided: set[tuple[str, str]] = field(default_factory=set)
    """Rules and subjects that nothing can be said about; a subject of "" is every one of the rule."""

    def settled(self, raised: Sequence[Alert]) -> tuple[list[Alert], list[Alert]]:
        """Return what holds, each since it was first found, and which of the raised alerts have ceased."""
        since = {alert.key: alert.since for alert in raised}
        holding = [alert._replace(since=since.get(alert.key, alert.since)) for alert in self.holding]
        held = {alert.key for alert in holding}
        ceased = [alert for alert in raised if alert.key not in held and not self._is_undecided(alert)]
        return holding, ceased

    def _is_undecided(self, alert: Alert) -> bool:
        of_code = alert.subject.partition(":")[0]
        return not self.undecided.isdisjoint({alert.key, (alert.rule, of_code), (alert.rule, "")})


def find(settings: Mapping[str, AlertSetting], known: AlertFacts) -> Findings:
    """Return the findings of the rules in what is known."""
    findings = Findings()
    for name, setting in settings.items():
        rule = setting.rule
        if rule.is_about_codes:
            for code, readings in known.codes:
                if concerns(setting, code):
                    _look(findings, name, f"qr {code.id}", _in_code(rule, code, readings, known.now), known)
        elif rule.kind == "expires":
            _look(findings, name, "", _among_users(rule, known), known)
        elif rule.kind == "view":
            for list_id, told in known.views.get(rule.view, {}).items():
                found = None if told is None else {list_id: told} if told else {}
                _look(findings, name, list_id, found, known)
        else:
            _look(findings, name, "", _in_budget(rule, known), known)
    return findings


def concerns(setting: AlertSetting, code: QrCode) -> bool:
    """Return whether a rule applies to a code: by its id, its name, its group, or to all."""
    return not setting.codes or not {code.id, code.name, prefix(code.name)}.isdisjoint(setting.codes)


Found = Mapping[str, str] | None
"""Messages by subject; None where nothing can be said."""


def _look(findings: Findings, name: str, subject: str, found: Found, known: AlertFacts) -> None:
    if found is None:
        findings.undecided.add((name, subject))
        return
    findings.holding += [Alert(name, subject, message, known.now) for subject, message in found.items()]


# ---- codes ----


def _in_code(rule: Rule, code: QrCode, readings: Sequence[Reading], now: datetime) -> Found:
    subject, title = f"qr {code.id}", code.name or f"QR code {code.id}"
    track = Track(readings)
    match rule.kind:
        case "drop":
            told = _drop(rule, track, now)
        case "silent":
            told = _silence(rule, track, now)
        case _:
            labels = _new_countries(track, now)
            if labels is None:
                return None
            return {f"{subject}: {label}": f"{title}: first scans from {label}" for label in labels}
    return None if told is None else {subject: f"{title}: {told}"} if told else {}


def _drop(rule: Rule, track: Track, now: datetime) -> str | None:
    """Return what fell, in words; empty where nothing did, and None where that cannot be told."""
    span = period("own", now, days=rule.days)
    comparison = compared([track], "scans", span)
    after, before = comparison.now, comparison.before
    if after is None or before is None or after.is_partial or before.is_partial:
        return None
    is_noise = after.value + before.value < TELLING_COUNT
    if is_noise or after.value * 100 > before.value * (100 - rule.number):
        return ""
    return f"{after} scans in the {span.words}, {before} in the {span.words_before}: {comparison.words}"


def _silence(rule: Rule, track: Track, now: datetime) -> str | None:
    span = period("own", now, days=rule.days)
    amount, since = added([track], "scans", span.start, span.end), track.quiet_since("scans")
    if amount is None or since is None or (amount.is_partial and amount.value <= 0):
        return None
    is_silent = amount.value == 0 or (amount.value < 0 and since <= span.start)  # a counter can go back
    return f"no scans in the {span.words}" if is_silent else ""


def _new_countries(track: Track, now: datetime) -> Iterable[str] | None:
    before, after = (track.labels("countries", moment) for moment in (now - NEW_FOR, now))
    if before is None or after is None:
        return None
    return sorted(label_text(label) for label, count in after.items() if count and not before.get(label))


# ---- everything else ----


def _among_users(rule: Rule, known: AlertFacts) -> Found:
    if known.users is None:
        return None
    found = expiring(known.users, known.service_now, timedelta(days=rule.days))
    return {
        f"user {user.id}": f"{user.username} expires {user.expires:%Y-%m-%d %H:%M}"
        for user in found
        if user.expires is not None  # what is only expected raises no alert
    }


def _in_budget(rule: Rule, known: AlertFacts) -> Found:
    left = known.requests_left
    if left is None:
        return None
    return {"requests": f"{counted(left, 'request')} left"} if left < rule.number else {}


_MARGIN = NEW_FOR + timedelta(days=30)  # a reading before the times of the rules lies in it


async def new_alerts(session: Session, users: Sequence[User] | None) -> list[Alert]:
    """The alerts that were not raised before; from now on they are. Sends no request.

    Without `users` nothing is said about them. Raises StoreUnavailable.
    """
    known = await _known(session, users)
    session.recents.alerts_at = -math.inf
    return await session.store.alerts.settle(find(session.settings.alerts, known).settled)


async def look(session: Session, say: Callable[[str], None], users: Sequence[User] | None = None) -> None:
    """Say what is raised now and was not before. Sends no request. Raises StoreUnavailable."""
    for alert in await new_alerts(session, users):
        say(f"Alert {alert.rule}: {alert.message}")


def of_code(alert: Alert) -> int | None:
    """The id of the QR code that an alert is about; None for anything else."""
    kind, _, number = alert.subject.partition(":")[0].partition(" ")
    return int(number) if kind == "qr" and number.isdecimal() else None


async def standing_alerts(
    session: Session, users: Sequence[User] | None = None, *, within: float = 0.0
) -> Sequence[Alert]:
    """The alerts that stand now, new ones among them. Nothing is kept, no request is sent.

    Without `users`, those about users stand as they were; without rules here, all do. What was found `within`
    so many seconds is not looked for again. Raises StoreUnavailable.
    """
    if not session.settings.alerts:
        return await session.store.alerts.raised()
    recents, now = session.recents, session.now()
    if not 0 <= now - recents.alerts_at < within:
        recents.alerts_at, recents.alerts = now, await _standing(session, users)
    return recents.alerts


async def _standing(session: Session, users: Sequence[User] | None) -> list[Alert]:
    raised = await session.store.alerts.raised()
    known = await _known(session, users)
    holding, ceased = (await asyncio.to_thread(find, session.settings.alerts, known)).settled(raised)
    gone = {alert.key for alert in ceased}
    standing = {alert.key: alert for alert in (*raised, *holding) if alert.key not in gone}
    return sorted(standing.values(), key=lambda alert: (-alert.since.timestamp(), alert.key))


async def _known(session: Session, users: Sequence[User] | None) -> AlertFacts:
    await session.gate.learn()
    left = session.gate.state.remaining
    codes, views = await _codes(session), await _views(session)
    return AlertFacts(local_moment(session.now()), session.local_time(), codes, users, left, views)


async def _views(session: Session) -> dict[str, dict[str, str | None]]:
    """The finds of the views that rules name, in every list that has one of that name."""
    found: dict[str, dict[str, str | None]] = {
        setting.rule.view: {} for setting in session.settings.alerts.values() if setting.rule.view
    }
    for resource in declarations() if found else ():
        collection = session.collection(resource.id)
        wanted = [view for view in await views_of(session, collection) if view.name in found]
        for one in await find_kept(session, collection, wanted) if wanted else ():
            found[one.view.name][resource.id] = _told(one, collection)
    return found


def _told(found: ViewFinds, collection: AnyCollection) -> str | None:
    if not found.is_known:
        return None
    count = counted(len(found.rows), collection.resource.singular)
    return f"{count} {found.view.name}: {found.names(collection)}" if found.rows else ""


async def _codes(session: Session) -> list[tuple[QrCode, list[Reading]]]:
    """The codes that rules are told to, with as much of their history as the rules look at."""
    settings = [setting for setting in session.settings.alerts.values() if setting.rule.is_about_codes]
    if not settings:
        return []
    longest = timedelta(days=2 * max(setting.rule.days for setting in settings))
    since = session.moment() - longest - _MARGIN
    return [
        (known.code, await session.store.history.readings(known.code.id, since))
        for known in await kept_codes(session)
        if any(concerns(setting, known.code) for setting in settings)
    ]


async def unmatched(session: Session) -> list[str]:
    """A sentence for each rule whose `codes` name what no known code is, or whose view no list has.

    None about codes where none is known yet.

    Sends no request. Raises StoreUnavailable.
    """
    limited = {name: setting for name, setting in session.settings.alerts.items() if setting.codes}
    codes = [known.code for known in await kept_codes(session)] if limited else []
    known = {name for code in codes for name in (code.id, code.name, prefix(code.name))}
    missing = {
        name: [str(one) for one in setting.codes if one not in known] for name, setting in limited.items()
    }
    views = await _views(session)
    rules = {name: setting.rule.view for name, setting in session.settings.alerts.items()}
    return [
        *(
            f"Alert {name}: no loaded QR code matches {', '.join(map(inert, wanted))}"
            for name, wanted in missing.items()
            if known and wanted
        ),
        *(
            f"Alert {name}: no list has a view {inert(view)}"
            for name, view in rules.items()
            if view and not views[view]
        ),
    ]
