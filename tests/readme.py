"""Writes the README's table of keys from the actions themselves: `python -m tests.readme`."""

from collections.abc import Iterator
from pathlib import Path

from textual.binding import Binding

from linkdash.model.resources import PLACES
from linkdash.screens.actions import LIST_ACTIONS, PROGRAM_ACTIONS, Action, key_names
from linkdash.screens.registry import every_screen
from linkdash.screens.resource import ResourceScreen
from linkdash.widgets.form import Form
from linkdash.widgets.table import RecordTable

README = Path(__file__).parent.parent / "README.md"
BEGIN = "<!-- keys: python -m tests.readme writes this table from the actions themselves -->\n"
END = "<!-- end of keys -->"


def key_table() -> str:
    """Every key with what it does and costs, by where it works."""
    places: dict[tuple[str, str, str, str], list[str]] = {}
    for where, *told in _rows():
        places.setdefault((told[0], told[1], told[2], told[3]), []).append(where)
    lines = ["| where | key | action | does | costs |", "| --- | --- | --- | --- | --- |"]
    lines += [_row(", ".join(where), *told) for told, where in places.items()]
    return "\n".join(lines) + "\n"


def _rows() -> Iterator[tuple[str, str, str, str, str]]:
    places = ", ".join(place.title for place in PLACES)
    keys = " or ".join(place.key for place in PLACES)
    yield "anywhere", keys, f"go-{PLACES[0].id} …", places, "1 request, if not seen before"
    for action in PROGRAM_ACTIONS:
        yield _of_action("anywhere", action)
    for binding in RecordTable.BINDINGS:
        if isinstance(binding, Binding):
            yield "a list", key_names(binding.key), binding.id or "", binding.description, ""
    for action in LIST_ACTIONS:
        yield _of_action("a list", action)
    shared = {action.id for action in LIST_ACTIONS}
    for screen in sorted(every_screen(), key=lambda screen: screen.TITLE or screen.__name__):
        is_list = issubclass(screen, ResourceScreen)
        for action in screen.ACTIONS:
            if not (is_list and action.id in shared):
                yield _of_action(screen.TITLE or screen.__name__, action)
    for binding in Form.BINDINGS:
        if isinstance(binding, Binding) and binding.id:
            yield "a form", key_names(binding.key), binding.id, binding.description, ""


def _of_action(where: str, action: Action) -> tuple[str, str, str, str, str]:
    return where, key_names(action.keys), action.id, action.help, action.cost


def _row(where: str, keys: str, action: str, does: str, cost: str) -> str:
    shown = " ".join(f"`{key}`" for key in keys.split(" or "))
    return f"| {where} | {shown} | {action} | {does} | {cost} |"


def with_keys(readme: str) -> str:
    """The README with its table of keys written anew."""
    before, rest = readme.split(BEGIN)
    after = rest.split(END)[1]
    return f"{before}{BEGIN}{key_table()}{END}{after}"


if __name__ == "__main__":
    README.write_text(with_keys(README.read_text()))
