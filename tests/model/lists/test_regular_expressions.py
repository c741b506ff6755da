from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkdash.model.lists.regular_expressions import MAX_SEARCHED, Pattern


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("^spring.*2026$", "Spring flyer 2026"),
        (r"(foo|bar)\d{2,4}", "x BAR123"),
        (r"https?://[^/]+/.*x", "https://a.example/path/x"),
        ("[]a]+b", "]ab"),
        (r"\(a\+\)\+", "(a+)+"),
        ("(?:ab){3}", "ababab"),
        ("[[a]b", "[b"),
        ("^haupt.*ß", "hauptstrasse"),
    ],
)
def test_ordinary_expressions_are_searched_without_regard_to_case(pattern: str, text: str) -> None:
    assert Pattern(pattern).found_in(text)
    assert not Pattern(pattern).found_in("nothing of it")


@pytest.mark.parametrize("pattern", ["(a+)+$", "(?:a{1,9}){1,9}b", "((((a+))))+b"])
def test_an_expression_that_runs_away_is_stopped(pattern: str) -> None:
    with pytest.raises(TimeoutError):
        Pattern(pattern).found_in("a" * (MAX_SEARCHED - 1) + "!")


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(", "not complete"),
        ("[a", "not complete"),
        ("*", "not complete"),
        ("a{99999999999}", "not complete"),
        ("a" * 201, "longer than 200"),
    ],
)
def test_what_is_no_expression_is_refused_with_a_reason(pattern: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Pattern(pattern)


def test_only_the_beginning_of_a_text_is_searched() -> None:
    assert Pattern("x").found_in("a" * (MAX_SEARCHED - 1) + "x")
    assert not Pattern("x").found_in("a" * MAX_SEARCHED + "x")


@given(st.text(r"ab()[]|*+?{}\.^$-:=!<P1,3", max_size=14))
def test_any_text_is_an_expression_that_ends_or_a_reason(text: str) -> None:
    try:
        pattern = Pattern(text)
    except ValueError:
        return
    with suppress(TimeoutError):
        assert pattern.found_in("ab" * 20 + "c") in (True, False)
