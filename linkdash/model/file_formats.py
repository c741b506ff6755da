"""The formats of the files that `export` writes and `import` reads."""

import os

FILE_FORMATS = ("csv", "json", "jsonl")
FILE_ENDINGS = "Use .csv, .json or .jsonl."
ENDINGS = tuple(f".{format}" for format in FILE_FORMATS)


def format_by_ending(name: str) -> str | None:
    """The format that the ending of a file's name says; None where it says none of these."""
    ending = os.path.splitext(name)[1].removeprefix(".").lower()
    return ending if ending in FILE_FORMATS else None
