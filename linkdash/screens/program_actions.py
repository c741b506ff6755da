"""The actions of the program, which work on every screen."""

from typing import TYPE_CHECKING

from linkdash.screens.actions import Action

if TYPE_CHECKING:
    from linkdash.screens.app_services import AppServices

PROGRAM_ACTIONS: tuple[Action["AppServices"], ...] = (
    Action(
        "help",
        "?,f1",
        "Help",
        "Show every key that works here",
        "Program",
        shown=True,
        do=lambda app: app.do_help(),
    ),
    Action(
        "palette",
        ":,ctrl+p",
        "Commands",
        "Find any action by its name",
        "Program",
        shown=True,
        do=lambda app: app.do_palette(),
    ),
    Action(
        "overview",
        "h",
        "Overview",
        "Go to the overview: what changed, and what needs you",
        "Program",
        do=lambda app: app.do_overview(),
        opens=True,
    ),
    Action(
        "before",
        "-",
        "Previous place",
        "Go back to the previous place; again, forward",
        "Program",
        do=lambda app: app.do_before(),
        opens=True,
    ),
    Action(
        "recent",
        "R",
        "Recent",
        "Go to a record that was opened last, or to a watched code",
        "Program",
        do=lambda app: app.do_recent(),
        opens=True,
    ),
    Action(
        "budget",
        "b",
        "Budget",
        "Show how the request budget was spent",
        "Program",
        do=lambda app: app.do_budget(),
    ),
    Action(
        "journal",
        "w",
        "Journal",
        "Show every change made from here, and its outcome",
        "Program",
        do=lambda app: app.do_journal(),
    ),
    Action(
        "audit",
        "A",
        "Audit",
        "Check loaded records for what is forgotten or broken",
        "Program",
        do=lambda app: app.do_audit(),
    ),
    Action(
        "bulk",
        "B",
        "Bulk job",
        "Show the bulk job that is running or was left over",
        "Program",
        do=lambda app: app.do_bulk(),
        opens=True,
    ),
    Action(
        "messages",
        "M",
        "Messages",
        "Show earlier messages, the newest first",
        "Program",
        do=lambda app: app.do_messages(),
    ),
    Action(
        "suspend",
        "ctrl+z",
        "Suspend",
        "Go back to the shell; fg returns",
        "Program",
        do=lambda app: app.do_suspend(),
    ),
    Action(
        "quit",
        "q,ctrl+q",
        "Quit",
        "Quit linkdash",
        "Program",
        shown=True,
        do=lambda app: app.do_quit(),
        asks=True,
    ),
)
