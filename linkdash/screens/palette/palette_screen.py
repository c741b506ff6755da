"""The palette: a line to type into, and the records, actions, places, themes and profiles that it finds."""

import re
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.widgets import Input, Static
from textual.worker import Worker, WorkerError

from linkdash.api.folded_text import folded
from linkdash.model.lists.record_search import Finder, Found, spans
from linkdash.widgets.filter_line import StillInput
from linkdash.widgets.found_list import OPENS, FoundGroup, FoundLine, FoundList
from linkdash.widgets.frame.key_line import KeyLine, key_sign
from linkdash.widgets.panel import Window
from linkdash.widgets.styled_text import Piece, Tone
from linkdash.widgets.window_screen import WindowScreen

_RECORDS = 12
"""Records that are shown of those found, and more where there is room."""
RECORDS, DO, GO, VIEWS, LOOK = "Records", "Do", "Go", "Views", "Themes and profiles"
ELSEWHERE, FINDINGS = "Elsewhere", "Findings"
_ONLY = {"@": RECORDS, ">": DO, "#": GO}
_WORD = re.compile(r"\w+")
_HINT = "a name, id, address, tag or e-mail; an action, a place, a theme"
_KEYS = (
    Piece(" open · ", Tone.MUTED),
    *(Piece("@", Tone.KEY), Piece(" users only · ", Tone.MUTED)),
    *(Piece(">", Tone.KEY), Piece(" actions · ", Tone.MUTED)),
    *(Piece("#", Tone.KEY), Piece(" places", Tone.MUTED)),
)


@dataclass(frozen=True)
class PaletteEntry:
    """Something the palette can do, and how it is shown."""

    line: FoundLine
    do: Callable[[], object]
    """The effect of choosing it; what it returns is awaited where that can be."""
    words: str = ""
    """Words that it is found by beside its label."""
    theme: str = ""
    """The theme that it shows while the cursor is on it."""

    def found_by(self, words: Sequence[str]) -> "PaletteEntry | None":
        """This entry with what was looked for marked; None where it holds not all of it."""
        hits = spans(self.line.label, words)
        if hits is None and spans(f"{self.line.label}\n{self.words}", words) is None:
            return None
        return replace(self, line=replace(self.line, hits=hits or ()))


@dataclass(frozen=True)
class Group:
    """Entries of one kind."""

    title: str
    entries: Sequence[PaletteEntry]
    note: str = ""
    is_only_found: bool = False
    """True if it is not listed before anything is looked for."""


class PaletteScreen(WindowScreen[PaletteEntry | None]):
    """A search as one types; gives what was chosen. While the cursor is on a theme, it is shown."""

    BINDINGS = [
        Binding("escape", "close", "Close"),
        Binding("down,ctrl+n", "move(1)", show=False),
        Binding("up,ctrl+p", "move(-1)", show=False),
        Binding("tab", "group(1)", "Next group"),
        Binding("shift+tab", "group(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
    ]

    def __init__(
        self,
        finder: Finder,
        open_record: Callable[[Found], object],
        groups: Sequence[Group],
        later: Callable[[], Awaitable[Sequence[Group]]],
    ) -> None:
        """`later` gives what takes longer to find out, while the user may type already."""
        super().__init__()
        self._finder, self._open_record, self._groups = finder, open_record, [*groups]
        self._later = later
        self._finding: Worker[None] | None = None
        self._before = ""
        """The theme that was there before the one under the cursor; "" while the cursor is on none."""
        self._entries: list[PaletteEntry] = []
        """The entries shown, in the order of the lines."""

    def compose(self) -> ComposeResult:
        with Window(
            title="Find anything", keys=[Piece(key_sign(self, OPENS), Tone.KEY), *_KEYS], id="palette"
        ):
            with Horizontal(id="palette-line"):
                yield Static("❱ ", id="palette-prompt", markup=False)
                yield StillInput(placeholder=_HINT, compact=True, id="palette-input")
            yield FoundList(id="palette-list")
        yield KeyLine()

    def on_mount(self) -> None:
        self._show(self._groups)
        self.run_worker(self._add_later(), group="later", exit_on_error=False)

    async def _add_later(self) -> None:
        groups = await self._later()
        after = next(number for number, one in enumerate(self._groups) if one.title == LOOK)
        self._groups[after:after] = groups
        if any(group.entries for group in groups):
            self._look_for(self.query_one(Input).value)

    @property
    def _list(self) -> FoundList:
        return self.query_one(FoundList)

    # ---- finding ----

    @on(Input.Changed)
    def _find(self, event: Input.Changed) -> None:
        self._look_for(event.value)

    def _look_for(self, typed: str) -> None:
        self._run_search(partial(self._search, typed))

    def _run_search(self, search: Callable[[], Coroutine[None, None, None]]) -> None:
        self._finding = self.run_worker(search, group="find", exclusive=True, exit_on_error=False)

    @on(FoundList.Resized)
    def _find_as_many_as_fit(self) -> None:
        if typed := self.query_one(Input).value:
            self._run_search(partial(self._search_again, typed))

    async def _search_again(self, typed: str) -> None:
        """Show as many as there is room for now, with the cursor where it is."""
        chosen = self._entry
        await self._search(typed)
        lines = [entry.line for entry in self._entries]
        if chosen is not None and chosen.line in lines:
            self._list.move_to(lines.index(chosen.line))

    async def _found(self) -> None:
        """Wait until what is listed is what all that was typed has found."""
        while self._finding is not None and not self._finding.is_finished:
            with suppress(WorkerError):  # what was typed since has its own
                await self._finding.wait()

    async def _search(self, typed: str) -> None:
        only = _ONLY.get(typed[:1], "")
        words = folded(typed[1:] if only else typed).split()
        wanted = [group for group in self._groups if words or not group.is_only_found]
        among = [group for group in wanted if _is_among(group, only)]
        groups = [_matching(group, words) for group in among]
        if not any(group.entries for group in groups):
            groups = [_matching(group, [*map(_singular, words)]) for group in among]
        if words:
            records = await self._records(words, groups, only) if only in ("", RECORDS) else []
            is_likely = _is_begun if any(group.entries for group in records) else _is_called
            split = [_split(group, words, is_likely) for group in groups]
            groups = [*(likely for likely, _ in split), *records, *(others for _, others in split)]
        self._show(groups)

    async def _records(self, words: Sequence[str], groups: Sequence[Group], only: str) -> Sequence[Group]:
        """The records that words find, as many as there is room for beside groups."""
        most = max(_RECORDS, self._list.size.height - 1 - sum(map(_rows, groups)))
        found, count = await self._finder.find(" ".join(words), most, only="users" if only else "")
        more = f" · {len(found)} of {count:,}, type more" if count > len(found) else ""
        return [Group(RECORDS, [self._record(one, words) for one in found], f"kept here, no request{more}")]

    def _record(self, found: Found, words: Sequence[str]) -> PaletteEntry:
        hits = [span for word in words for span in spans(found.name, [word]) or ()]
        line = FoundLine(found.resource.place.icon, found.name, found.note, hits=sorted(hits))
        return PaletteEntry(line, partial(self._open_record, found))

    def _show(self, groups: Sequence[Group]) -> None:
        self._entries = [entry for group in groups for entry in group.entries]
        shown = [
            FoundGroup(group.title, [entry.line for entry in group.entries], group.note) for group in groups
        ]
        self._list.show(shown)
        self.refresh_bindings()
        self.query_one(Window).say(below=() if self._entries else [Piece("Nothing found", Tone.WARNING)])

    # ---- choosing ----

    @property
    def _entry(self) -> PaletteEntry | None:
        return self._entries[self._list.cursor] if self._entries else None

    @on(FoundList.Moved)
    def _preview(self) -> None:
        entry = self._entry
        if entry is not None and entry.theme:
            self._before = self._before or self.app.theme
            self.app.theme = entry.theme
        else:
            self._end_preview()

    def _end_preview(self) -> None:
        """Show the theme again that was there before one was looked at."""
        if self._before:
            self.app.theme, self._before = self._before, ""

    @on(Input.Submitted)
    @on(FoundList.Opened)
    async def _choose(self) -> None:
        await self._found()
        if self._entry is not None:
            self.dismiss(self._entry)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Between groups one moves where something is found."""
        return action != "group" or bool(self._entries)

    def action_close(self) -> None:
        self._end_preview()
        self.dismiss(None)

    async def action_move(self, by: int) -> None:
        await self._found()
        self._list.move(by)

    async def action_page(self, pages: int) -> None:
        await self._found()
        self._list.page(pages)

    async def action_group(self, by: int) -> None:
        await self._found()
        self._list.next_group(by)


def _is_among(group: Group, only: str) -> bool:
    """Return whether a group is looked through; for actions alone, those of other screens are too."""
    return only in ("", group.title) or (only == DO and group.title == ELSEWHERE)


def _rows(group: Group) -> int:
    """Return how many rows of the list it takes; one without entries is not shown."""
    return len(group.entries) + 1 if group.entries else 0


def _split(
    group: Group, words: Sequence[str], is_likely: Callable[[str, Sequence[str]], bool]
) -> tuple[Group, Group]:
    """The entries whose label is a likely one for what was typed, and the rest of a group."""
    likely = [entry for entry in group.entries if is_likely(entry.line.label, words)]
    return replace(group, entries=likely), replace(
        group, entries=[entry for entry in group.entries if entry not in likely]
    )


def _is_begun(label: str, words: Sequence[str]) -> bool:
    """Return whether each of the words is the beginning of one of the label's."""
    parts = _WORD.findall(folded(label))
    return all(any(part.startswith(word) for part in parts) for word in words)


def _matching(group: Group, words: Sequence[str]) -> Group:
    """A group with those of its entries that are found; first the one that is called just that."""
    every = (entry.found_by(words) for entry in group.entries)
    found = [entry for entry in every if entry is not None]
    found.sort(key=lambda entry: not _is_called(entry.line.label, words))
    return replace(group, entries=found)


def _is_called(label: str, words: Sequence[str]) -> bool:
    """Return whether the words are the label, or what it names: `work` is `Profile: work`."""
    label, called = folded(label), _singular(" ".join(words))
    return called in (_singular(label), label.rpartition(": ")[2])


def _singular(word: str) -> str:
    """`keys` as `key`: what there is several of may be said in either number."""
    return word[:-1] if len(word) > 3 and word.endswith("s") else word  # not `bus`
