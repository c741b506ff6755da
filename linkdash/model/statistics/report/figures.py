"""Figures in a report: totals, changes, shares and names, for one code as for several."""

from collections.abc import Mapping, Sequence
from itertools import dropwhile
from types import MappingProxyType

from linkdash.model.document.blocks import NumberCard, NumberCards, Outside, Table, Toned, Words
from linkdash.model.humanize import UNKNOWN
from linkdash.model.statistics.chart_data import Number, label_text
from linkdash.model.statistics.period import Period
from linkdash.model.statistics.period_comparison import Amount, Comparison
from linkdash.model.statistics.readings import TOTAL_TITLES, InAll
from linkdash.model.statistics.report.content import CodeReport
from linkdash.model.statistics.sentences import CodeAnswer, Sentence, plain, tone_of
from linkdash.store.reading import Total

_CARDS: tuple[Total, ...] = ("scans", "clicks", "unique")
LABEL_HEADS = {
    "countries": "Country",
    "referrers": "Referrer",
    "browsers": "Browser",
    "systems": "System",
    "social": "Network",
}
"""A label of each breakdown, in a word."""


def total_cards(
    period: Period,
    in_all: Mapping[Total, InAll],
    totals: dict[Total, Comparison],
    answer: CodeAnswer,
    reaches: Mapping[Total, str] = MappingProxyType({}),
) -> NumberCards:
    """`reaches` is of how many codes a total is, where that has to be said."""
    rows = [
        (
            _with(title, reaches.get(name)),
            str(in_all[name]),
            *compared_cells(totals[name])[:2],
            toned_change(totals[name]),
        )
        for name, title in TOTAL_TITLES.items()
    ]
    cards = [
        _card(name, period, in_all[name], totals[name], answer, reaches.get(name, "")) for name in _CARDS
    ]
    return NumberCards(cards, Table(("", "In all", *period_heads(period)), rows, "lrrrr"))


def _with(title: str, reach: str | None) -> str:
    return f"{title}, {reach}" if reach else title


def _card(
    name: Total,
    period: Period,
    in_all: InAll,
    comparison: Comparison,
    answer: CodeAnswer,
    reach: str,
) -> NumberCard:
    title, whole = TOTAL_TITLES[name], f"{in_all} in all"
    if comparison.now is None:
        return NumberCard(f"{title}, in all", str(in_all), Toned("", "muted"), in_all.reach)
    notes = [f"{comparison.before} before"] if comparison.before is not None else []
    notes += [reach] if reach else [whole] if in_all.told else []
    trend = trend_of(answer) if name == "scans" else ()
    return NumberCard(
        f"{title}, {period.words.removeprefix('last ')}",
        str(comparison.now),
        toned_change(comparison, ""),
        " · ".join(notes),
        trend,
    )


def trend_of(answer: CodeAnswer) -> Sequence[Number]:
    return tuple(amount.value if amount else None for amount in answer.steps)


def period_heads(period: Period) -> tuple[str, str, str]:
    words, before = period.words, period.title_before
    return words[:1].upper() + words[1:], before[:1].upper() + before[1:], "Change"


def compared_cells(comparison: Comparison) -> tuple[str, str, str]:
    return amount_words(comparison.now), amount_words(comparison.before), comparison.words or UNKNOWN


def toned_change(comparison: Comparison, if_none: str = UNKNOWN) -> Toned:
    return Toned(comparison.words or if_none, tone_of(comparison))


def amount_words(amount: Amount | None) -> str:
    return UNKNOWN if amount is None else str(amount)


def count_words(value: Number) -> str:
    return UNKNOWN if value is None else f"{value:,.0f}"


def code_name(code: CodeReport) -> Outside:
    return shown_label(code.name)


def shown_label(text: str) -> Outside:
    return Outside(label_text(text))


def place_words(code: CodeReport) -> Words:
    """The part of the answer that the row does not say yet: since when, and where."""
    sentence = code.answer.sentence
    quiet = [part for part in sentence if part.role == "quiet"]
    words = _words(quiet or [*dropwhile(lambda part: part.role != "change", sentence)][1:])
    return [words[0].lstrip(",; "), *words[1:]] if words else []


def answer_words(code: CodeReport) -> Words:
    """The answer as a whole sentence."""
    return [*_words(code.answer.sentence), "" if plain(code.answer.sentence).endswith(".") else "."]


def _words(parts: Sentence) -> Words:
    """Parts of an answer, of which some come from outside."""
    return [Outside(part.text) if part.role == "outside" else part.text for part in parts]
