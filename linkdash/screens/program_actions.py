"""The actions of the program, which work on every screen.

What they open is imported when it is opened: the first paint does not wait for it.
"""

from typing import TYPE_CHECKING

from linkdash.model.resources import OVERVIEW
from linkdash.screens.actions import CHECK, Action
from linkdash.screens.host_app import HostApp
from linkdash.screens.key_names import KeyNames
from linkdash.screens.lists.list_actions import LIST_ACTIONS
from linkdash.widgets.frame.message_line import Message

if TYPE_CHECKING:
    from linkdash.model.settings import Settings


async def show_help(app: HostApp) -> None:
    """Show every key that works on the screen; press the one that is chosen there."""
    from linkdash.screens.host_screen import HostScreen
    from linkdash.screens.lists.own_commands import label_of, offered
    from linkdash.screens.windows.help import HelpScreen, help_here

    screen = app.screen
    if isinstance(screen, HostScreen):
        own = [
            (command.key, label_of(name, command)) for name, command in offered(app.settings, screen.place_id)
        ]
        possible = [action for action in screen.actions if action.is_offered(screen)]
        groups = help_here(screen, [*possible, *PROGRAM_ACTIONS], own)
        chosen = await app.push_screen_wait(HelpScreen(f"Keys on {screen.place}", groups))
        if chosen is not None:
            app.simulate_key(chosen.pressed)


def show_palette(app: HostApp) -> None:
    """Open the command palette."""
    from linkdash.screens.palette.open_palette import open_palette

    open_palette(app)


async def go_to_overview(app: HostApp) -> None:
    """Go to the overview itself, also from what was opened on it; there already, to its first line."""
    from linkdash.screens.insight.overview import OverviewScreen

    if isinstance(app.screen, OverviewScreen):
        app.screen.arrive()
    await app.navigation.go(OVERVIEW.id)
    while len(app.screen_stack) > 1:
        await app.pop_screen()


async def go_back(app: HostApp) -> None:
    """Go to the place that was left last, as it was left."""
    if app.navigation.previous_place:
        await app.navigation.go(app.navigation.previous_place)
    else:
        app.say("There is no previous place.")


async def choose_recent(app: HostApp) -> None:
    """Go to a record that was opened last, or to a watched code."""
    from linkdash.screens.recent import open_recent

    await open_recent(app)


def show_budget(app: HostApp) -> None:
    """Show what the budget was spent on."""
    from linkdash.screens.budget import BudgetScreen

    if not isinstance(app.screen, BudgetScreen):
        app.push_screen(BudgetScreen(app.session))


def show_journal(app: HostApp) -> None:
    """Show the journal of changes."""
    from linkdash.screens.journal import JournalScreen

    if not isinstance(app.screen, JournalScreen):
        app.clear_notifications()  # what led here has been read, and would lie over it
        app.push_screen(JournalScreen(app.session))


async def show_bulk_job(app: HostApp) -> None:
    """Show the job that is under way, else the last one or one that an earlier run has left.

    From a job that is shown, any other.
    """
    from linkdash.model.copy_choices import PickerChoice
    from linkdash.screens.windows.picker import PickerScreen
    from linkdash.screens.writes.bulk_job import OTHERS, JobScreen
    from linkdash.screens.writes.job_words import counts_words

    app.clear_notifications()
    shown = app.screen if isinstance(app.screen, JobScreen) else None
    jobs = [] if shown is not None else await app.session.jobs.known()
    if not jobs:
        recent = await app.session.store.jobs.recent(OTHERS + 1)
        jobs = [job for job in recent if shown is None or job.id != shown.job.id][:OTHERS]
    choices = {PickerChoice(f"{job.id} {job.title}", counts_words(job)): job for job in jobs}
    if not choices:
        app.say("No other bulk job is kept." if shown is not None else "No bulk job is kept.")
        return
    choice: PickerChoice | None = next(iter(choices))
    if len(choices) > 1:
        choice = await app.push_screen_wait(PickerScreen("Bulk jobs", list(choices)))
    if choice is None:
        return
    if shown is not None:
        shown.show_job(choices[choice])
    else:
        app.push_screen(JobScreen(app.session, choices[choice]))


async def show_messages(app: HostApp) -> None:
    """Choose from what was said in this run, the newest first, and show that whole."""
    from linkdash.model.copy_choices import PickerChoice
    from linkdash.screens.windows.picker import PickerScreen
    from linkdash.screens.windows.viewer import ViewerScreen

    kept = app.messages.kept[::-1]
    if not kept:
        app.say("No messages yet.")
        return
    choices = [PickerChoice(_when(one), _whole(one)) for one in kept]
    chosen: PickerChoice | None = await app.push_screen_wait(PickerScreen("Messages", choices))
    if chosen is not None:
        app.push_screen(ViewerScreen(f"Message of {chosen.label}", chosen.value))


def _when(message: Message) -> str:
    return f"{message.at:%H:%M:%S} {message.kind.sign}" if message.at is not None else message.kind.sign


def _whole(message: Message) -> str:
    return " · ".join(filter(None, (message.sentence, message.next_step)))


async def quit_program(app: HostApp) -> None:
    """Leave at once, or after a question where something is on its way."""
    if not app.is_open or await _agreed_to_quit(app):
        await app.leave(0)


async def _agreed_to_quit(app: HostApp) -> bool:
    from linkdash.model.writes.write_words import summary_of  # the first paint does not wait for them
    from linkdash.screens.windows import questions

    jobs, writes = app.session.jobs, app.session.writes
    job = None if jobs.is_over else jobs.job
    sent = [summary_of(one) for one in writes.sent]
    of_job = [item.intent for item in job.items] if job is not None else []
    queued = [summary_of(one) for one in writes.under_way if writes.is_queued(one) and one not in of_job]
    lost = [] if app.settings.keeps_state else app.navigation.unsaved_places()
    if job is None and not (sent or queued or lost):
        return True
    left = 0 if job is None else job.left
    agreed: bool = await app.push_screen_wait(questions.quitting(sent, queued, left, lost))
    return agreed


PROGRAM_ACTIONS: tuple[Action[HostApp], ...] = (
    Action(
        "help",
        "?,f1",
        "Help",
        "Show every key that works here",
        "Program",
        shown=True,
        do=show_help,
        opens=True,
    ),
    Action(
        "palette",
        ":,ctrl+p",
        "Commands",
        "Find any action by its name",
        "Program",
        shown=True,
        do=show_palette,
    ),
    Action(
        "overview",
        "h",
        "Overview",
        "Go to the overview: what changed, and what needs you",
        "Program",
        do=go_to_overview,
        opens=True,
    ),
    Action(
        "before",
        "-",
        "Previous place",
        "Go back to the previous place; again, forward",
        "Program",
        do=go_back,
        opens=True,
    ),
    Action(
        "recent",
        "R",
        "Recent",
        "Go to a record that was opened last, or to a watched code",
        "Program",
        do=choose_recent,
        opens=True,
    ),
    Action(
        "budget",
        "b",
        "Budget",
        "Show which requests used the budget of the rate limit",
        "Program",
        do=show_budget,
    ),
    Action(
        "journal",
        "w",
        "Journal",
        "Show every change made from here, and its outcome",
        "Program",
        do=show_journal,
    ),
    Action(
        "bulk",
        "B",
        "Bulk job",
        "Show the bulk job that is running or was left over, else an earlier one",
        "Program",
        do=show_bulk_job,
        opens=True,
    ),
    Action(
        "messages",
        "M",
        "Messages",
        "Show earlier messages, the newest first",
        "Program",
        do=show_messages,
        opens=True,
    ),
    Action(
        "suspend",
        "ctrl+z",
        "Suspend",
        "Go back to the shell; fg returns",
        "Program",
        do=lambda app: app.action_suspend_process(),
    ),
    Action(
        "quit",
        "q,ctrl+q",
        "Quit",
        "Quit linkdash",
        "Program",
        shown=True,
        do=quit_program,
        words="exit close",
        asks=True,
    ),
)


def keys_of(settings: "Settings") -> KeyNames:
    """The keys as a user has them."""
    return KeyNames(settings.keys, (*PROGRAM_ACTIONS, CHECK), LIST_ACTIONS)
