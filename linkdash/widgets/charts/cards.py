"""Cards of numbers, each with its change and its trend, or all of them in one line."""

import re
from collections.abc import Sequence

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from linkdash.model.statistics.chart_data import Tone, label_text
from linkdash.model.statistics.period import day_words
from linkdash.model.statistics.report.figures import amount_words
from linkdash.model.statistics.sentences import CodeAnswer, Figure, Sentence, tone_of
from linkdash.widgets.charts.chart_text import SIGNS
from linkdash.widgets.charts.sparkline import sparkline
from linkdash.widgets.styled_text import HUES, fit_text

STYLES: dict[Tone, str] = {
    "plain": "",
    "strong": "bold",
    "muted": "$muted",
    "good": "bold $success",
    "bad": "bold $error",
}
"""The styles of the tones; each of them is said in words or by a sign as well."""


def sentence_content(sentence: Sentence) -> Content:
    """A sentence as it is shown."""
    return Content.assemble(*((piece.text, STYLES[piece.tone]) for piece in sentence))


class SentenceText(Static):
    """A sentence in as many lines as it needs; none ends within a change."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, markup=False)
        self._sentence = Content()

    def show(self, sentence: Content) -> None:
        """Show another sentence."""
        self._sentence = sentence
        self._fold()

    def on_resize(self) -> None:
        self._fold()

    def _fold(self) -> None:
        self.update(folded(self._sentence, self.content_size.width))


def folded(sentence: Content, width: int) -> Content:
    """A sentence with its lines ended before `width` cells, none within a change such as `▼ 81 %`."""
    lines, line = list[Content](), Content()
    for part in _UNBROKEN.finditer(sentence.plain):
        added = sentence[part.start() : part.end()]
        if line and (line + added).rstrip().cell_length > width > 0:
            lines.append(line.rstrip())
            line = Content()
        line += added
    return Content("\n").join([*lines, line])


_UNBROKEN = re.compile(r"(?:[▲▼=] )?[\d,.]+ %\S*\s*|\S+\s*")


class Card(Static):
    """A number and its change over its trend and what it was."""

    def __init__(self) -> None:
        super().__init__(markup=False)
        self._figure: Figure | None = None

    @property
    def figure(self) -> Figure | None:
        """Return what is shown."""
        return self._figure

    def show(self, figure: Figure | None) -> None:
        """Show another number; None for none."""
        self.display = figure is not None
        if figure != self._figure:
            self._figure = figure
            if figure is not None:
                self.border_title = Content.styled(figure.short, "bold")
            self._paint()

    def on_resize(self) -> None:
        self._paint()

    def _paint(self) -> None:
        if self._figure is None or not self.content_size.width:
            return
        figure, width = self._figure, self.content_size.width
        room = max(0, width - cell_len(figure.note) - 1)
        lines = (
            _apart((figure.value, "bold"), (figure.change, STYLES[figure.tone]), width),
            _apart((sparkline(figure.trend, room), "$s1"), (figure.note, "$muted"), width),
        )
        self.update(Content("\n").join(lines), layout=False)


def _apart(left: tuple[str, str], right: tuple[str, str], width: int) -> Content:
    gap = " " * max(1, width - cell_len(left[0]) - cell_len(right[0]))
    return Content.assemble(left, gap, right)


class Cards(Vertical):
    """Up to four cards side by side, or one line of them, as the style sheet says."""

    MOST = 4

    def compose(self) -> ComposeResult:
        with Horizontal(id="cards"):
            for _ in range(self.MOST):
                yield Card()
        yield Static(id="figures", markup=False)

    def show(self, figures: Sequence[Figure]) -> None:
        """Show other numbers."""
        shown = [*figures[: self.MOST], *[None] * self.MOST]
        for card, figure in zip(self.query(Card), shown, strict=False):
            card.show(figure)
        self.query_one("#figures", Static).update(_line(figures), layout=False)


def _line(figures: Sequence[Figure]) -> Content:
    """`Scans 300 ▼ 81 %   Clicks 274 ▼ 82 %`; of how many codes, once for those it is the same of."""
    after = [*[figure.reach for figure in figures[1:]], ""]
    items = [
        Content.assemble(
            (f"{figure.short} ", "$muted"),
            (figure.value, "bold"),
            (f" {figure.change}" if figure.change else "", STYLES[figure.tone]),
            (f" of {figure.reach}" if figure.reach not in ("", following) else "", "$muted"),
        )
        for figure, following in zip(figures, after, strict=True)
    ]
    return Content("   ").join(items)


# ---- several subjects, a line each ----

_LEAST_NAME = 12


def comparison_lines(subjects: Sequence[tuple[str, CodeAnswer]], width: int) -> list[Content]:
    """Each subject with its sign, its number, what it was and its change, as columns."""
    answers = [answer for _, answer in subjects]
    now = _column([amount_words(answer.comparison.now) for answer in answers])
    before = _column([_before_words(answer) for answer in answers])
    change = _column([answer.comparison.words for answer in answers])
    room = width - len(now[0]) - len(before[0]) - len(change[0]) - 8
    longest = max((cell_len(label_text(title)) for title, _ in subjects), default=0)
    name = max(_LEAST_NAME, min(longest, room))
    lines = []
    for number, (title, answer) in enumerate(subjects):
        hue = HUES[number % len(HUES)]
        parts = [
            (f"{SIGNS[number % len(SIGNS)]} ", hue),
            (fit_text(label_text(title), name), "bold"),
            (f"  {now[number]}", "bold"),
            (f"  {before[number]}", "$muted"),
            (f"  {change[number]}", STYLES[tone_of(answer.comparison)]),
        ]
        lines.append(Content.assemble(*parts))
    return lines


def _before_words(answer: CodeAnswer) -> str:
    """The amount of the period before; where nothing is known of that, the first day that is known."""
    known = [moment for (moment, _), amount in zip(answer.period.steps, answer.steps, strict=True) if amount]
    if answer.comparison.before is None and known:
        return f"read since {day_words(known[0])}"
    return f"before {amount_words(answer.comparison.before)}"


def _column(texts: Sequence[str]) -> list[str]:
    width = max(map(len, texts), default=0)
    return [text.rjust(width) for text in texts]
