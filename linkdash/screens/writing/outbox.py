"""The writes of a run as a whole: what is on its way, bulk jobs, and what earlier runs have left unknown."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from textual.app import App
from textual.message import Message

from linkdash.api.client import Endpoints
from linkdash.api.envelope import Members
from linkdash.api.errors import LinkdashError
from linkdash.screens.confirm import ConfirmScreen
from linkdash.screens.host import HostScreen
from linkdash.screens.picker import Choice, PickerScreen
from linkdash.screens.session import Session
from linkdash.screens.words import counted
from linkdash.screens.writing import questions
from linkdash.screens.writing.job import JobScreen, counts_words
from linkdash.screens.writing.journal import JournalScreen
from linkdash.screens.writing.sending import SendingScreen
from linkdash.store.jobs import Item, Job, State
from linkdash.store.journal import Entry
from linkdash.store.settling import Verdict
from linkdash.store.tasks import Task


class Outbox:
    """Runs bulk jobs, settles what is unknown, and knows what is on its way. The app hands on to it."""

    class ItemDone(Message):
        """An item of the bulk job was done."""

        def __init__(self, item: Item, answer: Members) -> None:
            super().__init__()
            self.item, self.answer = item, answer

    def __init__(self, app: App[int], session: Session, screens: Mapping[str, HostScreen]) -> None:
        self._app = app
        self._session = session
        self._bulk = session.bulk
        self._screens = {
            name: screen for name, screen in screens.items() if isinstance(screen, SendingScreen)
        }

    # ---- bulk jobs ----

    async def begin(self, title: str, tasks: Sequence[Task]) -> None:
        """Records a job and runs it."""
        at = datetime.fromtimestamp(self._session.now(), UTC)
        try:
            job = await self._session.store.jobs.create(title, tasks, at)
        except LinkdashError as error:
            self._tell(error)
            return
        self._app.push_screen(JobScreen(self._session, job))
        self.run(job)

    def run(self, job: Job) -> None:
        """Does what is left of a job, as long as no other is under way."""
        if self._bulk.is_over:
            self._app.run_worker(self._run(job), group="bulk", name=job.title, exit_on_error=False)

    async def _run(self, job: Job) -> None:
        await self._bulk.run(job, self._send, self._ended)
        assert self._bulk.job is not None
        if not isinstance(self._app.screen, JobScreen):
            words = ", ".join(counts_words(self._bulk.job))
            self._app.notify(f"{words}. B shows the report.", title=job.title, markup=False)

    async def _send(self, endpoints: Endpoints, task: Task) -> object:
        return await self._screens[task.resource].writer.send(endpoints, task)

    def _ended(self, item: Item, answer: Members) -> None:
        if item.state is State.DONE:
            self._app.post_message(self.ItemDone(item, answer))

    def take(self, task: Task, answer: Members) -> None:
        """Shows what a task has changed, wherever that is."""
        self._screens[task.resource].took(task, answer)

    def took(self, item: Item, answer: Members) -> None:
        """Shows what an item has changed; a record keeps its mark while anything of it failed or is left."""
        job, task = self._bulk.job, item.task
        self.take(task, answer)
        if job is None:
            return
        same = (other for other in job.items if other.task.record_id == task.record_id)
        if task.record_id is not None and all(other.state is State.DONE for other in same):
            self._screens[task.resource].unmark(task.record_id)

    async def show(self) -> None:
        """Opens the job that is under way, else the last one or one that an earlier run has left."""
        jobs = [self._bulk.job] if self._bulk.job is not None else []
        if self._bulk.is_over:
            known = {job.id for job in jobs}
            jobs += [job for job in await self._unfinished() if job.id not in known]
        if not jobs:
            self._app.notify("No bulk job is under way, and none was left over.", markup=False)
        elif len(jobs) == 1:
            self._app.push_screen(JobScreen(self._session, jobs[0]))
        else:
            self._choose(jobs)

    def _choose(self, jobs: Sequence[Job]) -> None:
        choices = {Choice(f"{job.id} {job.title}", ", ".join(counts_words(job))): job for job in jobs}

        def chosen(choice: Choice | None) -> None:
            if choice is not None:
                self._app.push_screen(JobScreen(self._session, choices[choice]))

        self._app.push_screen(PickerScreen("Bulk jobs", list(choices)), chosen)

    async def discard(self, job: Job) -> None:
        """Forgets a job; its writes stay in the journal."""
        try:
            await self._session.store.jobs.discard(job.id)
        except LinkdashError as error:
            self._tell(error)
            return
        self._bulk.forget(job.id)
        if isinstance(self._app.screen, JobScreen):
            self._app.screen.dismiss()
        self._app.notify("Its changes stay in the journal.", title=f"Forgotten: {job.title}", markup=False)

    async def _unfinished(self) -> list[Job]:
        try:
            return await self._session.store.jobs.unfinished()
        except LinkdashError as error:
            self._tell(error)
            return []

    # ---- what is unknown ----

    async def find_out(self, task: Task, entry: Entry | None = None) -> None:
        """Reads once what became of a change, keeps that and says it; `entry` is the journal's, if known."""
        try:
            found = await self._screens[task.resource].look(task)
            if found.happened is not None:
                await self._settle(task, entry, found)
        except LinkdashError as error:
            self._tell(error)
            return
        self._app.notify(found.words, title=task.words, markup=False)
        if isinstance(self._app.screen, JournalScreen):
            self._app.screen.do_refresh()

    async def _settle(self, task: Task, entry: Entry | None, found: Verdict) -> None:
        assert found.happened is not None
        store = self._session.store
        entry = entry or next((e for e in await store.journal.unknown() if e.write.task.is_same(task)), None)
        if entry is not None:
            await store.journal.settle(entry.id, found=found.happened, words=found.words)
        for job in await store.jobs.unfinished():
            for item in job.items:
                if item.state is State.UNKNOWN and item.task.is_same(task):
                    await store.jobs.settle(job.id, item.position, found=found.happened, words=found.words)
                    await self._read_again(job.id)
        if found.happened:
            self.take(task, {})
            await self._forget_draft(task, entry)

    async def _read_again(self, job_id: int) -> None:
        job = await self._session.store.jobs.load(job_id)
        if job is None:
            return
        self._bulk.settled(job)
        if isinstance(self._app.screen, JobScreen) and self._app.screen.job.id == job_id:
            self._app.screen.job = job

    async def _forget_draft(self, task: Task, entry: Entry | None) -> None:
        """What was typed for a change that has happened after all is not offered again."""
        draft = await self._session.kept_draft(task.draft_name)
        if draft is not None and entry is not None and draft.at <= entry.begun:
            await self._session.discard_draft(task.draft_name)

    # ---- at the start and at the end ----

    async def tell_what_is_left(self) -> None:
        """Says what an earlier run has left: changes of unknown outcome, and interrupted bulk jobs."""
        try:
            unknown = len(await self._session.store.journal.unknown())
        except LinkdashError as error:
            self._tell(error)
            return
        if unknown:
            title = f"{counted(unknown, 'change')} of unknown outcome"
            self._warn("w shows what was sent, and f there finds out what became of it.", title)
        for job in await self._unfinished():
            if job.left:
                self._warn(
                    "B shows it; nothing goes on by itself.", f"Interrupted: {job.title}, {job.left} left"
                )

    async def keep_drafts(self) -> None:
        """Keeps what was typed into the forms that are open."""
        for screen in self._screens.values():
            if screen.is_mounted:
                await screen.pane.keep()

    def before_leaving(self) -> ConfirmScreen | None:
        """The question before the program ends while something is on its way; None where nothing is."""
        writes = [
            worker.name for worker in self._app.workers if worker.group == "writes" and worker.is_running
        ]
        job = None if self._bulk.is_over else self._bulk.job
        if not writes and job is None:
            return None
        return questions.leaving(writes, job.left if job else 0)

    def _warn(self, message: str, title: str) -> None:
        self._app.notify(message, title=title, severity="warning", timeout=15, markup=False)

    def _tell(self, error: LinkdashError) -> None:
        self._app.notify(error.advice or " ", title=error.what, severity="error", markup=False)
