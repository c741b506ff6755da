"""The palette: one line to type into, and what it finds: records, actions, places, themes, profiles."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.theme import Theme
from textual.widgets import Input, Static
from textual.worker import Worker

from linkdash.api.text import inert
from linkdash.config import CommandSetting
from linkdash.model.arrangement import View
from linkdash.model.finding import Finder, Found, spans
from linkdash.model.resources import Place
from linkdash.model.session import ProfileChoice
from linkdash.screens.actions import Action, KeyNames
from linkdash.screens.frame import is_production
from linkdash.screens.host import HostScreen
from linkdash.screens.record_actions import label_of
from linkdash.screens.users import REVIEW
from linkdash.screens.windows import TypingScreen
from linkdash.widgets.frame import Freshness, PlaceEntry
from linkdash.widgets.inputs import StillInput
from linkdash.widgets.keys import key_sign
from linkdash.widgets.lines import OPENS, FoundGroup, FoundLine, FoundList
from linkdash.widgets.panel import Window
from linkdash.widgets.pieces import Piece, Tone

_RECORDS = 12
"""Records that are shown of those found, and more where there is room."""
RECORDS, DO, GO, VIEWS, LOOK = "Records", "Do", "Go", "Views", "Themes and profiles"
_ON_A_RECORD = frozenset({"row", "targets", "line", "comparable"})
"""What an action needs that does something with what is under the cursor, or selected."""
_ONLY = {"@": RECORDS, ">": DO, "#": GO}
_HINT = "a name, id, address, tag or e-mail; an action, a place, a theme"
_KEYS = (
    Piece(" open · ", Tone.MUTED),
    *(Piece("tab", Tone.KEY), Piece(" next group · ", Tone.MUTED)),
    *(Piece("@ > #", Tone.KEY), Piece(" users, actions, places · ", Tone.MUTED)),
    *(Piece("esc", Tone.KEY), Piece(" close", Tone.MUTED)),
)


@dataclass(frozen=True)
class Entry:
    """Something the palette can do, and how it is shown."""

    line: FoundLine
    do: Callable[[], object]
    """What choosing it does; what it gives back is awaited where that can be."""
    words: str = ""
    """What it is found by beside its label."""
    theme: str = ""
    """The theme that it shows while the cursor is on it."""

    def found_by(self, words: Sequence[str]) -> "Entry | None":
        """This entry with what was looked for marked; None where it holds not all of it."""
        hits = spans(self.line.label, words)
        if hits is None and spans(f"{self.line.label}\n{self.words}", words) is None:
            return None
        return replace(self, line=replace(self.line, hits=hits or ()))


@dataclass(frozen=True)
class Group:
    """Entries of one kind."""

    title: str
    entries: Sequence[Entry]
    note: str = ""


class PaletteScreen(TypingScreen[Entry | None]):
    """Finds as one types; gives what was chosen. While the cursor is on a theme, it is shown."""

    BINDINGS = [
        ("escape", "close", "Close"),
        ("down,ctrl+n", "move(1)", "Next"),
        ("up,ctrl+p", "move(-1)", "Previous"),
        ("pagedown", "page(1)", "Down"),
        ("pageup", "page(-1)", "Up"),
        ("tab", "group(1)", "Next group"),
        ("shift+tab", "group(-1)", "Previous group"),
    ]

    def __init__(
        self,
        finder: Finder,
        open_record: Callable[[Found], object],
        groups: Sequence[Group],
        views: Callable[[], Awaitable[Group]],
    ) -> None:
        """`views` reads the views of every list, while a person may type already."""
        super().__init__()
        self._finder, self._open_record, self._groups = finder, open_record, [*groups]
        self._views = views
        self._entries: list[Entry] = []
        """What is shown, in the order of the lines."""

    def compose(self) -> ComposeResult:
        with Window(
            title="Find anything", keys=[Piece(key_sign(self, OPENS), Tone.KEY), *_KEYS], id="palette"
        ):
            with Horizontal(id="palette-line"):
                yield Static("❱ ", id="palette-prompt", markup=False)
                yield StillInput(placeholder=_HINT, compact=True, id="palette-input")
            yield FoundList(id="palette-list")

    def on_mount(self) -> None:
        self._theme = self.app.theme
        self._show(self._groups)
        self.run_worker(self._add_views(), group="views", exit_on_error=False)

    async def _add_views(self) -> None:
        group = await self._views()
        after = next(number for number, one in enumerate(self._groups) if one.title == LOOK)
        self._groups.insert(after, group)
        if group.entries:
            self._look_for(self.query_one(Input).value)

    @property
    def _list(self) -> FoundList:
        return self.query_one(FoundList)

    # ---- finding ----

    @on(Input.Changed)
    def _find(self, event: Input.Changed) -> None:
        self._look_for(event.value)

    def _look_for(self, typed: str) -> None:
        search = partial(self._search, typed)
        _: Worker[None] = self.run_worker(search, group="find", exclusive=True, exit_on_error=False)

    async def _search(self, typed: str) -> None:
        only = _ONLY.get(typed[:1], "")
        words = (typed[1:] if only else typed).casefold().split()
        groups = [_matching(group, words) for group in self._groups if only in ("", group.title)]
        if words and only in ("", RECORDS):
            most = max(_RECORDS, self._list.size.height - 1 - sum(map(_rows, groups)))
            found, count = await self._finder.find(" ".join(words), most, only="users" if only else "")
            groups.insert(0, self._records(found, count, words))
        self._show(groups)

    def _records(self, found: Sequence[Found], count: int, words: Sequence[str]) -> Group:
        more = f" · {len(found)} of {count:,}, type more" if count > len(found) else ""
        return Group(RECORDS, [self._record(one, words) for one in found], f"kept here, no request{more}")

    def _record(self, found: Found, words: Sequence[str]) -> Entry:
        hits = [span for word in words for span in spans(found.name, [word]) or ()]
        line = FoundLine(found.resource.place.icon, found.name, found.note, hits=sorted(hits))
        return Entry(line, partial(self._open_record, found))

    def _show(self, groups: Sequence[Group]) -> None:
        self._entries = [entry for group in groups for entry in group.entries]
        shown = [
            FoundGroup(group.title, [entry.line for entry in group.entries], group.note) for group in groups
        ]
        self._list.show(shown)
        self.query_one(Window).say(below=() if self._entries else [Piece("Nothing found", Tone.WARNING)])

    # ---- choosing ----

    @property
    def _entry(self) -> Entry | None:
        return self._entries[self._list.cursor] if self._entries else None

    @on(FoundList.Moved)
    def _preview(self) -> None:
        entry = self._entry
        self.app.theme = entry.theme if entry is not None and entry.theme else self._theme

    @on(Input.Submitted)
    @on(FoundList.Opened)
    def _choose(self) -> None:
        if self._entry is not None:
            self.dismiss(self._entry)

    def action_close(self) -> None:
        self.app.theme = self._theme
        self.dismiss(None)

    def action_move(self, by: int) -> None:
        self._list.move(by)

    def action_page(self, pages: int) -> None:
        self._list.page(pages)

    def action_group(self, by: int) -> None:
        self._list.next_group(by)


def _rows(group: Group) -> int:
    """How many rows of the list it takes; one without entries is not shown."""
    return len(group.entries) + 1 if group.entries else 0


def _matching(group: Group, words: Sequence[str]) -> Group:
    found = (entry.found_by(words) for entry in group.entries)
    return replace(group, entries=[entry for entry in found if entry is not None])


# ---- what there is to find ----


def doing(screen: HostScreen, do: Callable[[str], object]) -> Group:
    """The actions of a screen, first those on the record under its cursor, last those not possible now."""
    actions = [action for action in screen.ACTIONS if screen.check_action("do", (action.id,))]
    possible = [action for action in actions if action.blocked(screen) is None]
    possible.sort(key=lambda action: _ON_A_RECORD.isdisjoint(action.needs))
    others = [action for action in actions if action not in possible and action.is_offered(screen)]
    entries = [
        action_entry("›", action, screen.keys, partial(do, action.id), action.blocked(screen) or "")
        for action in (*possible, *others)
    ]
    on_a_record = any(not _ON_A_RECORD.isdisjoint(action.needs) for action in possible)
    return Group(DO, entries, "on the record under the cursor" if on_a_record else "")


def action_entry(
    icon: str, action: Action, keys: KeyNames, do: Callable[[], object], why_not: str = ""
) -> Entry:
    """An action with its key, as a person has it; `why_not` is why it is not possible now."""
    told = why_not or f"{action.described} · {action.id}"
    line = FoundLine(icon, action.label, told, keys.of(action.id, [action]), icon_tone=Tone.KEY)
    return Entry(line, do, words=f"{action.described} · {action.id}")


def own_command_entry(name: str, command: CommandSetting, run: Callable[[], object]) -> Entry:
    """A command that the person has configured."""
    line = FoundLine("›", label_of(name, command), "Your own command", command.key, icon_tone=Tone.KEY)
    return Entry(line, run, words=name)


def place_entry(place: PlaceEntry, go: Callable[[], object]) -> Entry:
    """A place, with how much of it is known."""
    note = "not loaded" if place.freshness is Freshness.NOT_LOADED else place.count
    return Entry(FoundLine("→", place.name, note, place.key, icon_tone=Tone.KEY), go)


def view(place: Place, view: View, open: Callable[[], object]) -> Entry:
    """A view of a list that was saved."""
    label = f"{place.title}: {inert(view.name)}"
    return Entry(FoundLine(place.icon, label, inert(view.described)), open, words=view.described)


def themes(known: Iterable[Theme], current: str, choose: Callable[[str], object]) -> list[Entry]:
    """Every theme; each is shown while the cursor is on it."""
    return [
        Entry(
            FoundLine("◑", f"Theme: {theme.name}", _theme_note(theme, current), icon_tone=Tone.WARNING),
            partial(choose, theme.name),
            theme=theme.name,
        )
        for theme in sorted(known, key=lambda theme: (not theme.name.startswith("linkdash"), theme.name))
    ]


def _theme_note(theme: Theme, current: str) -> str:
    return f"{'dark' if theme.dark else 'light'}{' · in use' if theme.name == current else ''}"


def review(open: Callable[[], object]) -> Entry:
    """The review of users, from wherever a person is."""
    return Entry(FoundLine("→", "Review users", REVIEW.help, icon_tone=Tone.KEY), open, words=REVIEW.help)


def profile(choice: ProfileChoice, current: str, open: Callable[[], object]) -> Entry:
    """A profile that can be switched to."""
    in_production = is_production(choice.name)
    notes = (
        inert(choice.host),
        "read-only" if choice.read_only else "",
        "in use" if choice.name == current else "asks first" if in_production else "",
    )
    told = " · ".join(filter(None, notes))
    tone = Tone.BAD if in_production else Tone.GOOD
    return Entry(FoundLine("●", f"Profile: {inert(choice.name)}", told, icon_tone=tone), open)
