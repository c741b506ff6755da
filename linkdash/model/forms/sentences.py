"""What is wrong with a field, in plain words: pydantic finds it, this says it."""

from collections.abc import Mapping

from pydantic import ValidationError
from pydantic_core import ErrorDetails

NEEDED = "this is needed"

_SENTENCES: Mapping[str, str] = {
    "missing": NEEDED,
    "literal_error": "choose one of the list",
    "enum": "choose one of the list",
    "int_parsing": "write a whole number",
    "int_type": "write a whole number",
    "int_from_float": "write a whole number",
    "float_parsing": "write a number",
    "bool_parsing": "this is either on or off",
    "string_too_short": "write at least {min_length} characters",
    "string_too_long": "write at most {max_length} characters",
    "too_short": "write at least {min_length} characters",
    "too_long": "write at most {max_length} characters",
    "greater_than": "write a number above {gt}",
    "greater_than_equal": "write {ge} or more",
    "less_than": "write a number below {lt}",
    "less_than_equal": "write {le} or less",
}


def sentences(error: ValidationError) -> dict[str, str]:
    """A sentence for each member that failed, by its name; "" names the body as a whole."""
    problems = error.errors(include_url=False, include_input=False)
    return {str(problem["loc"][0]) if problem["loc"] else "": _sentence(problem) for problem in problems}


def _sentence(problem: ErrorDetails) -> str:
    context = problem.get("ctx", {})
    if problem["type"] == "value_error":
        return str(context["error"])
    if sentence := _SENTENCES.get(problem["type"]):
        return sentence.format_map(context)
    return problem["msg"][:1].lower() + problem["msg"][1:]
