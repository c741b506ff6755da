"""An answer about a QR code as a reading that can be kept and compared (reference: QR code). Pure."""

from collections.abc import Iterable
from datetime import UTC, datetime

from linkdash.api.fields import Kind, fields_of
from linkdash.api.qr import QrCode, QrReading, Statistics
from linkdash.store.history import Reading, Total

BREAKDOWN_TITLES = {field.name: field.title for field in fields_of(Statistics) if field.kind is Kind.NESTED}
"""The breakdowns of statistics with their titles, in the order they are shown."""

_TITLES = {field.name: field.title for field in (*fields_of(Statistics), *fields_of(QrCode))}
TOTAL_TITLES: dict[Total, str] = {
    "clicks": _TITLES["clicks"],
    "unique": _TITLES["unique_clicks"],
    "scans": _TITLES["scans"],
}
"""The totals with their titles, in the order they are shown."""


def reading_of(answer: QrReading, at: datetime) -> Reading | None:
    """The numbers in an answer that came at `at`; None where it holds none at all.

    A total or a breakdown that the service did not say is missing, which is not zero.
    """
    code, statistics = answer.code, answer.statistics
    scans = code.scans
    at = at.replace(microsecond=0)  # as the history keeps it
    if statistics is None:
        return None if scans is None else Reading(at, scans=scans)
    said = [name for name in BREAKDOWN_TITLES if name in statistics.model_fields_set]
    breakdowns = {name: dict(getattr(statistics, name)) for name in said}
    reading = Reading(at, statistics.clicks, statistics.unique_clicks, scans, breakdowns)
    return reading if has_statistics(reading) or scans is not None else None


def scans_of(codes: Iterable[QrCode], at: datetime) -> dict[int, list[Reading]]:
    """What a page of the list tells, as readings."""
    return {code.id: [Reading(at, scans=code.scans)] for code in codes if code.scans is not None}


def has_statistics(reading: Reading | None) -> bool:
    """Whether a reading says more than the list of codes does, which tells scans only."""
    return reading is not None and not reading.tells_scans_only


def ratio(part: int | None, whole: int | None) -> float | None:
    """How much of `whole` is `part`; None where either is not known or there is no whole."""
    return None if part is None or not whole else part / whole


def in_order(readings: Iterable[Reading]) -> list[Reading]:
    """The readings in the order of time, one a moment.

    Of several the one given last counts, but none that tells scans only takes the place of a full one.
    """
    by_moment: dict[datetime, Reading] = {}
    for reading in readings:
        moment = reading.at.astimezone(UTC)
        known = by_moment.get(moment)
        if known is None or known.tells_scans_only or not reading.tells_scans_only:
            by_moment[moment] = reading
    return [by_moment[moment] for moment in sorted(by_moment)]


def latest(readings: Iterable[Reading]) -> Reading | None:
    """The newest of readings in order that tells more than scans, else the newest."""
    newest: Reading | None = None
    for reading in readings:
        if newest is None or newest.tells_scans_only or not reading.tells_scans_only:
            newest = reading
    return newest
