"""Help for where a person is: every key that does something there, from the actions themselves."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Input, Static

from linkdash.screens.actions import Action
from linkdash.screens.host import HostScreen
from linkdash.screens.windows import PageWindow, TypingScreen
from linkdash.widgets.frame import HORIZONTAL_BREAKPOINTS
from linkdash.widgets.inputs import StillInput
from linkdash.widgets.keys import KeyColumns, KeyGroup, KeyHelp
from linkdash.widgets.panel import Window
from linkdash.widgets.pieces import Piece, Tone, content

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
