"""Lines of text around a chart: cut, aligned, in the palette of its series."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text

from linkdash.model.statistics.chart_data import Tone
from linkdash.widgets.charts.plotext_curves import NO_STYLE, Run
from linkdash.widgets.styled_text import CUT, fit_text


@dataclass(frozen=True, slots=True)
class Palette:
    """The styles of a chart's parts; without any, a chart reads just as well."""

    title: Style = NO_STYLE
    label: Style = NO_STYLE
    number: Style = NO_STYLE
    frame: Style = NO_STYLE
    note: Style = NO_STYLE
    faint: Style = NO_STYLE
    good: Style = NO_STYLE
    bad: Style = NO_STYLE
    series: tuple[Style, ...] = (NO_STYLE,)

    def of_series(self, number: int) -> Style:
        """The style of the bars or the curve of a series."""
        return self.series[number % len(self.series)]

    def of_tone(self, tone: Tone) -> Style:
        """The style of what a piece of text means."""
        tones = {"good": self.good, "bad": self.bad, "muted": self.note, "strong": self.number}
        return tones.get(tone, self.label)


PLAIN = Palette()

SIGNS = ("●", "■", "◆", "✚", "◇", "○")
"""The signs of the first to the sixth series, which tell them apart without colour."""


def crop(text: str, width: int) -> str:
    """`text` in at most `width` cells; an ellipsis tells that it was longer."""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1) + CUT if width > 0 else ""


def first_that_fits(texts: Sequence[str], width: int) -> str:
    """The first of `texts`, the fullest first, that takes at most `width` cells; else the last, cropped."""
    return next((text for text in texts if cell_len(text) <= width), crop(texts[-1], width))


def fit(line: Text, width: int) -> Text:
    """`line` cropped or filled up to exactly `width` cells."""
    if line.cell_len > width:
        line = line.copy()
        line.truncate(width, overflow="ellipsis")
    return Text.assemble(line, " " * (width - line.cell_len))


def heading(title: str, value: str, width: int, palette: Palette) -> Text:
    """A title at the left and a value at the right, or as much of the title as there is room for."""
    room = width - cell_len(value) - 1
    if room < min(cell_len(title), 4):
        return Text(crop(title, width), palette.title)
    return Text.assemble((fit_text(title, room), palette.title), " ", (value, palette.number))


def drawn(runs: Iterable[Run], palette: Palette) -> Text:
    """A row of the canvas in the colors of its series."""
    return Text.assemble(
        *((text, palette.frame if series is None else palette.of_series(series)) for text, series in runs)
    )


def flow(items: Iterable[Text], width: int) -> list[Text]:
    """The items side by side, in as many lines as they need."""
    lines: list[Text] = []
    for item in items:
        if lines and lines[-1].cell_len + 3 + item.cell_len <= width:
            lines[-1] = Text.assemble(lines[-1], "   ", item)
        else:
            lines.append(item)
    return lines
