"""The guide and the pages beside it say what is so: tables, commands, flags, files and links are there."""

import os
import re
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from rich.cells import cell_len

from linkdash.commands.parser import parser
from linkdash.demo.server import Running
from linkdash.guide import TOPICS, page
from linkdash.guide.rendering import drawn_page
from tests import prestarted
from tests.commands.shell import Here, environment
from tests.guide import FOLDER, TABLES, with_tables

ROOT = Path(__file__).parents[2]
TESTING = ROOT / ".github" / "TESTING.md"
PAGES = [*sorted(FOLDER.glob("*.md")), ROOT / "README.md", *sorted((ROOT / ".github").glob("*.md"))]
SCRIPTS, END = "<!-- scripts:", "<!-- end of scripts -->"


def shown_scripts() -> list[str]:
    text = (FOLDER / "scripts.md").read_text().partition(SCRIPTS)[2].partition(END)[0]
    return [line.strip() for line in text.splitlines()[1:] if line.strip()]


def command_lines(text: str) -> Iterator[list[str]]:
    """The lines after `linkdash` in examples and between backticks, up to the end of each command."""
    for code in re.findall(r"`([^`\n]+)`|^    (.*)$", text, re.MULTILINE):
        for command in re.findall(r"(?:^|[(&|*] ?|bin/|%h\S*/)linkdash ([a-z-][^|#&)}>]*)", "".join(code)):
            yield re.sub(r"'[^']*'|\"[^\"]*\"", "X", command).split()


def test_every_topic_has_its_page_and_every_page_is_a_topic() -> None:
    assert {path.stem for path in FOLDER.glob("*.md")} == set(TOPICS)
    for topic in TOPICS:
        assert page(topic).startswith("# ")
        assert "<!--" not in page(topic)


def test_the_tables_are_those_of_the_declarations() -> None:
    texts = {path: path.read_text() for path in FOLDER.glob("*.md")}
    assert sorted(name for text in texts.values() for name in TABLES if f"<!-- {name}: " in text) == sorted(
        TABLES
    )
    for path, text in texts.items():
        assert text == with_tables(text), f"{path.name}: python -m tests.guide"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_link_leads_to_a_file(path: Path) -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text())
    assert [target for target in targets if not (path.parent / target).exists()] == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_command_and_flag_that_is_named_exists(path: Path) -> None:
    main = parser()
    common = {flag for one in main.arguments for flag in one.option_strings}
    for words in command_lines(path.read_text()):
        verb = next((word for word in words if not word.startswith("-")), None)
        own = main.verbs[verb].parser.arguments if verb in main.verbs else []
        known = common | {flag for one in own for flag in one.option_strings}
        given = {word.partition("=")[0] for word in words if word.startswith("--")}
        assert verb is None or verb in main.verbs or verb.isupper() or given & common, words
        assert given <= known, words


def test_every_variable_of_the_environment_is_told() -> None:
    sources = "".join(path.read_text() for path in (ROOT / "linkdash").rglob("*.py"))
    names = set(re.findall(r'"(LINKDASH_\w+)"', sources))
    assert len(names) >= 4
    assert {name for name in names if f"`{name}`" not in page("config")} == set()


# ---- linkdash help ----


@pytest.fixture
def here(service: Running, capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(service, capsys)


def test_help_lists_topics_and_commands(here: Here) -> None:
    lines = here("help").out.splitlines()
    named = {line.split()[0] for line in lines if line.startswith("  ")}
    assert named == {*TOPICS, *parser().verbs}


def test_help_shows_a_page_as_it_is_where_that_is_no_terminal(here: Here) -> None:
    assert here("help", "filters").out == page("filters")


def test_help_shows_the_flags_of_a_command(here: Here) -> None:
    assert here("help", "list").out == here("list", "--help").out


def test_help_of_what_is_a_command_and_a_topic_shows_both(here: Here) -> None:
    shown = here("help", "budget").out
    assert shown.startswith(here("budget", "--help").out)
    assert shown.endswith(page("budget"))


def test_help_of_what_is_not_there_names_what_is(here: Here) -> None:
    ran = here("help", "filtres")
    assert ran.status == 2
    assert "filters" in ran.told


# ---- what is shown can be run ----


@pytest.mark.skipif(os.name != "posix", reason="they are lines of a shell of POSIX")
@pytest.mark.nightly
def test_every_line_for_scripts_runs(service: Running, tmp_path: Path) -> None:
    lines = shown_scripts()
    assert len(lines) >= 10
    script = "set -e\n" + "".join(f"{{ {line}; }} > {number}.out\n" for number, line in enumerate(lines))
    folder = Path(prestarted.program()).parent
    ran = subprocess.run(
        ["sh", "-c", script],
        env=environment(service, PATH=f"{folder}:{os.environ['PATH']}"),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    empty = {line for number, line in enumerate(lines) if not (tmp_path / f"{number}.out").read_text()}
    assert empty <= {line for line in lines if " export " in line or " import " in line or " > " in line}
    assert (tmp_path / "report.md").read_text().startswith("# 2 QR codes")


def test_every_promise_has_a_command_that_exists() -> None:
    table = TESTING.read_text().partition("## Promises")[2].partition("\n## ")[0]
    rows = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("| ")][2:]
    assert len(rows) >= 15
    for promise, how, cell in rows:
        command = cell.replace("--nightly ", "").strip(" `").split()
        assert promise.strip()
        assert how.strip()
        match command:
            case [".venv/bin/pytest", *paths]:
                assert paths
                assert [path for path in paths if not (ROOT / path).exists()] == []
            case [".venv/bin/python", "-m", module]:
                assert find_spec(module) is not None, module
            case [program]:
                assert os.access(ROOT / program, os.X_OK), program
            case _:
                raise AssertionError(cell)


@pytest.mark.parametrize("topic", TOPICS)
@pytest.mark.parametrize("width", [60, 100])
def test_a_drawn_page_fits_and_nothing_of_it_is_cut(topic: str, width: int) -> None:
    drawn = drawn_page(topic, width).plain
    assert max(map(cell_len, drawn.splitlines())) <= width
    assert drawn.count("…") == page(topic).count("…"), "what is cut ends so"


def test_the_picture_of_a_screen_is_not_folded_in_the_dashboard_at_80_columns() -> None:
    picture = re.findall(r"^    (.*[─━│└█].*)$", (FOLDER / "statistics.md").read_text(), re.MULTILINE)
    drawn = drawn_page("statistics", 65).plain.splitlines()
    assert picture
    assert not [line for line in picture if f" {line}" not in drawn]
