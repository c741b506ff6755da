"""Files out and in: exporting what is on the screen, also to the clipboard; importing a file into a list.

Of an import every row is checked and the cost is said, then each is sent once.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias, TypeVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.screen import ModalScreen
from textual.widgets import Static

from linkdash.api.model import Record
from linkdash.model.as_text import Choice
from linkdash.model.collection import Collection
from linkdash.model.export import Export
from linkdash.model.humanize import counted
from linkdash.model.importing import (
    Line,
    Problem,
    ResultFile,
    concerns_all,
    have_ids,
    left_to_do,
    outcome_words,
    plan,
    read_file,
)
from linkdash.model.intents import described
from linkdash.model.rows import Progress
from linkdash.model.session import Session
from linkdash.screens import windows
from linkdash.screens.host import HostScreen, copy_text
from linkdash.screens.windows import AskScreen, PickerScreen, ViewerScreen
from linkdash.store.files import downloads_folder, save_text
from linkdash.store.journal import Outcome
from linkdash.widgets.footer import ProgressLine
from linkdash.widgets.keys import KeyLine
from linkdash.widgets.panel import Window

# ---- out ----

Doing: TypeAlias = Callable[[], Coroutine[None, None, None]]


async def offer(
    screen: HostScreen,
    stem: str,
    exports: Sequence[Export],
    others: Mapping[Choice, Doing] | None = None,
) -> None:
    """Asks which of some exports is wanted and where to, or which of `others`, and does it."""
    folder = downloads_folder()
    doing: dict[Choice, Doing] = {}
    for export in exports:
        name = f"{stem}-{export.part}"
        choice = Choice(f"{export.title} to a file", f"{name}.{export.ending}")
        doing[choice] = partial(_to_file, screen, folder, name, export)
        doing[Choice(f"{export.title} to the clipboard", "")] = partial(_to_clipboard, screen, export)
    doing.update(others or {})
    choice_made = await screen.app.push_screen_wait(PickerScreen(f"Export (files go to {folder})", [*doing]))
    if choice_made is not None:
        await doing[choice_made]()


async def _to_file(screen: HostScreen, folder: Path, stem: str, export: Export) -> None:
    await save_to_file(screen, lambda: save_text(folder, stem, export.ending, export.write()))


async def save_to_file(screen: HostScreen, write: Callable[[], Path]) -> None:
    """Writes a file beside the event loop, and says its whole path. Raises NotSaved."""
    screen.done(str(await asyncio.to_thread(write)), "Saved")


async def _to_clipboard(screen: HostScreen, export: Export) -> None:
    copy_text(screen.app, export.title, await asyncio.to_thread(export.write))


# ---- in ----

T = TypeVar("T", bound=Record)


async def import_file(screen: HostScreen, collection: Collection[T]) -> None:
    """Asks for a file, checks it, asks whether to send its rows, and sends them. Raises LinkdashError."""
    resource = collection.resource
    typed = await screen.app.push_screen_wait(
        AskScreen(f"Import into {resource.title}", "A file that ends in .csv, .jsonl or .json")
    )
    if not typed:
        return
    path = await asyncio.to_thread(Path(typed).expanduser)
    rows, digest = await asyncio.to_thread(read_file, path)
    known = await _known(screen, collection) if have_ids(rows) else {}
    planned = plan(resource, rows, known)
    if planned.problems:
        _show_problems(screen, path, planned.problems)
        return
    file = ResultFile(path, digest)
    states = file.states()
    wanted = left_to_do(planned, states)
    intents = [line.intent for line in wanted if line.intent is not None]
    same = len(planned.lines) - len(planned.writes)
    if not intents:
        done = f", {len(states)} tried before" if states else ""
        screen.say(f"{counted(same, 'row')} unchanged{done}.", f"Nothing of {path.name} is left to send")
        return
    lines = [f"{counted(same, 'row')} unchanged."] if same else []
    lines += [f"Left out, because no request has them: {', '.join(planned.ignored)}."] * bool(planned.ignored)
    lines += [f"{counted(len(states), 'row')} tried before, not sent again."] * bool(states)
    question = windows.bulk(
        f"Import {counted(len(intents), 'row')} of {path.name} into {resource.title}",
        len(intents),
        [line for intent in intents for line in described(intent, resource.update)],
        screen.session.gate,
        lines,
        yes="Import",
    )
    if await screen.app.push_screen_wait(question):
        await screen.app.push_screen_wait(ImportScreen(screen.session, path.name, file, wanted))
        screen.done(str(file.path), f"{outcome_words(file.states())}. What became of each row is in")


async def _known(screen: HostScreen, collection: Collection[T]) -> dict[int, Record]:
    """Every record there is, as it is now: the rows are compared with them."""
    await collection.read(1)
    rest = collection.plan()
    if rest is not None and rest.missing:
        screen.say(str(collection.quote(rest)), "Loading all records, to compare the rows with them")
        await collection.load_all(rest)
    return {record.id: record for record in collection.records}


def _show_problems(screen: HostScreen, path: Path, problems: Sequence[Problem]) -> None:
    text = "\n".join(map(str, problems))
    title = f"{counted(len(problems), 'row')} of {path.name} cannot be sent, so nothing was"
    screen.app.push_screen(ViewerScreen(title, Text(text)))


class ImportScreen(ModalScreen[None]):
    """Sends rows and shows how far it is; over with the last row, or after the one that is on its way."""

    BINDINGS = [Binding("escape", "stop", "Stop after this row")]

    def __init__(self, session: Session, name: str, file: ResultFile, lines: Sequence[Line]) -> None:
        super().__init__()
        self._session = session
        self._name = name
        self._file = file
        self._lines = lines
        self._is_stopped = False

    def compose(self) -> ComposeResult:
        with Window(title=f"Importing {self._name}", classes="-question"):
            yield ProgressLine(id="import-progress")
            yield Static(id="import-last", classes="window-lines", markup=False)
        yield KeyLine()

    def on_mount(self) -> None:
        self.run_worker(self._run(), exit_on_error=False)

    async def _run(self) -> None:
        unknown = 0
        try:
            await asyncio.to_thread(self._file.begin)
            for number, line in enumerate(self._lines):
                progress = Progress(number, len(self._lines), "rows")
                self.query_one("#import-progress", ProgressLine).show(progress)
                result, told = await self._file.send(self._session, line)
                self.query_one("#import-last", Static).update(told)
                unknown = unknown + 1 if result.outcome is Outcome.UNKNOWN else 0
                if self._is_stopped or unknown > 1 or concerns_all(result):
                    break
        finally:
            self.dismiss()

    def action_stop(self) -> None:
        self._is_stopped = True
        self.query_one("#import-last", Static).update("Stopping after this row…")
