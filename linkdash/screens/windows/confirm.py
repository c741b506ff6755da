"""The window of a question, to be confirmed or cancelled."""

from collections.abc import Collection, Mapping, Sequence

from rich.cells import cell_len
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Input, Static

from linkdash.model.humanize import counted
from linkdash.screens.key_names import key_names
from linkdash.screens.windows.page_window import SIDEWAYS, PageWindow
from linkdash.screens.windows.widths import AROUND, LEAST_CELLS
from linkdash.widgets.filter_line import StillInput
from linkdash.widgets.frame.key_line import KeyLine
from linkdash.widgets.panel import FOCUS, PanelText, Window
from linkdash.widgets.styled_text import Piece, content
from linkdash.widgets.text_page import LineList, folded

NO_FACTS: Mapping[str, str] = {}

_MOST_LISTED = 10  # records that are shown at once where each is a line
_OTHER_ROWS = 5  # of the frame, the count of those hidden, the answers and the keys
_TYPED_ROWS = 2  # of what is typed
_PADDING_ROWS = 3  # at the edges of the window and of its answers
_LOW_ROWS = 20  # of a terminal below which every row is for words


class ConfirmScreen(PageWindow[bool]):
    """A question about what will happen; true only for `y` or the button, once a name is typed if wanted."""

    BINDINGS = [
        Binding("escape,n", "answer(False)", "Cancel", id="cancel"),
        Binding("y", "answer(True)", "Yes", id="confirm"),
        Binding("down,j", "scroll(1)", show=False),
        Binding("up,k", "scroll(-1)", show=False),
        Binding("right,l", "sideways(1)", show=False),
        Binding("left,h", "sideways(-1)", show=False),
        Binding("pagedown,space", "page(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
    ]

    def __init__(
        self,
        title: str,
        lines: PanelText,
        yes: str,
        *,
        no: str = "Cancel",
        facts: Mapping[str, str] = NO_FACTS,
        typed: str | None = None,
        listed: Sequence[str] = (),
        lost: Collection[str] = (),
        is_danger: bool = False,
    ) -> None:
        """`yes` and `no` are what the buttons say; `typed` is the name that has to be typed, if any.

        `lines` say what will happen; `listed` is what the question is about, in lines of a list that scrolls;
        those that are `lost` tell of a loss; `facts` stand below it, by their labels.
        """
        super().__init__()
        self._title = title
        self._lines = [Piece(line) if isinstance(line, str) else line for line in lines]
        room = max(map(len, facts), default=0) + 2
        self._facts = [f"{label:<{room}}{fact}" for label, fact in facts.items()]
        self._yes = yes
        self._no = no
        self._typed = typed
        self.listed = listed
        self._lost = lost
        self._is_danger = is_danger

    def compose(self) -> ComposeResult:
        fits = cell_len(self._title + FOCUS) <= self.app.size.width - AROUND
        title = self._title if fits else ""
        with Window(title=title, is_danger=self._is_danger, classes="-question"):
            with VerticalScroll(id="said", can_focus=False):
                if not fits:
                    yield Static(Text(self._title), classes="window-title")
                yield Static(
                    Content("\n").join(content([line]) for line in self._lines), classes="window-lines"
                )
            yield LineList(self.listed, lost=self._lost, id="page")
            yield Static(id="more")
            if self._facts:
                yield Static(Text("\n".join(self._facts)), classes="window-facts")
            if self._typed is not None:
                wanted = Text(f"Type {self._typed} to continue:")
                yield Static(wanted, id="type-it", classes="window-hint")
                yield StillInput(compact=True, id="typed")
            with Horizontal(classes="window-buttons"):
                yield Button(_named(self._no, self._key_of("cancel")), id="no", compact=True)
                accepts = self._key_of("confirm") if self._typed is None else key_names("enter")
                yield Button(
                    _named(self._yes, accepts),
                    id="yes",
                    compact=True,
                    variant="error" if self._is_danger else "primary",
                    disabled=self._typed is not None,
                )
        yield KeyLine(label=lambda id: {"cancel": self._no, "confirm": self._yes}.get(id, ""))

    def _key_of(self, id: str) -> str:
        """The key of an answer, as the user has it."""
        active = (binding for _, binding, _, _ in self.active_bindings.values())
        return next((key_names(binding.key) for binding in active if binding.id == id), "")

    @property
    def _allowed(self) -> bool:
        return self._typed is None or self.query_one("#typed", Input).value.strip() == self._typed

    def on_mount(self) -> None:
        self.query_one("#page").display = bool(self.listed)
        said = self.query_one("#said")
        said.display = bool(self._lines or self.query(".window-title"))
        self.query_one(Window).set_class(not said.display, "-silent")
        self.query_one("#typed" if self._typed is not None else "#no").focus()

    def on_resize(self) -> None:
        """As wide as its longest line; what is said and listed leaves the answers below it in sight."""
        width, height = self.app.size
        page, window = self.query_one("#page", LineList), self.query_one(Window)
        said = [line.text for line in self._lines]
        texts = [cell_len(one) for one in (*said, *self._facts, self._title + FOCUS)]
        longest = max(page.wanted(width - AROUND), *texts)
        window.styles.max_width, window.styles.max_height = width, height - 1  # the keys stand below it
        window.styles.width = cells = min(width, max(LEAST_CELLS, longest + AROUND))
        rows = page.fold(cells - AROUND) if self.listed else 0
        most = min(_MOST_LISTED, rows) if page.is_row_each else rows
        above, below = (_rows(texts, cells - AROUND) for texts in (said, self._facts))
        is_low, is_typed = height < _LOW_ROWS, self._typed is not None
        others = _OTHER_ROWS + below + is_typed * _TYPED_ROWS
        others += (bool(self.listed and self.query_one("#said").display) + bool(self._facts)) * (not is_low)
        padding = _PADDING_ROWS + is_typed
        is_snug = is_low or above + most + others + padding > height
        window.set_class(is_low, "-low").set_class(is_snug, "-snug")
        if self.query(".window-title"):  # which has a row below it where there is room
            above += (not is_low) + _rows([self._title], cells - AROUND)
        others += padding * (not is_snug)
        shown = min(most, max(2, height - above - others))
        page.styles.max_height = max(1, shown)
        self.query_one("#said").styles.max_height = max(1, height - others - shown)
        hidden = rows - shown
        more = self.query_one("#more", Static)
        more.display = hidden > 0
        in_all = f"{rows:,} in all" if page.is_row_each else counted(rows, "row")
        more.update(f"{in_all}, {key_names('down')} scrolls")

    @on(Input.Changed, "#typed")
    def _compare(self) -> None:
        self.query_one("#yes", Button).disabled = not self._allowed

    @on(Input.Submitted, "#typed")
    def _go_on(self) -> None:
        if self._allowed:
            self.dismiss(True)
        else:
            self.query_one("#type-it", Static).update(Text(f"That is not {self._typed} yet:"))

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "yes")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave the letter of the answer to a name that is typed."""
        is_typing = self.focused is not None and self.focused.id == "typed"
        return not (is_typing and action == "answer" and parameters == (True,))

    def action_answer(self, yes: bool) -> None:
        if not yes or self._allowed:
            self.dismiss(yes)

    def action_scroll(self, lines: int) -> None:
        """Scroll what is said first, then what is listed below it; back the other way round."""
        said, page = self.query_one("#said"), self.query_one("#page")
        is_first = said.scroll_y < said.max_scroll_y if lines > 0 else page.scroll_y == 0
        (said if is_first else page).scroll_relative(y=lines, animate=False, immediate=True)

    def action_sideways(self, steps: int) -> None:
        self.query_one("#page").scroll_relative(x=steps * SIDEWAYS, animate=False)


def _named(words: str, key: str) -> Content:
    """The words of a button, and the key that presses it."""
    return Content.assemble(words, (f" {key}", "dim"))


def _rows(texts: Sequence[str], cells: int) -> int:
    """The rows that texts take in so many cells."""
    return sum(len(folded(text, cells)) for text in texts)
