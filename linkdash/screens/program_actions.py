"""What can be done everywhere in the program."""

from linkdash.screens.actions import Action

PROGRAM_ACTIONS = (
    Action("palette", ":,ctrl+p", "Commands", "Everything that can be done here, by name", "Program"),
    Action("budget", "b", "Budget", "Who spent what of the request budget", "Program"),
    Action("journal", "w", "Journal", "What was changed from here, and what became of it", "Program"),
    Action("bulk", "B", "Bulk", "The bulk job that is under way, or was left over", "Program"),
    Action("help", "?,f1", "Help", "Every key that does something here", "Program", shown=True),
    Action("quit", "q", "Quit", "Leave linkdash", "Program", shown=True),
)
