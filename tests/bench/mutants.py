"""Small faults put into the code one at a time: `python -m tests.bench.mutants [module…]` prints the unseen.

Each fault changes one comparison, truth value, sum or number. The tests named for the module run in a process
forked for it, which imports the module with the fault in place of the one on disk; what is not ours has been
imported before. A fault that all of the tests let pass is printed. `--sample N` tries N of each module.
"""

import argparse
import ast
import copy
import importlib.abc
import importlib.machinery
import os
import random
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import CodeType, ModuleType

import pytest
from hypothesis import Phase, settings

ROOT = Path(__file__).parents[2]
_BUDGET = (
    "tests/api/budget/test_limit_estimate.py",
    "tests/api/budget/test_scheduler.py",
    "tests/api/budget/test_reserves.py",
    "tests/api/budget/test_allowance_json.py",
    "tests/api/budget/test_window.py",
    "tests/api/budget/test_refill_rate.py",
    "tests/api/budget/test_reset_drift.py",
)
_LAWS = ("tests/api/budget/test_budget_properties.py", "tests/simulator/test_simulator.py")

TABLE: dict[str, tuple[str, ...]] = {
    "linkdash/api/budget/allowance.py": (*_BUDGET, *_LAWS),
    "linkdash/api/budget/scheduler.py": (*_BUDGET, "tests/api/budget/test_gate.py", *_LAWS),
    "linkdash/api/budget/window.py": (*_BUDGET, *_LAWS),
    "linkdash/api/budget/answer_log.py": (*_BUDGET, *_LAWS),
    "linkdash/api/budget/other_spenders.py": (*_BUDGET, *_LAWS),
    "linkdash/api/budget/rate_headers.py": ("tests/api/budget/test_rate_headers.py", *_BUDGET),
    "linkdash/api/budget/gate.py": (
        "tests/api/budget/test_gate.py",
        "tests/api/budget/test_ledger.py",
        "tests/api/http/test_connection_sharing.py",
        "tests/api/budget/test_shared_budget_file.py",
    ),
    "linkdash/api/http/envelope.py": (
        "tests/api/http/test_envelope.py",
        "tests/api/http/test_coalescing.py",
        "tests/api/http/test_connection_sharing.py",
        "tests/api/http/test_recent_exchanges.py",
        "tests/api/http/test_connection_secrecy.py",
        "tests/api/http/test_options.py",
    ),
    "linkdash/api/paging.py": ("tests/api/test_paging.py",),
    "linkdash/model/declaration.py": (
        "tests/model/writes/test_settling.py",
        "tests/model/writes/test_planned_changes.py",
        "tests/model/writes/test_draft.py",
    ),
    "linkdash/store/journal.py": ("tests/store/test_journal.py", "tests/store/test_team.py"),
    "linkdash/store/journal_table.py": ("tests/store/test_journal.py", "tests/store/test_team.py"),
    "linkdash/store/page_cache.py": ("tests/store/test_page_cache.py",),
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
    settled = {id(node) for node in _decorators(tree)}
    for number, node in enumerate(ast.walk(tree)):
        for change in range(0 if id(node) in settled else _changes(node)):
            mutated = copy.deepcopy(tree)
            target = next(found for place, found in enumerate(ast.walk(mutated)) if place == number)
            before = ast.unparse(target)
            _change(target, change)
            yield Mutant(getattr(node, "lineno", 0), before, ast.unparse(target), ast.unparse(mutated))


def _decorators(tree: ast.AST) -> Iterator[ast.AST]:
    """The decorators that say how a class is made, which is no behaviour."""
    for node in ast.walk(tree):
        for decorator in getattr(node, "decorator_list", ()):
            yield from ast.walk(decorator)


def _changes(node: ast.AST) -> int:
    """Return how many faults can be put into a node itself."""
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


class _Spoilt(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """An importer of one module from code of its own."""

    def __init__(self, name: str, code: CodeType) -> None:
        self._name, self._code = name, code

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        return importlib.machinery.ModuleSpec(fullname, self) if fullname == self._name else None

    def exec_module(self, module: ModuleType) -> None:
        exec(self._code, module.__dict__)  # noqa: S102  (it is our own code, with a fault)


def import_what_is_not_ours() -> None:
    """Import everything the tests stand on, then forget what is ours: each process imports it anew.

    That a fault is seen is enough: no smaller example is looked for.
    """
    settings.register_profile("seen", phases=(Phase.explicit, Phase.generate), database=None, max_examples=40)
    settings.load_profile("seen")
    import_module("tests.conftest")
    for name in [name for name in sys.modules if name.partition(".")[0] in ("linkdash", "tests")]:
        del sys.modules[name]


def passes(name: str, source: str, tests: Sequence[str], seconds: int) -> bool:
    """Return whether the tests pass within so many seconds, in a process with another source of a module."""
    code = compile(source, name, "exec")
    if (child := os.fork()) == 0:
        os.setpgrp()
        signal.alarm(seconds)
        silence = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(silence, stream)
        sys.meta_path.insert(0, _Spoilt(name.removesuffix(".py").replace("/", "."), code))
        status = 1
        try:
            status = pytest.main(["-x", "-n", "0", "--assert=plain", "-p", "no:cacheprovider", *tests])
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    return status == 0


def unseen(name: str, tests: Sequence[str], sample: int | None, seed: int) -> Iterator[str]:
    """A line for every fault of a module that the tests let pass, and one that sums up."""
    source = (ROOT / name).read_text()
    begun, worked = time.monotonic(), sum(os.times()[:4])
    if not passes(name, source, tests, seconds=600):
        raise SystemExit(f"{name}: the tests fail without a fault")
    longest = 10 + 3 * int(time.monotonic() - begun)
    found = list(mutants(source))
    if sample is not None:
        found = random.Random(seed).sample(found, min(sample, len(found)))
    passed = 0
    for mutant in found:
        if passes(name, mutant.source, tests, longest):
            passed += 1
            yield f"{name}:{mutant.line}: {mutant.before}  ->  {mutant.after}"
    work = sum(os.times()[:4]) - worked
    yield f"{name}: {passed} of {len(found)} unseen, {work:.0f} s of the processor's work"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.mutants", description=__doc__)
    parser.add_argument("modules", nargs="*", help="paths of modules (all of the table)")
    parser.add_argument("--sample", type=int, help="so many faults of each module, at random (all)")
    parser.add_argument("--tests", type=int, help="so many of the tests of a module, the quickest (all)")
    parser.add_argument("--seed", type=int, default=1, help="what decides the sample (1)")
    options = parser.parse_args()
    os.chdir(ROOT)
    import_what_is_not_ours()
    for name in options.modules or TABLE:
        for line in unseen(name, TABLE[name][: options.tests], options.sample, options.seed):
            print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
