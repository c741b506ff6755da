"""The table of verbs: each row calls a function that there is, of what it says that it needs."""

import inspect

import pytest

from linkdash.commands.verbs import SESSION, VERBS


@pytest.mark.parametrize("name", VERBS)
def test_a_verb_calls_a_function_of_what_it_needs(name: str) -> None:
    verb = VERBS[name]
    function = verb.function()
    first, second = inspect.signature(function).parameters
    needed = ("session", "flags") if verb.needs == SESSION else ("flags", "environment")
    assert (first.lstrip("_"), second.lstrip("_")) == needed
    assert inspect.iscoroutinefunction(function) is (verb.needs == SESSION)
