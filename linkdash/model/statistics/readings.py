"""An answer about a QR code as a reading that can be kept and compared (reference: QR code). Pure."""

from datetime import datetime

from linkdash.api.fields import Kind, fields_of
from linkdash.api.qr import QrCode, QrReading, Statistics
from linkdash.store.changes import Snapshot, Total

BREAKDOWN_TITLES = {field.name: field.title for field in fields_of(Statistics) if field.kind is Kind.NESTED}
"""The breakdowns of statistics with their titles, in the order they are shown."""

_TITLES = {field.name: field.title for field in (*fields_of(Statistics), *fields_of(QrCode))}
TOTAL_TITLES: dict[Total, str] = {
    "clicks": _TITLES["clicks"],
    "unique": _TITLES["unique_clicks"],
    "scans": _TITLES["scans"],
}
"""The totals with their titles, in the order they are shown."""


def snapshot_of(reading: QrReading, at: datetime) -> Snapshot | None:
    """The numbers in an answer that came at `at`; None where it holds none at all.

    A total or a breakdown that the service did not say is missing, which is not zero.
    """
    code, statistics = reading.code, reading.statistics
    scans = code.scans
    at = at.replace(microsecond=0)  # as the history keeps it
    if statistics is None:
        return None if scans is None else Snapshot(at, scans=scans)
    said = [name for name in BREAKDOWN_TITLES if name in statistics.model_fields_set]
    breakdowns = {name: dict(getattr(statistics, name)) for name in said}
    snapshot = Snapshot(at, statistics.clicks, statistics.unique_clicks, scans, breakdowns)
    return snapshot if has_statistics(snapshot) or scans is not None else None


def has_statistics(snapshot: Snapshot | None) -> bool:
    """Whether a reading says more than the list of codes does, which tells scans only."""
    if snapshot is None:
        return False
    return snapshot.clicks is not None or snapshot.unique is not None or bool(snapshot.breakdowns)


def ratio(part: int | None, whole: int | None) -> float | None:
    """How much of `whole` is `part`; None where either is not known or there is no whole."""
    return None if part is None or not whole else part / whole
