"""Every text a person can see, in one file: to be read at once, and to show in a diff what has changed.

    python -m tests.test_texts

writes `texts.txt` anew, after which someone reads what is new in it.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import linkdash

PACKAGE = Path(linkdash.__file__).parent
TEXTS = Path(__file__).parent / "texts.txt"
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if "demo" not in path.parts)

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
    nodes = [*ast.walk(ast.parse(path.read_text()))]
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


def kept_texts() -> Iterator[tuple[str, str]]:
    """All texts as they are kept, each with the path of its module."""
    path = ""
    for line in TEXTS.read_text().splitlines():
        if line.startswith("# linkdash/"):
            path = line.removeprefix("# ")
        else:
            yield path, line


def every_text() -> str:
    """All texts, by module."""
    parts = ((path, texts_of(path)) for path in MODULES)
    return "\n".join(
        f"# {path.relative_to(PACKAGE.parent)}\n" + "".join(f"{text}\n" for text in texts)
        for path, texts in parts
        if texts
    )


def test_every_text_was_read() -> None:
    kept = TEXTS.read_bytes().decode()  # with the returns that are in some of them
    assert kept == every_text(), "read what is new, then: python -m tests.test_texts"


if __name__ == "__main__":
    TEXTS.write_text(every_text())
