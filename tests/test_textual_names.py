"""Names of our classes that Textual's classes above them have too: none that is not meant."""

import ast
import inspect
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

from textual.message_pump import MessagePump

import linkdash
from linkdash.widgets.textual_fixes.patches import PATCHES
from tests.syntax import syntax_of
from tests.test_architecture import PACKAGE, imports_of, name_of

CONFIGURED = {
    "css_path",
    "theme",
    "title",
    "tooltip",
    "value",
    "border_title",
    "border_subtitle",
    "display",
    "virtual_size",
}
"""Textual's own members, set where a widget is to have another value."""
DECLARED = {"can_focus", "can_focus_children", "cursor_blink", "cursor_position", "focused"}
"""The same, said once for a class."""
OVERRIDDEN = {
    "get_css_variables",
    "theme_variables",
    *("compose", "render", "render_line", "render_lines", "get_content_height", "get_content_width"),
    *("on_event", "on_mount", "check_action", "check_consume_key", "action_paste", "action_help_quit"),
    *("get_default_screen", "get_line_filters", "get_key_display", "get_theme_variable_defaults"),
    *("get_driver_class", "suspend", "notify", "notify_style_update", "delay_update", "refresh_css"),
    *("allow_focus", "watch_has_focus", "action_press"),
}
"""Documented ways to have something done otherwise."""
MENDED = {
    *("_check_bindings", "_close_all", "_display", "_fatal_error", "_handle_exception", "_load_screen_css"),
    *("_workers", "_disable_notifications", "update_styles"),
}
"""What the fixes of Textual override, and nothing else does."""
_NAMED = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
FIXES = f"{linkdash.__name__}.widgets.textual_fixes"


@cache
def classes_in(path: Path) -> dict[str, ast.ClassDef]:
    """The definitions in a file by the qualified names of their classes."""
    return {name: node for name, node in _named_in(syntax_of(path), "") if isinstance(node, ast.ClassDef)}


def _named_in(node: ast.AST, within: str) -> Iterator[tuple[str, ast.AST]]:
    for part in ast.iter_child_nodes(node):
        name = f"{within}{part.name}" if isinstance(part, _NAMED) else ""
        if name:
            yield name, part
        inside = within if not name else f"{name}." if isinstance(part, ast.ClassDef) else f"{name}.<locals>."
        if isinstance(part, ast.stmt | ast.ExceptHandler):
            yield from _named_in(part, inside)


@cache
def own_names(kind: type) -> frozenset[str]:
    """The names that a class defines or sets on itself, by its source."""
    names: set[str] = set()
    definition = classes_in(Path(inspect.getfile(kind)))[kind.__qualname__]
    for node in definition.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names.update(target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    stores = (node for node in ast.walk(definition) if isinstance(node, ast.Attribute))
    names.update(
        store.attr
        for store in stores
        if isinstance(store.ctx, ast.Store) and isinstance(store.value, ast.Name) and store.value.id == "self"
    )
    return frozenset(name for name in names if not name.startswith("__") and not name.isupper())


def below(kind: type) -> Iterator[type]:
    """The classes that derive from one."""
    subclasses: list[type] = kind.__subclasses__()
    for one in subclasses:
        yield one
        yield from below(one)


def covered() -> set[tuple[str, str]]:
    """Each class of ours with a name that it has and a class of Textual above it, too."""
    for module in walk_packages(linkdash.__path__, f"{linkdash.__name__}."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    found: set[tuple[str, str]] = set()
    for kind in below(MessagePump):
        if kind.__module__.startswith(f"{linkdash.__name__}."):
            textuals = [above for above in kind.__mro__ if above.__module__.startswith("textual.")]
            names = frozenset[str]().union(*map(own_names, textuals)) & own_names(kind)
            allowed = MENDED if kind.__module__.startswith(FIXES) else set[str]()
            meant = CONFIGURED | DECLARED | OVERRIDDEN | allowed
            found.update((f"{kind.__module__}.{kind.__qualname__}", name) for name in names - meant)
    return found


def test_no_class_covers_a_name_of_textual_that_it_does_not_mean_to() -> None:
    assert covered() == set()


def test_private_names_of_textual_are_imported_by_its_fixes_alone() -> None:
    found = {
        (name_of(path), name)
        for path in PACKAGE.rglob("*.py")
        for name in imports_of(path)
        if name.startswith("textual.") and "._" in name and "textual_fixes" not in path.parts
    }
    assert found == set()


def test_few_functions_of_textual_are_replaced() -> None:
    replaced = {f"{patch.owner.__name__}.{patch.name}" for patch in PATCHES}
    assert len(replaced) == len(PATCHES) <= 11
