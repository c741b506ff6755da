"""Which keys are active at the same time: everything that a person's own keys are checked against."""

from textual.binding import Binding
from textual.widget import Widget

from linkdash.screens.host import HostScreen
from linkdash.screens.places import PLACES
from linkdash.screens.program_actions import PROGRAM_ACTIONS
from linkdash.screens.registry import OPENED_SCREENS, SCREENS
from linkdash.screens.statistics.charts_screen import ChartsScreen
from linkdash.widgets.form import Form
from linkdash.widgets.table import RecordTable


def key_contexts() -> list[list[tuple[str, str]]]:
    """For each screen, the ids and keys of all that is active on it."""
    everywhere = [
        *((action.id, action.keys) for action in PROGRAM_ACTIONS),
        *((f"go-{place.id}", place.key) for place in PLACES),
    ]
    return [*(everywhere + _keys_on(screen) for screen in (*SCREENS, *OPENED_SCREENS)), _ids_and_keys(Form)]


def _keys_on(screen: type[HostScreen]) -> list[tuple[str, str]]:
    of_table = [] if issubclass(screen, ChartsScreen) else _ids_and_keys(RecordTable)
    return [*((action.id, action.keys) for action in screen.ACTIONS), *of_table]


def _ids_and_keys(widget: type[Widget]) -> list[tuple[str, str]]:
    declared = (binding for binding in widget.BINDINGS if isinstance(binding, Binding))
    return [(binding.id, binding.key) for binding in declared if binding.id]
