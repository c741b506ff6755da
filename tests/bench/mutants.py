"""Small faults put into the code one at a time: `python -m tests.bench.mutants [module…]` prints the unseen.

Each fault changes one comparison, truth value, sum or number. The tests named for the module run in a copy of
the project; a fault that all of them let pass is printed. Without a module, all of the table are tried, which
takes hours; `--sample N` tries N of each at random.
"""

import argparse
import ast
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_BUDGET = ("tests/api/test_budget.py", "tests/api/test_estimate.py", "tests/api/test_budget_window.py")
_LAWS = ("tests/api/test_budget_properties.py", "tests/simulator/test_simulator.py")

TABLE: dict[str, tuple[str, ...]] = {
    "linkdash/api/allowance.py": (*_BUDGET, "tests/api/test_gate.py", *_LAWS),
    "linkdash/api/budget.py": (*_BUDGET, "tests/api/test_gate.py", *_LAWS),
    "linkdash/api/window.py": (*_BUDGET, *_LAWS),
    "linkdash/api/rate_headers.py": ("tests/api/test_rate_headers.py", *_BUDGET),
    "linkdash/api/gate.py": ("tests/api/test_gate.py", "tests/api/test_connection_sharing.py"),
    "linkdash/api/coalescing.py": ("tests/api/test_coalescing.py", "tests/api/test_connection_sharing.py"),
    "linkdash/api/pages.py": ("tests/api/test_pages.py",),
    "linkdash/model/settling.py": ("tests/model/test_settling.py",),
    "linkdash/store/journal.py": ("tests/store/test_journal.py", "tests/store/test_team.py"),
    "linkdash/store/pages.py": ("tests/store/test_pages.py",),
}
"""The modules, and the tests which have to see a fault in them, the quickest first."""

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_COUNTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
}


@dataclass(frozen=True)
class Mutant:
    """A module with one fault."""

    line: int
    before: str
    after: str
    source: str


def mutants(source: str) -> Iterator[Mutant]:
    """Every fault there is to put into a module."""
    tree = ast.parse(source)
    for number, node in enumerate(ast.walk(tree)):
        for change in range(_changes(node)):
            mutated = copy.deepcopy(tree)
            target = next(found for place, found in enumerate(ast.walk(mutated)) if place == number)
            before = ast.unparse(target)
            _change(target, change)
            yield Mutant(getattr(node, "lineno", 0), before, ast.unparse(target), ast.unparse(mutated))


def _changes(node: ast.AST) -> int:
    """How many faults can be put into a node itself."""
    match node:
        case ast.Compare():
            return sum(type(op) in _COMPARED for op in node.ops)
        case ast.BoolOp():
            return 1
        case ast.BinOp():
            return int(type(node.op) in _COUNTED)
        case ast.UnaryOp():
            return int(isinstance(node.op, ast.Not))
        case ast.Constant():
            return int(isinstance(node.value, bool | int | float))
        case _:
            return 0


def _change(node: ast.AST, change: int) -> None:
    match node:
        case ast.Compare():
            places = [place for place, op in enumerate(node.ops) if type(op) in _COMPARED]
            node.ops[places[change]] = _COMPARED[type(node.ops[places[change]])]()
        case ast.BoolOp():
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        case ast.BinOp():
            node.op = _COUNTED[type(node.op)]()
        case ast.UnaryOp():
            node.operand, node.op = ast.UnaryOp(ast.Not(), node.operand), ast.Not()
        case ast.Constant(value=bool() as value):
            node.value = not value
        case ast.Constant(value=int() | float() as value):
            node.value = value + 1


def copied(folder: Path) -> Path:
    """A copy of what the tests need, in which a module can be spoilt."""
    for name in ("linkdash", "tests", "styles"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, folder)
    return folder


def is_seen(copy_of_project: Path, tests: tuple[str, ...], seconds: float) -> bool:
    """Whether any test fails, or does not end."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONPATH": str(copy_of_project)}
    try:
        ended = subprocess.run(
            command, cwd=copy_of_project, env=environment, capture_output=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return True
    return ended.returncode != 0


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.mutants", description=__doc__)
    parser.add_argument("modules", nargs="*", help="paths of modules (all of the table)")
    parser.add_argument("--sample", type=int, help="so many faults of each module, at random (all)")
    parser.add_argument("--tests", type=int, help="so many of the tests of a module, the quickest (all)")
    parser.add_argument("--seconds", type=float, default=300.0, help="the longest run of the tests (300)")
    parser.add_argument("--seed", type=int, default=1, help="what decides the sample (1)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        project = copied(Path(folder))
        for name in options.modules or TABLE:
            source = (ROOT / name).read_text()
            found = list(mutants(source))
            if options.sample is not None:
                found = random.Random(options.seed).sample(found, min(options.sample, len(found)))
            unseen = 0
            for mutant in found:
                (project / name).write_text(mutant.source)
                if not is_seen(project, TABLE[name][: options.tests], options.seconds):
                    unseen += 1
                    print(f"{name}:{mutant.line}: {mutant.before}  ->  {mutant.after}", flush=True)  # noqa: T201
            (project / name).write_text(source)
            print(f"{name}: {unseen} of {len(found)} unseen", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
