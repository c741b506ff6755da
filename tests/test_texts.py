"""Texts for people in plain words: none of those that a reader had to be told the meaning of."""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import linkdash
from linkdash.model.resources import PLACES
from linkdash.screens.actions import AnyAction
from linkdash.screens.lists.list_actions import LIST_ACTIONS
from linkdash.screens.program_actions import PROGRAM_ACTIONS
from tests.syntax import nodes_of, syntax_of

PACKAGE = Path(linkdash.__file__).parent
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if "demo" not in path.parts)
GUIDE = sorted((PACKAGE / "guide").glob("*.md"))

SAID_BY = {
    *(
        "Action",
        "Binding",
        "Button",
        "Choice",
        "Column",
        "Export",
        "Field",
        "Line",
        "Place",
        "Static",
        "Words",
    ),
    *("column", "say", "warn", "notify", "counted", "Option"),
}
"""What is called with texts that may be a single word."""

_WORDS = re.compile(r"[A-Za-z’'…,;:.)] +[({a-zA-Z‘]")
_NO_TEXT = re.compile(
    r"^(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|PRAGMA|WITH|BEGIN|AND |ORDER|WHERE|VALUES)\b|^\s*$|^-"
)


def texts_of(path: Path) -> list[str]:
    """The texts in a module, in their order; `{…}` stands for what is filled in."""
    nodes = nodes_of(path)
    nested = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    quiet = {id(text) for text in _not_said(nodes)}
    said = {id(text) for text in _said(nodes)}
    found: list[tuple[int, int, str]] = []
    for node in nodes:
        if id(node) in nested | quiet:
            continue
        text = _text(node)
        if text and (_WORDS.search(text) or id(node) in said) and not _NO_TEXT.search(text):
            found.append((node.lineno, node.col_offset, " ⏎ ".join(text.split("\n"))))  # type: ignore[attr-defined]
    return [text for _, _, text in sorted(found)]


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        parts = (part.value if isinstance(part, ast.Constant) else "{…}" for part in node.values)
        return "".join(map(str, parts))
    return ""


def _not_said(nodes: Iterable[ast.AST]) -> Iterator[ast.expr]:
    """Docstrings, of attributes too, and annotations."""
    for node in nodes:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value
        annotations = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        for annotation in filter(None, annotations):
            yield from (part for part in ast.walk(annotation) if isinstance(part, ast.Constant))


def _said(nodes: Iterable[ast.AST]) -> Iterator[ast.expr]:
    """The words given to what shows them: those that begin with a capital, which ids and keys do not."""
    for node in nodes:
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in SAID_BY or name.endswith("Error"):
                given = [*node.args, *(keyword.value for keyword in node.keywords)]
                yield from (text for text in given if _text(text)[:1].isupper())


@cache
def shown_texts() -> list[tuple[str, str]]:
    """The texts of all modules, each with the path of its module."""
    return [(str(path.relative_to(PACKAGE.parent)), text) for path in MODULES for text in texts_of(path)]


NOT_PLAIN = {
    r"nobody\b": "say who cannot, or what to do",
    r"\bits turn\b": "queued, in the request queue",
    r"given up|taken back": "cancelled",
    r"stands? still": "does not respond",
    r"at the most\b": "at most",
    r"as (it|they) stands?\b": "exactly",
    r"no place for": "cannot be stored in",
    r"made up for": "built-in",
    r"\bgoes on (here|from)|command goes on": "continue",
    r"\bnot told\b|\btells? (what|how|which|that)\b|\bis told\b": "reported, shown, listed",
    r"holds? (no|it)\b": "contains no, has locked it",
    r"\bbegun anew|is begun\b": "started",
    r"names? no\b": "is not, has no",
    r"could not be understood": "could not be read",
    r"nothing listens": "connection refused",
    r"from 1 on\b": "1 or more",
    r"with a meaning\b": "valid",
    r"\blies? (in|beside)\b": "is in",
    r"the person\b|a person's\b": "you, your",
    r"(?<!there )\b(is|are|was) no\b": "is not",
    r"\bshown first\b": "after a preview",
    r"\bgo together\b": "be combined",
    r"\bso many\b": "this many",
    r"\b(values|plans?) from before\b|\b(the|their) plans? before\b": "previous",
    r"takes? no \w+ back": "cannot undo",
}
"""Words that are not the field's own, as patterns, with what to say instead."""


def test_what_people_read_is_in_plain_words() -> None:
    guide = [(page.name, line) for page in GUIDE for line in page.read_text("utf-8").splitlines()]
    texts = [*shown_texts(), *guide]
    assert len(texts) > 1_000
    any_of_them = re.compile("|".join(NOT_PLAIN), re.IGNORECASE)
    found = [
        f"{path}: {text!r}: say {better}"
        for path, text in texts
        if any_of_them.search(text)
        for pattern, better in NOT_PLAIN.items()
        if re.search(pattern, text, re.IGNORECASE)
    ]
    assert found == []


def test_words_that_are_not_plain_are_found() -> None:
    assert any(re.search(pattern, "Its turn did not come", re.IGNORECASE) for pattern in NOT_PLAIN)


def test_no_text_in_the_program_spells_a_key_of_an_action() -> None:
    """Screens ask for the keys they name, or they would lie to whoever remaps them."""
    actions: list[AnyAction] = [*LIST_ACTIONS, *PROGRAM_ACTIONS]
    keys = {key for action in actions for key in action.keys.split(",")}
    keys |= {place.key for place in PLACES} | {"escape", "esc", "enter"}
    verbs = "shows|asks|tries|loads|refreshes|goes|opens|stops|quits|sorts|clears|resumes|checks|selects"
    named = re.compile(rf"(?:^|[ ;,.(])({'|'.join(map(re.escape, sorted(keys)))}) ({verbs})\b")
    found = [
        f"{path}: {text}"
        for path, text in shown_texts()
        if named.search(text) and not path.startswith(("linkdash/commands/", "linkdash/cli"))
    ]
    assert found == []


# ---- docstrings ----

NO_BEGINNING = re.compile(
    r"(What|Whether|How|One|Where|When|Who|Whose|Which|Why|The way of|Adds|Allows|Appears|Applies|Asks|Beats"
    r"|Begins|Breaks|Brings|Builds|Calls|Checks|Chooses|Closes|Collects|Compares|Creates|Cuts|Decides|Does"
    r"|Draws|Drives|Fills|Finds|Gives|Goes|Has|Hides|Holds|Imports|Is|Keeps|Knows|Lets|Lies|Loads|Looks|Makes"
    r"|Marks|Moves|Offers|Opens|Paints|Passes|Posts|Puts|Refills|Remembers|Replaces|Returns|Rewrites|Says"
    r"|Scrolls|Selects|Sends|Serves|Shows|Sorts|Stands|Stays|Takes|Tells|Waits|Watches|Works)\b"
)
"""The first words of neither a noun phrase nor an imperative."""


def docstrings() -> Iterator[tuple[str, str]]:
    """The docstrings of program and tests, each with its path and the name it is of."""
    for path in sorted([*PACKAGE.rglob("*.py"), *Path(__file__).parent.rglob("*.py")]):
        for node in _statements(syntax_of(path)):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                name = getattr(node, "name", "")
                yield f"{path.relative_to(PACKAGE.parent)} {name}", ast.get_docstring(node) or ""


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """A node and the statements in it, without what these are made of."""
    yield node
    for block in ("body", "orelse", "finalbody", "handlers", "cases"):
        below = getattr(node, block, ())
        for statement in below if isinstance(below, list) else ():
            yield from _statements(statement)


def test_docstrings_are_noun_phrases_or_imperatives() -> None:
    found = [*docstrings()]
    assert len(found) > 5_000
    assert [f"{where}: {text}" for where, text in found if NO_BEGINNING.match(text)] == []
