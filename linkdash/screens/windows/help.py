"""The help window: the keys that work on the screen."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.geometry import Region
from textual.widgets import Input, Static

from linkdash.guide import TOPICS, page
from linkdash.model.humanize import ATTENTION
from linkdash.model.resources import PLACES
from linkdash.screens.actions import AnyAction
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.windows.page_window import PageWindow
from linkdash.widgets.charts.cell_pictures import NONE
from linkdash.widgets.filter_line import StillInput
from linkdash.widgets.frame.key_help import KeyColumns, KeyGroup, KeyHelp
from linkdash.widgets.frame.key_line import KeyLine
from linkdash.widgets.frame.sizes import HORIZONTAL_BREAKPOINTS, size_classes
from linkdash.widgets.panel import Window
from linkdash.widgets.styled_text import Piece, Tone, content
from linkdash.widgets.table.row_line import CURSOR_SIGN, MARK_SIGN, NOTE_SIGNS
from linkdash.widgets.themes import style_paths

if TYPE_CHECKING:  # most look at the keys alone
    from linkdash.model.copy_choices import PickerChoice
    from linkdash.screens.windows.viewer import ViewerScreen

_GROUPS = ("Move", "Look", "Change", "Program")
_SIGNS = (
    (
        *(Piece("●", Tone.GOOD), Piece(" fresh  "), Piece("◐", Tone.WARNING), Piece(" aged  ")),
        *(Piece("○", Tone.MUTED), Piece(" not loaded  "), Piece("✓", Tone.GOOD), Piece(" done  ")),
        *(Piece("✗", Tone.BAD), Piece(" refused  "), Piece("·", Tone.MUTED), Piece(" not sent  ")),
        *(Piece("?", Tone.WARNING), Piece(" unknown")),
    ),
    (
        *(Piece("▲", Tone.GOOD), Piece(" more  "), Piece("▼", Tone.BAD), Piece(" less  ")),
        *(Piece("="), Piece(" same  "), Piece(ATTENTION, Tone.WARNING), Piece(" look at it  ")),
        *(Piece("≈"), Piece(" estimate  "), Piece("≥"), Piece(" at least  ")),
        *(Piece(NONE, Tone.MUTED), Piece(" no value")),
    ),
    (
        *(
            Piece(CURSOR_SIGN, Tone.KEY),
            Piece(" cursor  "),
            Piece(MARK_SIGN, Tone.WARNING),
            Piece(" selected  "),
        ),
        *(Piece("✎", Tone.WARNING), Piece(" not saved  "), Piece("…"), Piece(" goes on")),
    ),
    (
        *(Piece(NOTE_SIGNS["new"], Tone.KEY), Piece(" made here  ")),
        *(Piece(NOTE_SIGNS["changed"], Tone.KEY), Piece(" changed since the list was read  ")),
        *(Piece(NOTE_SIGNS["yours"], Tone.KEY), Piece(" yours")),
    ),
)
"""The signs of freshness and of outcomes, those beside numbers, those in tables, and those before names."""


class KeyInput(StillInput):
    """The input of what is looked for."""

    BINDINGS = [
        Binding("enter", "screen.press", "Do it"),
        Binding("home", "screen.edge(True)", show=False),
        Binding("end", "screen.edge(False)", show=False),
    ]


class HelpScreen(PageWindow[KeyHelp]):
    """The keys by group; what is typed leaves those that are about it, each with its sentence.

    It gives the key that was chosen among these.
    """

    HORIZONTAL_BREAKPOINTS = HORIZONTAL_BREAKPOINTS
    CSS_PATH = [*style_paths("help", "window")]
    BINDINGS = [
        ("escape,f1", "dismiss", "Close"),
        ("f2", "guide", "Guide"),
        Binding("down", "scroll(1)", show=False),
        Binding("up", "scroll(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
    ]

    def __init__(self, title: str, groups: Sequence[KeyGroup]) -> None:
        super().__init__()
        self._title = title
        self._groups = groups

    def compose(self) -> ComposeResult:
        signs = Content("\n").join(map(content, _SIGNS))
        self.update_classes(size_classes(self.app.size, HORIZONTAL_BREAKPOINTS, []), update=False)
        with Window(title=self._title, id="help"):
            with Horizontal(id="help-line"):
                yield Static("/ ", id="help-prompt", markup=False)
                yield KeyInput(
                    placeholder="type a key or a word to read what it does", compact=True, id="help-input"
                )
            with VerticalScroll(can_focus=False, id="page"):
                yield KeyColumns(self._groups)
                yield Static(signs, classes="help-signs -below")
            yield Static(signs, classes="help-signs")
        yield KeyLine()

    @on(Input.Changed)
    def _find(self, event: Input.Changed) -> None:
        self._columns.find(event.value.removeprefix("/") or event.value)  # the prompt shows it
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "press" or any(columns.chosen is not None for columns in self.query(KeyColumns))

    @property
    def _columns(self) -> KeyColumns:
        return self.query_one(KeyColumns)

    def action_press(self) -> None:
        if self._columns.chosen is not None:
            self.dismiss(self._columns.chosen)

    def action_scroll(self, lines: int) -> None:
        """Scroll; among keys that were found, go to the next one."""
        if self._columns.chosen is None:
            super().action_scroll(lines)
        else:
            self._columns.move(lines)
            row = Region(0, self._columns.cursor_row, 1, 1)
            self.query_one("#page").scroll_to_region(row, animate=False)

    def action_edge(self, top: bool) -> None:
        """Scroll to an end; among keys that were found, go to the first or the last of them."""
        if self._columns.chosen is None:
            super().action_edge(top)
        else:
            self.action_scroll(-self._columns.count if top else self._columns.count)

    def action_guide(self) -> None:
        """Ask for a topic of the guide, and show its page."""
        from linkdash.model.copy_choices import PickerChoice
        from linkdash.screens.windows.picker import PickerScreen

        topics = [PickerChoice(name, about) for name, about in TOPICS.items()]
        self.app.push_screen(PickerScreen("Guide", topics), self._show_topic)

    def _show_topic(self, choice: "PickerChoice | None") -> None:
        if choice is not None:
            self.app.push_screen(guide_page(choice.label))


def guide_page(topic: str) -> "ViewerScreen":
    """A page of the guide; what is copied of it is as it was written."""
    from rich.text import Text

    from linkdash.guide.rendering import drawn_page
    from linkdash.screens.windows.viewer import ViewerScreen

    def written(width: int | None) -> Text | str:
        return page(topic) if width is None else drawn_page(topic, width)

    return ViewerScreen(f"Guide: {topic}", written)


def help_here(
    screen: HostScreen, actions: Iterable[AnyAction], own: Sequence[tuple[str, str]]
) -> list[KeyGroup]:
    """Return the help of every key active on a screen: actions by group with their cost, then the rest.

    The keys are those the user has given to the actions; each sentence ends with the name that the action has
    in the configuration. `own` are the keys and labels of the user's own commands.
    """
    keys: dict[str, list[Binding]] = {}
    others: dict[str, str] = {}
    for node, binding, _enabled, _tooltip in screen.active_bindings.values():
        if binding.id:
            keys.setdefault(binding.id, []).append(binding)
            if node not in (screen, screen.app):
                others[binding.id] = binding.description

    def help_of(id: str, label: str, sentence: str, words: str = "") -> KeyHelp:
        named = " ".join(map(screen.app.get_key_display, keys[id]))
        return KeyHelp(named, label, f"{sentence} · {id}", keys[id][0].key, id, words)

    known = [action for action in actions if action.id in keys]
    groups = [
        KeyGroup(group, tuple(help_of(one.id, one.label, one.described, one.words) for one in members))
        for group, members in grouped(known)
    ]
    places = [
        help_of(id, place.title, f"Go to {place.title}")
        for place in PLACES
        if (id := f"go-{place.id}") in keys
    ]
    cursor = [help_of(id, what, what) for id, what in others.items()]
    yours = [KeyHelp(key, label, pressed=key) for key, label in own]
    groups += [
        KeyGroup(title, tuple(made))
        for title, made in (("Go to", places), ("Cursor", cursor), ("Your own", yours))
    ]
    return [group for group in groups if group.keys]


def grouped(actions: Iterable[AnyAction]) -> "groupby[str, AnyAction]":
    """The actions by group, in the order of these."""
    return groupby(sorted(actions, key=lambda one: _GROUPS.index(one.group)), key=lambda one: one.group)
