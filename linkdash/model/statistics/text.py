"""Statistics in words and numbers: what is new, and everything a chart shows as a table. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from rich.cells import cell_len
from rich.text import Text

from linkdash.model.statistics.chart_data import NO_STATISTICS, UNKNOWN, exact, label_text, share, total
from linkdash.model.statistics.code_statistics import CodeStatistics, Compared
from linkdash.model.statistics.readings import BREAKDOWN_TITLES, TOTAL_TITLES, ratio
from linkdash.store.changes import RETENTION, Change, Delta, Since, Snapshot, Total, describe

_LABEL_CELLS, _COUNT_CELLS, _SHARE_CELLS = 26, 9, 5
_TOO_YOUNG: Mapping[Since, str] = {
    "last week": "the history is younger than a week",
    "yesterday": "the history is younger than a day",
    "last look": "no look before that is kept",
}
_FIRST_LOOK = (
    "There is nothing to compare with yet: the service only tells totals at the moment of asking. "
    "From now on every answer is kept; linkdash collect keeps them without anybody looking."
)


def since_words(compared: Compared, since: Since) -> str:
    """What numbers are compared with: "new since the last look (2026-09-14 16:53)"."""
    if compared.change is None:
        return f"{compared.words}: from the next look on, this line says what is new"
    if not compared.is_as_asked:
        return f"new {compared.words}: {_TOO_YOUNG[since]}"
    asked = "the last look" if since == "last look" else since
    return f"new since {asked} ({compared.words.removeprefix('since ')})"


def delta_words(compared: Compared, name: Total) -> str:
    """What became of a total; nothing where there is nothing to compare with."""
    delta = _total(compared.change, name)
    return "" if delta is None else delta.words()


def ratio_words(snapshot: Snapshot | None) -> str:
    """How many of the clicks were scans."""
    found = None if snapshot is None else ratio(snapshot.scans, snapshot.clicks)
    return "" if found is None else f"scans of clicks {found:.2f}"


def scan_shares(codes: Sequence[CodeStatistics]) -> list[str]:
    """The share that each code has of the scans of all of them, in percent."""
    scans = [code.latest.scans if code.latest else None for code in codes]
    return [share(count, total(scans)) for count in scans]


def ratio_share(snapshot: Snapshot | None) -> str:
    """How many of the clicks were unique, in percent."""
    return UNKNOWN if snapshot is None else share(snapshot.unique, snapshot.clicks)


def news(compared: Compared, since: Since) -> Text:
    """What is new, the largest first; a word about retention where something fell."""
    if compared.change is None:
        return Text().append("What is new\n", "bold").append(_FIRST_LOOK)
    title = f"What is {since_words(compared, since)}\n"
    return Text().append(title, "bold").append("\n".join(describe(compared.change)))


def numbers(code: CodeStatistics, compared: Compared, since: Since, now: datetime) -> Text:
    """Everything the charts show, as a table: count, share, what is new."""
    text = Text()
    text.append(f"{code.code.link}\n{code.truth(now)}\n{since_words(compared, since)}\n")
    snapshot, change = code.latest, compared.change
    if snapshot is None:
        return text.append(f"\n{NO_STATISTICS}\n")
    text.append("\n").append(_line("Totals", "count", "", "new") + "\n", style="bold")
    for name, title in TOTAL_TITLES.items():
        new = delta_words(compared, name)
        text.append(_line(f"  {title}", exact(snapshot.total(name)), "", new) + "\n")
    unique = ratio(snapshot.unique, snapshot.clicks)
    text.append(_line("  Unique of clicks", "–" if unique is None else f"{unique:.2f}", "", "") + "\n")
    for breakdown, title in BREAKDOWN_TITLES.items():
        text.append(f"\n{title}\n", style="bold")
        lines = _breakdown(snapshot.breakdowns.get(breakdown), breakdown, change)
        text.append("".join(f"{line}\n" for line in lines))
    if change is not None and change.has_drops:
        text.append(f"\n{RETENTION}\n")
    return text


def _breakdown(counts: Mapping[str, int] | None, name: str, change: Change | None) -> Iterator[str]:
    if counts is None:
        yield f"  {NO_STATISTICS}"
        return
    deltas = change.labels(name) if change else {}
    whole = sum(counts.values())
    for label, count in sorted(counts.items(), key=lambda item: -item[1]):
        delta = deltas.get(label)
        new = delta.words() if delta and delta.before != delta.after else ""
        yield _line(f"  {label_text(label)}", exact(count), share(count, whole), new)
    for label, delta in deltas.items():
        if delta.after is None:
            yield _line(f"  {label_text(label)}", "–", "", delta.words())


def _line(label: str, count: str, part: str, new: str) -> str:
    """The cells of a row under each other; a long label takes the room it needs."""
    room = " " * (_LABEL_CELLS - cell_len(label))
    return f"{label}{room} {count:>{_COUNT_CELLS}} {part:>{_SHARE_CELLS}} {new}".rstrip()


def _total(change: Change | None, name: Total) -> Delta | None:
    return None if change is None else change.total(name)
