"""The windows that lie over a screen: a question, a list to choose from, a text to read, the help."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby
from typing import TypeVar

from rich.cells import cell_len
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, OptionList, Static
from textual.widgets.option_list import Option

from linkdash.api.budget import Lane
from linkdash.api.gate import Gate
from linkdash.api.text import inert
from linkdash.model.as_text import Choice
from linkdash.model.humanize import ago, counted, shortened
from linkdash.screens.actions import Action, key_names
from linkdash.screens.frame import is_production
from linkdash.screens.host import HostScreen, copy_text
from linkdash.store.journal import JournalEntry
from linkdash.widgets.frame import HORIZONTAL_BREAKPOINTS
from linkdash.widgets.inputs import StillInput
from linkdash.widgets.keys import KeyColumns, KeyGroup, KeyHelp, KeyLine
from linkdash.widgets.lines import FittingText, LineList
from linkdash.widgets.panel import Window
from linkdash.widgets.pieces import Piece, Tone, content, fit_text

_VALUE_CELLS = 40
_TITLE_CELLS = 60  # of a title that fits into the frame of every window
_MOST_DRAWN = 20_000  # characters of a text: all of them are laid out before the first is seen
_SIDEWAYS = 8  # cells that one key press scrolls to the left or right


Result = TypeVar("Result")


class PageWindow(ModalScreen[Result]):
    """A window with a page, `#page`, which its keys scroll."""

    def action_scroll(self, lines: int) -> None:
        self.query_one("#page").scroll_relative(y=lines, animate=False)

    def action_page(self, pages: int) -> None:
        page = self.query_one("#page")
        page.scroll_relative(y=pages * page.size.height, animate=False)


class TypingScreen(ModalScreen[Result]):
    """A window with a line to type into; what is typed before that is there is typed into it, too."""

    def __init__(self) -> None:
        super().__init__()
        self._typed_ahead = ""

    def on_mount(self) -> None:
        line = self.query_one(Input)
        line.focus()
        line.insert_text_at_cursor(self._typed_ahead)

    def on_key(self, event: events.Key) -> None:
        """A letter that comes before the focus does."""
        if event.is_printable and event.character and not self.query_one(Input).has_focus:
            self.query_one(Input).insert_text_at_cursor(event.character)
            event.stop()

    def type_ahead(self, letter: str) -> None:
        """Takes a letter that was on its way to what is below."""
        if self.query(Input):
            self.query_one(Input).insert_text_at_cursor(letter)
        else:
            self._typed_ahead += letter


class ConfirmScreen(PageWindow[bool]):
    """Shows what will happen; true only for `y` or the button, and once a name is typed if one is wanted."""

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
        lines: Sequence[str],
        yes: str,
        *,
        no: str = "Cancel",
        typed: str | None = None,
        listed: Sequence[str] = (),
        is_danger: bool = False,
    ) -> None:
        """`yes` and `no` are what the buttons say; `typed` is the name that has to be typed, if any.

        `listed` is what the question is about, in lines of a list that scrolls.
        """
        super().__init__()
        self._title = title
        self._lines = lines
        self._yes = yes
        self._no = no
        self._typed = typed
        self.listed = listed
        self._is_danger = is_danger

    def compose(self) -> ComposeResult:
        fits = cell_len(self._title) <= _TITLE_CELLS
        title = self._title if fits else ""
        with Window(title=title, is_danger=self._is_danger, classes="-question"):
            if not fits:
                yield Static(Text(self._title), classes="window-title")
            yield Static(Text("\n".join(self._lines)), classes="window-lines")
            yield LineList(self.listed, id="page")
            if self._typed is not None:
                yield Static(Text(f"Type {self._typed} to continue:"), classes="window-hint")
                yield StillInput(compact=True, id="typed")
            with Horizontal(classes="window-buttons"):
                yield Button(f"{self._no} ({self._key_of('cancel')})", id="no", compact=True)
                yield Button(
                    self._yes_label, id="yes", compact=True, variant="error", disabled=self._typed is not None
                )
        yield KeyLine()

    @property
    def _yes_label(self) -> str:
        return f"{self._yes} ({self._key_of('confirm') if self._typed is None else key_names('enter')})"

    def _key_of(self, id: str) -> str:
        """The key of an answer, as a person has it."""
        active = (binding for _, binding, _, _ in self.active_bindings.values())
        return next((key_names(binding.key) for binding in active if binding.id == id), "")

    @property
    def _allowed(self) -> bool:
        return self._typed is None or self.query_one("#typed", Input).value.strip() == self._typed

    def on_mount(self) -> None:
        self.query_one("#page").display = bool(self.listed)
        self.query_one("#typed" if self._typed is not None else "#no").focus()

    def on_resize(self, event: events.Resize) -> None:
        """The list takes a fifth of the height, so that the answers below it stay in sight."""
        self.query_one("#page").styles.max_height = event.size.height // 5

    @on(Input.Changed, "#typed")
    def _compare(self) -> None:
        self.query_one("#yes", Button).disabled = not self._allowed

    @on(Input.Submitted, "#typed")
    def _go_on(self) -> None:
        if self._allowed:
            self.dismiss(True)

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "yes")

    def action_answer(self, yes: bool) -> None:
        if not yes or self._allowed:
            self.dismiss(yes)

    def action_sideways(self, steps: int) -> None:
        self.query_one("#page").scroll_relative(x=steps * _SIDEWAYS, animate=False)


class AskScreen(ModalScreen[str | None]):
    """Asks for one line of text; None when a person goes back."""

    BINDINGS = [Binding("escape", "dismiss", "Back")]

    def __init__(self, title: str, hint: str) -> None:
        super().__init__()
        self._title = title
        self._hint = hint

    def compose(self) -> ComposeResult:
        with Window(title=self._title, classes="-question"):
            yield StillInput(id="typed", compact=True)
            yield Static(self._hint, classes="window-hint", markup=False)
        yield KeyLine()

    @on(Input.Submitted)
    def _take(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip())


class PickerScreen(ModalScreen[Choice | None]):
    """Asks which of some choices is meant; None when a person goes back."""

    BINDINGS = [
        Binding("escape,q", "dismiss", "Back"),
        Binding("j", "down", show=False),
        Binding("k", "up", show=False),
    ]

    def __init__(self, title: str, choices: Sequence[Choice]) -> None:
        super().__init__()
        self._title = title
        self._choices = tuple(choices)

    def compose(self) -> ComposeResult:
        with Window(title=self._title, classes="-choices"):
            yield OptionList(*(Option(self._line(choice)) for choice in self._choices), compact=True)
        yield KeyLine()

    def _line(self, choice: Choice) -> Content:
        width = max(cell_len(inert(choice.label)) for choice in self._choices)
        value = shortened(choice.value, _VALUE_CELLS)
        return content([Piece(f"{fit_text(choice.label, width)}  "), Piece(value, Tone.MUTED)])

    @on(OptionList.OptionSelected)
    def _choose(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._choices[event.option_index])

    def action_down(self) -> None:
        self.query_one(OptionList).action_cursor_down()

    def action_up(self) -> None:
        self.query_one(OptionList).action_cursor_up()


class ViewerScreen(PageWindow[None]):
    """Shows lines as they are; scrolls by keys. `y` copies all of a text that is too long to be drawn."""

    BINDINGS = [
        Binding("escape,q", "dismiss", "Back"),
        Binding("y", "copy", "Copy all"),
        Binding("j,down", "scroll(1)", show=False),
        Binding("k,up", "scroll(-1)", show=False),
        Binding("g,home", "edge(True)", show=False),
        Binding("G,end", "edge(False)", show=False),
        Binding("pagedown,space", "page(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
    ]

    def __init__(self, title: str, text: Text | str | Callable[[int | None], str]) -> None:
        """`text` may be one that is written for so many cells; for None, to be copied."""
        super().__init__()
        self._title = title
        self._text = text

    def compose(self) -> ComposeResult:
        text = self._text
        with Window(title=self._title, classes="-page"), VerticalScroll(can_focus=False, id="page"):
            if callable(text):
                yield FittingText(lambda width: _beginning(text(width)))
            else:
                yield Static(_beginning(text))
        yield KeyLine()

    def action_copy(self) -> None:
        text = self._text(None) if callable(self._text) else str(self._text)
        copy_text(self.app, self._title, text)

    def action_edge(self, top: bool) -> None:
        page = self.query_one("#page")
        page.scroll_to(y=0 if top else page.max_scroll_y, animate=False)


def _beginning(text: Text | str) -> Text:
    """As much of a text as can be drawn at once; a copy has all of it."""
    beginning = text[:_MOST_DRAWN]
    drawn = Text(beginning) if isinstance(beginning, str) else beginning
    if (left := len(text) - _MOST_DRAWN) > 0:
        drawn.append(f"…\n\n{left:,} more characters: Copy all has them.")
    return drawn


# ---- help: every key that does something here, from the actions themselves ----

_GROUPS = ("Move", "Look", "Change", "Program")
_KEYS = (
    *(Piece("all keys can be changed · ", Tone.MUTED), Piece("esc", Tone.KEY)),
    Piece(" close", Tone.MUTED),
)
_SIGNS = (
    *(Piece("●", Tone.GOOD), Piece(" fresh  "), Piece("◐", Tone.WARNING), Piece(" aged  ")),
    *(Piece("○", Tone.MUTED), Piece(" not loaded   "), Piece("✓", Tone.GOOD), Piece(" done  ")),
    *(Piece("✗", Tone.BAD), Piece(" refused  "), Piece("?", Tone.WARNING), Piece(" unknown  ")),
    *(Piece("–", Tone.MUTED), Piece(" not sent   "), Piece("▲", Tone.GOOD), Piece(" more  ")),
    *(Piece("▼", Tone.BAD), Piece(" less  "), Piece("="), Piece(" same  ")),
)


class HelpScreen(TypingScreen[None], PageWindow[None]):
    """The keys by group; what is typed leaves those that are about it, each with its sentence."""

    HORIZONTAL_BREAKPOINTS = HORIZONTAL_BREAKPOINTS
    BINDINGS = [
        ("escape,f1", "dismiss", "Close"),
        ("down", "scroll(1)", "Down"),
        ("up", "scroll(-1)", "Up"),
        ("pagedown", "page(1)", "Page down"),
        ("pageup", "page(-1)", "Page up"),
    ]

    def __init__(self, place: str, groups: Sequence[KeyGroup]) -> None:
        super().__init__()
        self._place = place
        self._groups = groups

    def compose(self) -> ComposeResult:
        with Window(title=f"Keys on {self._place}", keys=_KEYS, id="help"):
            with Horizontal(id="help-line"):
                yield Static("/ ", id="help-prompt", markup=False)
                yield StillInput(placeholder="type to find a key or an action", compact=True, id="help-input")
            with VerticalScroll(can_focus=False, id="page"):
                yield KeyColumns(self._groups)
            yield Static(content(_SIGNS), id="help-signs")

    @on(Input.Changed)
    def _find(self, event: Input.Changed) -> None:
        self.query_one(KeyColumns).find(event.value)


def help_here(
    screen: HostScreen, actions: Iterable[Action], own: Sequence[tuple[str, str]] = ()
) -> list[KeyGroup]:
    """What every key does that is active on a screen now: actions by group with their cost, then the rest.

    The keys are those a person has given to the actions; each sentence ends with the name that the action has
    in the configuration. `own` are the keys and labels of the person's own commands.
    """
    keys: dict[str, list[str]] = {}
    others: dict[str, str] = {}
    for node, binding, _enabled, _tooltip in screen.active_bindings.values():
        if binding.id:
            keys.setdefault(binding.id, []).append(screen.app.get_key_display(binding))
            if node not in (screen, screen.app):
                others[binding.id] = binding.description
    known = [action for action in actions if action.id in keys and action.is_offered(screen)]
    groups = [*_grouped(known, keys)]
    cursor = [KeyHelp(" ".join(keys[id]), what, f"{what} · {id}") for id, what in others.items()]
    yours = [KeyHelp(key, label) for key, label in own]
    groups += [KeyGroup("Cursor", tuple(cursor)), KeyGroup("Your own", tuple(yours))]
    return [group for group in groups if group.keys]


def _grouped(actions: Iterable[Action], keys: dict[str, list[str]]) -> Iterator[KeyGroup]:
    ordered = sorted(actions, key=lambda action: _GROUPS.index(action.group))
    for group, members in groupby(ordered, key=lambda action: action.group):
        told = [
            KeyHelp(" ".join(keys[action.id]), action.label, f"{action.described} · {action.id}")
            for action in members
        ]
        yield KeyGroup(group, tuple(told))


# ---- questions before what cannot be taken back or is much: what, to what, at what cost ----

_UNKNOWN = "\N{REPLACEMENT CHARACTER}"
_LONGEST_TYPED = 100
_HOST_CELLS = 60
NO_WAY_BACK = "A delete cannot be undone."
DELETE_ALL = "Delete all"
TYPED_FROM = 5
"""Records from which on their number has to be typed before they are deleted."""


def deletion(title: str, losses: Sequence[str], *, typed: str | None) -> ConfirmScreen:
    """Asks whether one record is to be deleted; `typed` has to be typed before, if anything."""
    return ConfirmScreen(title, [*losses, NO_WAY_BACK], "Delete", typed=typed, is_danger=True)


def typable(name: str, id: int) -> str:
    """What is to be typed to mean a record: its name, or its id where nobody could type the name."""
    name = name.strip()
    return (
        name if 0 < len(name) <= _LONGEST_TYPED and name.isprintable() and _UNKNOWN not in name else str(id)
    )


def bulk(
    title: str,
    count: int,
    listed: Sequence[str],
    gate: Gate,
    lines: Sequence[str] = (),
    *,
    yes: str,
    typed: bool = False,
) -> ConfirmScreen:
    """Asks whether so many writes are to be done: `listed` a line or several each, with the cost of all.

    Where `typed` says so, their number must be typed.
    """
    cost = f"{gate.quote(count, Lane.TASK)}. Your own actions take priority."
    return ConfirmScreen(
        f"{title}?",
        [*lines, cost],
        yes,
        typed=str(count) if typed else None,
        listed=listed,
        is_danger=yes == DELETE_ALL,
    )


def reading_again(title: str, change: JournalEntry, now: datetime) -> ConfirmScreen:
    """Asks whether a record that somebody else has changed is to be read again before it is edited."""
    when = ago((now - change.begun).total_seconds())
    lines = [
        f"Changed by {change.author} {when}: {change.intent.summary}.",
        "The values shown are older. Reloading costs 1 request.",
    ]
    return ConfirmScreen(f"Reload {title}?", lines, "Reload", no="Edit anyway")


def discarding(title: str, left: int) -> ConfirmScreen:
    """Asks whether a bulk job is to be discarded."""
    lines = [
        f"{counted(left, 'change')} of it will not be sent." if left else "Nothing of it is left to do.",
        "What was done stays done; the journal keeps it.",
    ]
    return ConfirmScreen(f"Discard the job: {title}?", lines, "Discard")


def opening(link: str, host: str) -> ConfirmScreen:
    """Asks whether a link is to be opened that does not plainly show where it leads."""
    return ConfirmScreen(
        f"Open {shortened(host, _HOST_CELLS)}?", ["The link looks like another:", link], "Open"
    )


def switching(name: str, host: str, typed: Sequence[str], left: int) -> ConfirmScreen | None:
    """Asks whether to switch to a profile; None where nothing is open and it is not in production.

    `typed` are the places with a form that is not saved; `left` items of a bulk job wait.
    """
    lines = [f"It is in production: {host}"] if is_production(name) else []
    if typed:
        lines.append("Forms that are not saved are kept as drafts, without passwords:")
    if left:
        lines.append(f"The bulk job stops with {counted(left, 'item')} left, and can be resumed later.")
    if not lines:
        return None
    return ConfirmScreen(f"Switch to {name}?", lines, "Switch", listed=typed)


def quitting(on_the_way: Sequence[str], left: int) -> ConfirmScreen:
    """Asks whether to quit while something is on its way; `left` items of a bulk job wait."""
    lines = ["Quitting does not take back what was sent; the journal will call its outcome unknown."]
    if left:
        lines.append(f"The bulk job stops with {counted(left, 'item')} left, and can be resumed later.")
    return ConfirmScreen("Quit now?", lines if on_the_way else lines[1:], "Quit", listed=on_the_way)
