"""The help window: the keys that work on the screen."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from linkdash.guide import TOPICS, page
from linkdash.model.humanize import ATTENTION
from linkdash.screens.actions import AnyAction
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.windows.page_window import PageWindow
from linkdash.widgets.filter_line import StillInput
from linkdash.widgets.frame.key_help import KeyColumns, KeyGroup, KeyHelp
from linkdash.widgets.frame.key_line import KeyLine
from linkdash.widgets.frame.sizes import HORIZONTAL_BREAKPOINTS, size_classes
from linkdash.widgets.panel import Window
from linkdash.widgets.styled_text import Piece, Tone, content
from linkdash.widgets.themes import style_paths

if TYPE_CHECKING:  # most look at the keys alone
    from linkdash.model.copy_choices import PickerChoice
    from linkdash.screens.windows.viewer import ViewerScreen

_GROUPS = ("Move", "Look", "Change", "Program")
_CHANGEABLE = (Piece("all keys can be changed: linkdash help config", Tone.MUTED),)
_SIGNS = (
    (
        *(Piece("●", Tone.GOOD), Piece(" fresh  "), Piece("◐", Tone.WARNING), Piece(" aged  ")),
        *(Piece("○", Tone.MUTED), Piece(" not loaded   "), Piece("✓", Tone.GOOD), Piece(" done  ")),
        *(Piece("✗", Tone.BAD), Piece(" refused  "), Piece("?", Tone.WARNING), Piece(" unknown  ")),
        *(Piece("–", Tone.MUTED), Piece(" not sent")),
    ),
    (
        *(Piece("▲", Tone.GOOD), Piece(" more  "), Piece("▼", Tone.BAD), Piece(" less  ")),
        *(Piece("="), Piece(" same  "), Piece(ATTENTION, Tone.WARNING), Piece(" look at it  ")),
        *(Piece("≈"), Piece(" estimate  "), Piece("≥"), Piece(" at least  ")),
        *(Piece("+2"), Piece(" columns left out")),
    ),
)
"""The signs of freshness and outcomes, and those beside numbers and tables."""


class HelpScreen(PageWindow[None]):
    """The keys by group; what is typed leaves those that are about it, each with its sentence."""

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

    def __init__(self, place: str, groups: Sequence[KeyGroup]) -> None:
        super().__init__()
        self._place = place
        self._groups = groups

    def compose(self) -> ComposeResult:
        self.update_classes(size_classes(self.app.size, HORIZONTAL_BREAKPOINTS, []), update=False)
        with Window(title=f"Keys on {self._place}", keys=_CHANGEABLE, id="help"):
            with Horizontal(id="help-line"):
                yield Static("/ ", id="help-prompt", markup=False)
                yield StillInput(placeholder="type to find a key or an action", compact=True, id="help-input")
            with VerticalScroll(can_focus=False, id="page"):
                yield KeyColumns(self._groups)
            yield Static(Content("\n").join(map(content, _SIGNS)), id="help-signs")
        yield KeyLine()

    @on(Input.Changed)
    def _find(self, event: Input.Changed) -> None:
        self.query_one(KeyColumns).find(event.value)

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
    screen: HostScreen, actions: Iterable[AnyAction], own: Sequence[tuple[str, str]] = ()
) -> list[KeyGroup]:
    """Return the help of every key active on a screen: actions by group with their cost, then the rest.

    The keys are those the user has given to the actions; each sentence ends with the name that the action has
    in the configuration. `own` are the keys and labels of the user's own commands.
    """
    keys: dict[str, list[str]] = {}
    others: dict[str, str] = {}
    for node, binding, _enabled, _tooltip in screen.active_bindings.values():
        if binding.id:
            keys.setdefault(binding.id, []).append(screen.app.get_key_display(binding))
            if node not in (screen, screen.app):
                others[binding.id] = binding.description
    known = [action for action in actions if action.id in keys]
    groups = [*_grouped(known, keys)]
    cursor = [KeyHelp(" ".join(keys[id]), what, f"{what} · {id}") for id, what in others.items()]
    yours = [KeyHelp(key, label) for key, label in own]
    groups += [KeyGroup("Cursor", tuple(cursor)), KeyGroup("Your own", tuple(yours))]
    return [group for group in groups if group.keys]


def _grouped(actions: Iterable[AnyAction], keys: dict[str, list[str]]) -> Iterator[KeyGroup]:
    ordered = sorted(actions, key=lambda action: _GROUPS.index(action.group))
    for group, members in groupby(ordered, key=lambda action: action.group):
        told = [
            KeyHelp(" ".join(keys[action.id]), action.label, f"{action.described} · {action.id}")
            for action in members
        ]
        yield KeyGroup(group, tuple(told))
