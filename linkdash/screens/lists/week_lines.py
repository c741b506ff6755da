"""The scans of a code in the last days, as lines of its details."""

from linkdash.model.local_time import local_zone
from linkdash.model.statistics.scan_activity import Activity
from linkdash.model.statistics.sentences import quiet_words
from linkdash.widgets.charts.cell_pictures import change_pieces
from linkdash.widgets.charts.sparkline import trend_pieces
from linkdash.widgets.details import DetailLine
from linkdash.widgets.styled_text import Piece, Tone


def week_lines(activity: Activity) -> list[DetailLine]:
    """The last week against the one before, and the last 14 days, beside the fields of a code."""
    lines = []
    change = activity.change
    if activity.quiet_since is not None:
        since = quiet_words(activity.quiet_since, local_zone())
        tone = Tone.BAD if change is not None and change.direction < 0 else Tone.PLAIN
        lines.append(DetailLine("None", (Piece(f"since {since}", tone),)))
    if change is not None:
        is_quiet = activity.quiet_since is not None
        said = () if is_quiet else (*change_pieces(change, len(change.words)), Piece(" "))
        was = Piece(f"was {change.before:,}", Tone.MUTED)
        lines.append(DetailLine("7 days", (Piece(f"{change.now:,} ", Tone.HERO), *said, was)))
    if (trend := activity.trend) is not None:
        lines.append(DetailLine(f"{len(trend.days)} days", trend_pieces(trend, len(trend.days))))
    return lines
