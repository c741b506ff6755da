"""The arrows between the parts, what a start may load, and how large things may become.

api <- store <- model <- {commands, screens} <- {app, cli}, and widgets <- screens; widgets take plain
data from the model. `demo` imports nothing of the rest, and `startup` writes its past into the store.
"""

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest
from textual._color_constants import COLOR_NAME_TO_RGB
from textual.css.tokenize import tokenize

import linkdash
from linkdash.widgets.themes import style_paths
from tests.syntax import nodes_of

PACKAGE = Path(linkdash.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
LONGEST_FUNCTION = 60
DEEPEST = 3

# What the modules of a folder, or a module at the top, may import of linkdash.
ALLOWED: dict[str, set[str]] = {
    "api": {"api"},
    "store": {"store", "api"},
    "demo": {"demo"},
    "guide": {"guide"},
    "model": {"model", "store", "api"},
    "commands": {"commands", "model", "store", "api", "guide", "interrupts"},
    "widgets": {"widgets", "model", "api"},
    "screens": {"screens", "widgets", "model", "store", "api", "guide", "garbage_collection"},
    "app": {"screens", "widgets", "model", "store", "api"},
    "startup": {"startup", "screens", "widgets", "commands", "model", "store", "api", "demo"},
    "cli": {
        "startup",
        "app",
        "screens",
        "commands",
        "model",
        "store",
        "api",
        "garbage_collection",
        "interrupts",
        "demo",
    },
    "garbage_collection": set(),
    "interrupts": set(),
    "__main__": {"cli", "garbage_collection", "interrupts"},
}
RESOURCES = (
    "account",
    "campaigns",
    "channels",
    "domains",
    "overlays",
    "pixels",
    "plans",
    "qr",
    "splash",
    "users",
)
"""The resources, a file each in the client, the model and the demo."""


@cache
def imports_of(path: Path) -> list[str]:
    """The modules a file imports, wherever in it, by their dotted names; `from a import b` gives both."""
    return [*_imports_in(path, nodes_of(path))]


def imported_at_once(path: Path) -> list[str]:
    """Those of them that are imported with the file: none within functions, none for types alone."""
    return [*_imports_in(path, ast.parse(path.read_text(encoding="utf-8")).body)]


def _imports_in(path: Path, nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            assert node.module is not None
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def part_of(path: Path) -> str:
    """The folder of linkdash that a module is in, or its own name at the top."""
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def parts_imported(path: Path) -> set[str]:
    return {
        name.split(".")[1]
        for name in imports_of(path)
        if name.startswith("linkdash.") and name != "linkdash.__version__"
    }


def name_of(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def test_arrows_point_one_way() -> None:
    modules = [path for path in MODULES if path != PACKAGE / "__init__.py"]
    wrong = {name_of(path): parts_imported(path) - ALLOWED[part_of(path)] for path in modules}
    assert {name: parts for name, parts in wrong.items() if parts} == {}


def test_the_package_itself_imports_nothing() -> None:
    assert imports_of(PACKAGE / "__init__.py") == []


@pytest.mark.parametrize("part", ["api", "store", "model", "commands", "demo"])
def test_only_what_is_on_the_screen_knows_textual(part: str) -> None:
    for path in (PACKAGE / part).rglob("*.py"):
        assert not [name for name in imports_of(path) if name.split(".")[0] == "textual"], path


def test_no_widget_knows_a_resource() -> None:
    resources = {f"linkdash.api.resources.{name}" for name in RESOURCES}
    for path in (PACKAGE / "widgets").rglob("*.py"):
        assert resources.isdisjoint(imports_of(path)), path


@pytest.mark.parametrize("part", ["api", "model", "screens", "demo"])
def test_every_part_has_a_file_for_each_resource(part: str) -> None:
    """Only a resource that needs a screen of its own has one."""
    found = {path.stem for path in (PACKAGE / part / "resources").glob("*.py")}
    assert found <= {*RESOURCES, "__init__"} if part == "screens" else found == {*RESOURCES, "__init__"}


def test_every_module_is_under_a_rule() -> None:
    assert {part_of(path) for path in MODULES} - {"__init__"} <= set(ALLOWED)


# ---- circles ----


def module_of(path: Path) -> str:
    return ".".join(["linkdash", *path.relative_to(PACKAGE).with_suffix("").parts]).removesuffix(".__init__")


def circles(imports: Mapping[str, set[str]]) -> set[frozenset[str]]:
    """The groups of modules that reach one another, by the modules that each imports."""

    @cache
    def reached(name: str) -> frozenset[str]:
        found, waiting = set[str](), [name]
        while waiting:
            new = imports[waiting.pop()] - found
            found |= new
            waiting += new
        return frozenset(found)

    return {
        frozenset({name, *(other for other in reached(name) if name in reached(other))})
        for name in imports
        if name in reached(name)
    }


def test_no_imports_go_in_a_circle() -> None:
    """Neither those within functions nor those for types alone, but of screens, which open one another."""
    modules = {module_of(path): path for path in MODULES}
    imports = {
        name: {
            found
            for found in (imported_at_once if part_of(path) == "screens" else imports_of)(path)
            if found in modules and found != name
        }
        for name, path in modules.items()
    }
    for name, found in imports.items():  # `from package.module import name` needs nothing of the package
        inits = {one for one in found if modules[one].name == "__init__.py"}
        imports[name] = found - {one for one in inits if any(other.startswith(f"{one}.") for other in found)}
    assert circles(imports) == set()


def test_a_circle_is_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"d"}}) == {frozenset("bc"), frozenset("d")}


# ---- what a start costs ----

HEAVY = ("textual", "httpx", "pydantic", "plotext", "segno", "starlette", "uvicorn", "sqlite3", "rich")


def modules_after(*codes: str) -> list[set[str]]:
    """All modules that a new interpreter has loaded after each of these, one after the other."""
    parts = [
        f"try:\n    {code}\nexcept SystemExit:\n    pass\nprint('loaded:', *sys.modules)" for code in codes
    ]
    script = "\n".join(["import sys", *parts])
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return [set(line.split()[1:]) for line in ran.stdout.splitlines() if line.startswith("loaded:")]


def test_the_models_come_without_the_transport_and_that_without_the_command_line_of_httpx() -> None:
    models, transport = modules_after(
        "import linkdash.api, linkdash.api.client, linkdash.model.settings",
        "import linkdash.api.http.transport",
    )
    assert models.intersection(HEAVY) == {"pydantic"}
    assert transport.isdisjoint({"rich", "click", "pygments", "httpx._main"})


AFTER_THE_FIRST_PAINT = (
    *(name for name in HEAVY if name not in ("textual", "rich")),
    "zoneinfo",
    "linkdash.api.budget.scheduler",
    "linkdash.api.budget.gate",
    "linkdash.api.records",
    "linkdash.widgets.form.form",
)


def test_a_start_paints_its_frame_before_it_imports_what_asks_the_service(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LINKDASH_BASE_URL", "https://links.example.org")
    monkeypatch.setenv("LINKDASH_API_KEY", "a-key")
    begin = (
        "from linkdash import app, cli; cli._is_terminal = lambda: True;"
        " app.LinkdashApp.run_to_its_end = lambda app: 0; cli.main([])"
    )
    (loaded,) = modules_after(begin)
    assert loaded.intersection(HEAVY) == {"pydantic", "textual", "rich"}


LATER = (
    "httpx",
    "anyio",
    "plotext",
    "segno",
    "webbrowser",
    "linkdash.model.lists.record_search",
    "linkdash.model.lists.export",
    "linkdash.model.as_command",
    "linkdash.model.writes.import_file",
    "linkdash.screens.resource_screen",
    "linkdash.screens.windows.confirm",
    "linkdash.screens.palette.palette_screen",
    "linkdash.screens.statistics.charts_screen",
    "linkdash.screens.statistics.top",
    "linkdash.screens.statistics.statistics",
    "linkdash.widgets.charts.chart",
    "linkdash.widgets.form.form",
    "linkdash.widgets.filter_line",
)
"""What the records of the first screen do not wait for."""


ALL_SCREENS = """\
import importlib, pkgutil, linkdash.screens; from linkdash.screens.registry import every_screen
    known = set(every_screen())
    for module in pkgutil.walk_packages(linkdash.screens.__path__, "linkdash.screens."):
        importlib.import_module(module.name)
    unknown = {screen.__name__ for screen in set(every_screen()) - known}
    assert not unknown, f"{unknown}: their keys are missing in the guide, the palette and what clashes"
"""


def test_a_screen_comes_without_what_it_does_not_need_and_is_known_before_it_was_opened() -> None:
    imports = "linkdash.app, linkdash.startup.run_context, linkdash.model.session"
    overview = "linkdash.screens.insight.overview, linkdash.screens.registry"
    app, records, _ = modules_after("import linkdash.app", f"import {imports}, {overview}", ALL_SCREENS)
    assert app >= {"textual", "rich"}
    assert app.isdisjoint(AFTER_THE_FIRST_PAINT)
    assert records.isdisjoint(LATER)


NOT_FOR_FILES = (
    "httpx",
    "httpcore",
    "anyio",
    "textual",
    "starlette",
    "uvicorn",
    "linkdash.api.http.transport",
    "linkdash.api.qr_payloads",
    "linkdash.model.lists.computed",
    "linkdash.model.statistics",
    "linkdash.model.writes.draft",
    "linkdash.model.writes.one_write",
    "linkdash.model.writes.runner",
)
"""What a verb that only reads files does not import."""
NOT_FOR_SETTINGS = (
    "asyncio",
    "sqlite3",
    "linkdash.api.client",
    "linkdash.model.lists",
    "linkdash.model.session",
    "linkdash.store.database",
)
"""What beside that the verb of the configuration file does not import."""


VERBS = {
    "profiles": (*NOT_FOR_FILES, *NOT_FOR_SETTINGS),
    "journal": NOT_FOR_FILES,
    "list pixels --cached": NOT_FOR_FILES,
    "budget": NOT_FOR_FILES,
}
"""Verbs that only read files, each with what it and those before it do not import."""


def test_a_verb_that_reads_files_imports_nothing_for_other_verbs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINKDASH_BASE_URL", "http://127.0.0.1:9")
    key = "__import__('os').environ.update(LINKDASH_API_KEY='a-key')"
    main = "__import__('linkdash.cli').cli.main"
    found = modules_after(*(f"{key}; {main}({verb.split()})" for verb in VERBS))
    for (verb, without), loaded in zip(VERBS.items(), found, strict=True):
        assert "pydantic" in loaded, verb
        below = tuple(f"{one}." for one in without)
        assert [name for name in loaded if name.startswith(below)] == [], verb
        assert {*without}.isdisjoint(loaded), verb


# ---- styles ----

COLORS = set(COLOR_NAME_TO_RGB) - {"transparent"}


def spelled_out(path: Path) -> list[str]:
    """Colors in a sheet that are no variables of the theme."""
    found, declaring = [], False
    for token in tokenize(path.read_text(), (str(path), "")):
        if token.name == "declaration_name":
            declaring = True
        elif token.name in ("declaration_end", "declaration_set_end"):
            declaring = False
        elif token.name == "color" or (declaring and token.name == "token" and token.value in COLORS):
            found.append(f"{path.name}: {token.value}")
    return found


def test_every_color_is_one_of_the_theme() -> None:
    assert [color for path in style_paths() for color in spelled_out(path)] == []


def test_a_color_that_is_spelled_out_is_found(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.tcss"
    sheet.write_text(
        "#red { color: red; border: round #fff; &:hover { tint: $red; background: rgb(1,2,3); } }"
    )
    assert [found.split(": ")[1] for found in spelled_out(sheet)] == ["red", "#fff", "rgb(1,2,3)"]


def test_no_styles_lie_in_python() -> None:
    for path in MODULES:
        for node in nodes_of(path):
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            names = {target.id for target in targets if isinstance(target, ast.Name)}
            assert names.isdisjoint({"CSS", "DEFAULT_CSS"}), path


# ---- how it is built ----

Definition = ast.FunctionDef | ast.AsyncFunctionDef


def test_no_function_is_long() -> None:
    lengths = {
        f"{name_of(path)}: {node.name}": (node.end_lineno or 0) - node.lineno + 1
        for path in MODULES
        for node in nodes_of(path)
        if isinstance(node, Definition)
    }
    assert {name: length for name, length in lengths.items() if length > LONGEST_FUNCTION} == {}


NAMED_TWICE = {
    "Moved",  # messages are named within their widget, as Textual's own: LineMenu.Moved, FoundList.Moved
    "Opened",  # likewise: LineMenu.Opened, FoundList.Opened, RecordTable.Opened
}


def test_no_class_has_the_name_of_another() -> None:
    names = Counter(
        node.name for path in MODULES for node in nodes_of(path) if isinstance(node, ast.ClassDef)
    )
    assert {name for name, count in names.items() if count > 1} == NAMED_TWICE


def bases_of() -> dict[str, list[str]]:
    """The classes of the screens by name, with the names of their bases."""
    return {
        node.name: [ast.unparse(base).partition("[")[0] for base in node.bases]
        for path in (PACKAGE / "screens").rglob("*.py")
        for node in nodes_of(path)
        if isinstance(node, ast.ClassDef)
    }


def depth(name: str, bases: dict[str, list[str]]) -> int:
    """Return how many classes of ours stand above one another, up to this one."""
    return 1 + max((depth(base, bases) for base in bases[name] if base in bases), default=0)


def test_at_most_three_classes_stand_above_one_another() -> None:
    bases = bases_of()
    assert {name for name in bases if depth(name, bases) > DEEPEST} == set()
    assert depth("QrScreen", bases) == DEEPEST, "HostScreen, ResourceScreen, the resource's own"


WIDGETS_MAY_KNOW = (
    "humanize",
    "lists.columns",
    "lists.rows",
    "progress",
    "qr_symbol",
    "statistics",
    "writes.draft",
    "writes.form_fields",
    "writes.value_texts",
)
"""What of the model is plain data and arithmetic on it."""


def test_widgets_take_plain_data_from_the_model() -> None:
    for path in (PACKAGE / "widgets").rglob("*.py"):
        taken = {
            name.removeprefix("linkdash.model.")
            for name in imports_of(path)
            if name.startswith("linkdash.model.")
        }
        assert not [name for name in taken if not name.startswith(WIDGETS_MAY_KNOW)], path
