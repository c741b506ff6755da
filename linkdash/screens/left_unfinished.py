"""The remains of an earlier run: changes of unknown outcome, and interrupted bulk jobs."""

from linkdash.model.humanize import counted
from linkdash.screens.host_app import HostApp
from linkdash.store.journal_entry import NOBODY, Author


async def tell_what_is_left(app: HostApp) -> None:
    """Say what an earlier run has left, and the keys that show it."""
    session, keys = app.session, app.keys
    unknown = await session.count_doubts()
    if unknown:
        text = f"{keys.of('journal')} shows what was sent, and checks the outcome."
        app.warn(text, f"{counted(unknown, 'change')} of unknown outcome")
    for job in await session.interrupted_jobs():
        text = f"{keys.of('bulk')} shows it; nothing resumes by itself."
        whose = "" if job.author in (NOBODY, Author.here()) else f" of {job.author}"
        app.warn(text, f"Interrupted{whose}: {job.title}, {job.left} left")
