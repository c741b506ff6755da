"""Problems of values that break a rule, in plain words: a validator's own are for programmers."""

from pydantic_core import ErrorDetails

_WORDS = {
    "missing": "required",
    "extra_forbidden": "unknown",
    "literal_error": "must be one of {expected}",
    "enum": "must be one of {expected}",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_parsing_size": "is too large",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "string_type": "must be text",
    "string_too_short": "needs {min_length} or more characters",
    "string_too_long": "is longer than {max_length} characters",
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be {ge} or more",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be {le} or less",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "dict_type": "must be an object",
    "too_short": "needs {min_length} or more",
    "too_long": "takes {max_length} at most",
}
"""By the type of the validator's error."""

_OWN = "value_error"
"""The type of an error whose words are the model's own."""


def problem_words(problem: ErrorDetails) -> str:
    """Return what is wrong, without the value that was given."""
    if problem["type"] == _OWN:
        return problem["msg"].removeprefix("Value error, ")
    words = _WORDS.get(problem["type"])
    return problem["msg"] if words is None else words.format(**problem.get("ctx", {}))
