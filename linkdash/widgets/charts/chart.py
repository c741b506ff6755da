"""The widget that shows a chart."""

import asyncio
from functools import partial
from typing import ClassVar, TypeAlias

from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.worker import Worker

from linkdash.model.statistics.chart_data import ChartData, CurveChart
from linkdash.widgets.charts.chart_text import Palette
from linkdash.widgets.charts.drawing import draw_chart, natural_height
from linkdash.widgets.styled_text import HUES, STYLES, Tone, rich_style

_Drawing: TypeAlias = tuple[ChartData | None, int, int, Palette]


class Chart(ScrollView):
    """A chart in its own size and theme, which scrolls where that is too low.

    Curves are drawn in a thread; what was there before stays until the new picture is there.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "Down", id="chart.down", show=False),
        Binding("k", "scroll_up", "Up", id="chart.up", show=False),
        Binding("g", "scroll_home", "First row", id="chart.first", show=False),
        Binding("G", "scroll_end", "Last row", id="chart.last", show=False),
    ]

    def __init__(self, data: ChartData | None = None, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._data = data
        self._wanted: _Drawing | None = None
        self._painted: _Drawing | None = None
        self._strips: list[Strip] = []

    @property
    def data(self) -> ChartData | None:
        """Return what is shown, or None for no statistics at all."""
        return self._data

    @property
    def up_to_date(self) -> bool:
        """Return whether the picture shows the data in the present size and theme."""
        return self._painted is not None and self._painted == self._wanted

    @property
    def text(self) -> str:
        """The chart as it is painted, without its colors, all of its rows."""
        return "\n".join(strip.text for strip in self._strips)

    def show(self, data: ChartData | None) -> None:
        """Show other data; None is a service that gave no statistics."""
        if data != self._data:
            self._data = data
            self.scroll_to(y=0, animate=False)
        self._draw()

    def allow_focus(self) -> bool:
        """Only a chart with more rows than it shows is worth a stop of the tab key."""
        return super().allow_focus() and self.max_scroll_y > 0

    def on_mount(self) -> None:
        self._draw()

    def on_resize(self, _event: events.Resize) -> None:
        self._draw()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        if self.is_mounted:
            self.call_later(self._draw)

    def _draw(self) -> None:
        """Ask for a picture of the present data, size and theme, unless it is painted or on its way."""
        if not self.is_mounted:
            return
        region = self.scrollable_content_region
        if not region.width or not region.height:
            return
        height = max(region.height, natural_height(self._data, region.width))
        self.virtual_size = Size(region.width, height)
        wanted = (self._data, region.width, height, self._palette())
        if wanted == self._wanted:
            return
        self._wanted = wanted
        if not isinstance(self._data, CurveChart):
            self._paint(wanted, draw_chart(*wanted))
        else:
            beside = partial(self._draw_beside, wanted)
            _: Worker[None] = self.run_worker(beside, exclusive=True, group="chart")

    async def _draw_beside(self, drawing: _Drawing) -> None:
        """Draw in a thread; not in that of a worker, which would keep the chart when it has gone."""
        self._paint(drawing, await asyncio.to_thread(draw_chart, *drawing))

    def _paint(self, drawing: _Drawing, lines: tuple[Text, ...]) -> None:
        if drawing == self._wanted:
            self._painted = drawing
            self._strips = [Strip(line.render(self.app.console)) for line in lines]
            self.refresh()

    def _palette(self) -> Palette:
        style = partial(rich_style, self)
        return Palette(
            title=style("bold underline $primary" if self.has_focus else "bold"),
            label=style(),
            number=style("bold"),
            frame=style(STYLES[Tone.MUTED]),
            note=style(STYLES[Tone.MUTED]),
            faint=style(STYLES[Tone.FAINT]),
            good=style(STYLES[Tone.GOOD]),
            bad=style(STYLES[Tone.BAD]),
            series=tuple(map(style, HUES)),
        )

    def render_line(self, y: int) -> Strip:
        row = y + self.scroll_offset.y
        strip = self._strips[row] if row < len(self._strips) else Strip([])
        return strip.adjust_cell_length(self.size.width, self.rich_style).apply_style(self.rich_style)
