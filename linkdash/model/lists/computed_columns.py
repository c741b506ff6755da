"""Columns of what is known of records beside their fields, as lists draw them."""

from collections.abc import Callable, Mapping

from linkdash.api.fields import Kind
from linkdash.api.resources.qr import QrCode
from linkdash.api.resources.users import User
from linkdash.model.humanize import CountChange, Trend
from linkdash.model.insight.expiry import plan_name
from linkdash.model.lists.columns import Computed, Odd, Row, value_of
from linkdash.model.lists.export import Beside
from linkdash.model.statistics.scan_activity import Activity

_DRAWN_DAYS = 14
_SAID = " "  # in the place of a change: the cell before it has the word for why there is none
PLAN_TITLE = "Plan"
WEEK_TITLES: Mapping[str, str] = {"days": "7 days", "change": "Week"}
"""The titles of the columns that tell the scans of a week, by their names."""


def plan_column(names: Callable[[], Mapping[int, str]]) -> Computed[User]:
    """The plan of users by its name, which filters can ask for; `names` are those of known plans, by id."""

    def plan(user: User) -> object:
        value = value_of(user, "planid")
        return value if isinstance(value, Odd) else plan_name(user.planid, names())

    return Computed("planid", PLAN_TITLE, Kind.COUNT, 10, draw=plan, names=names)


def plan_beside(names: Mapping[int, str]) -> Beside[User]:
    """The plan by its name for an export, beside its id; nothing where no plan is known."""
    return {"plan": lambda user: plan_name(user.planid, names)} if names else {}


def _week_pair(
    days: Callable[[Row], object],
    scans: Callable[[Row], int | None],
    change: Callable[[Row], object],
    percent: Callable[[Row], int | None],
) -> tuple[Computed[Row], Computed[Row]]:
    """The columns of a week's scans and of their change: of each what is drawn, and what it ranks by."""
    in_week, changed = WEEK_TITLES["days"], WEEK_TITLES["change"]
    return (
        Computed("days", in_week, Kind.COUNT, 7, align="right", draw=days, rank=scans),
        Computed("change", changed, Kind.TEXT, 7, align="right", draw=change, rank=percent, unit="percent"),
    )


def scan_columns(
    activity_of: Callable[[QrCode], Activity | None],
) -> tuple[Computed[QrCode], Computed[QrCode]]:
    """The scans of codes in the last seven whole days, and by how many percent that week changed."""

    def scans(code: QrCode) -> int | None:
        activity = activity_of(code)
        return None if activity is None else scans_of_week(activity)

    def percent(code: QrCode) -> int | None:
        activity = activity_of(code)
        change = None if activity is None else activity.change
        return None if change is None else change.telling_percent

    return _week_pair(scans, scans, percent, percent)


def scans_of_week(activity: Activity) -> int | None:
    """The scans of a code in the last seven whole days; None where they are not known."""
    return None if activity.week.now is None else activity.week.now.value


def week_columns(
    change_of: Callable[[Row], CountChange | str | None],
) -> tuple[Computed[Row], Computed[Row]]:
    """The scans of the codes that belong to a row in the last seven whole days, and their change.

    A word in their place is drawn, once, and ranks as not known.
    """

    def scans(row: Row) -> int | None:
        change = change_of(row)
        return change.now if isinstance(change, CountChange) else None

    def percent(row: Row) -> int | None:
        change = change_of(row)
        return change.telling_percent if isinstance(change, CountChange) else None

    def drawn(row: Row) -> int | str | None:
        change = change_of(row)
        return change.now if isinstance(change, CountChange) else change

    def changed(row: Row) -> CountChange | str | None:
        change = change_of(row)
        return _SAID if isinstance(change, str) else change

    return _week_pair(drawn, scans, changed, percent)


def trend_column(activity_of: Callable[[Row], Activity | None]) -> Computed[Row]:
    """The last 14 days of a code as a picture."""

    def trend(row: Row) -> Trend | None:
        activity = activity_of(row)
        found = None if activity is None else activity.trend
        return None if found is None else found._replace(most=_DRAWN_DAYS)

    def scans(row: Row) -> int | None:
        drawn = trend(row)
        return None if drawn is None else sum(day or 0 for day in drawn.days)

    title = f"{_DRAWN_DAYS} days"
    return Computed("trend", title, Kind.TEXT, _DRAWN_DAYS, draw=trend, rank=scans)
