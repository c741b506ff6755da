"""Verbs and the functions that they are."""

import argparse
import inspect

import pytest

from linkdash.commands.dispatch import verb_of
from linkdash.commands.parser import parser

WITHOUT_A_SESSION = {"completion", "demo-server", "doctor", "help", "man", "profiles", "setup", "store"}
CASES = [
    (name, argparse.Namespace(command=name, action=action, filter=text))
    for name in sorted(parser().verbs.keys() - WITHOUT_A_SESSION)
    for action, text in [(None, None), *([(None, "a")] if name in ("update", "delete") else [])]
]


@pytest.mark.parametrize(("name", "flags"), CASES)
def test_every_verb_has_a_function_in_a_file_of_its_own(name: str, flags: argparse.Namespace) -> None:
    verb = verb_of(flags)
    assert inspect.iscoroutinefunction(verb)
    assert [*inspect.signature(verb).parameters] == ["session", "flags"]
    named = {"import": "import_file"}.get(name, name)
    file = "filtered_writes" if flags.filter is not None else named
    assert verb.__module__.removeprefix("linkdash.commands.") == file
