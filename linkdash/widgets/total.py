"""The widget that shows one total in large digits."""

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.renderables.digits import Digits as LargeDigits
from textual.widgets import Digits, Static

_UNKNOWN = "–"


class Total(Vertical):
    """A title, a number in large digits (small ones where those do not fit) and what became of it."""

    def __init__(self, title: str, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._title = title
        self._number = _UNKNOWN
        self._change = ""

    def compose(self) -> ComposeResult:
        yield Static(self._title, classes="total--title", markup=False)
        yield Digits(classes="total--large")
        yield Static(classes="total--small", markup=False)
        yield Static(classes="total--change", markup=False)

    def show(self, value: int | float | None, change: str = "") -> None:
        """Shows a count or a ratio, None as a dash, over a line such as "+12 since yesterday"."""
        if value is None:
            self._number = _UNKNOWN
        else:
            self._number = f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"
        self._change = change
        self._paint()

    def on_mount(self) -> None:
        self._paint()

    def on_resize(self) -> None:
        self._paint()

    def _paint(self) -> None:
        if not self.is_mounted:
            return
        fits = self._number != _UNKNOWN and LargeDigits.get_width(self._number) <= self.content_size.width
        self.query_one(Digits).update(self._number)
        self.query_one(".total--small", Static).update(self._number)
        self.query_one(".total--change", Static).update(self._change)
        self.set_class(not fits, "-small")
