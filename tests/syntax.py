"""The syntax of the files that tests read, parsed once for all of them."""

import ast
from functools import cache
from pathlib import Path


@cache
def syntax_of(path: Path) -> ast.Module:
    """Return a file's syntax, which is not to be changed."""
    return ast.parse(path.read_text())


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    """All of a file's syntax."""
    return [*ast.walk(syntax_of(path))]
