"""Files and pipes of `export` and `import`: a path with a known ending, or `-` for standard streams."""

import errno
import hashlib
import os
import sys
from pathlib import Path

from linkdash.commands.exit_status import WrongUsage
from linkdash.model.file_formats import FILE_ENDINGS, format_by_ending
from linkdash.model.session import Session
from linkdash.model.writes.import_file import ReadFile, read_data, read_file, whole
from linkdash.store.files import NOT_REGULAR, NotSaved, is_replaceable

PIPE = "-"
"""The name of standard output and input."""


def format_of(file: str, wanted: str | None) -> str:
    """The format of a file: the one wanted, else what its ending says; CSV in a pipe. Raises WrongUsage."""
    if wanted is not None:
        return wanted
    if file == PIPE:
        return "csv"
    if form := format_by_ending(file):
        return form
    raise WrongUsage(f"{Path(file).name}: unknown file type.", f"{FILE_ENDINGS} --format says it, too.")


def check_target(file: str) -> None:
    """Raise NotSaved where a file cannot be written, so that nothing is asked for in vain."""
    path = Path(file)
    problem = ""
    if file == PIPE:
        return
    if not path.parent.is_dir():
        problem = os.strerror(errno.ENOENT)
    elif path.is_dir():
        problem = os.strerror(errno.EISDIR)
    elif not is_replaceable(path):
        problem = f"{NOT_REGULAR}; {PIPE} is standard output"
    elif not os.access(path.parent, os.W_OK | os.X_OK):
        problem = os.strerror(errno.EACCES)
    if problem:
        raise NotSaved(f"{path} could not be written: {problem}.", "Nothing was saved.")


def read_input(session: Session, file: str, wanted: str | None) -> tuple[Path, ReadFile]:
    """The path by which a file is known, or what came through standard input, and the rows.

    Raises LinkdashError.
    """
    form = format_of(file, wanted)
    if file != PIPE:
        path = Path(file)
        return path, read_file(path, form)
    data = whole(sys.stdin.buffer, "Standard input")
    digest = hashlib.sha256(data).hexdigest()
    path = session.store.state_folder / "imports" / f"{digest[:16]}.{form}"
    return path, read_data(data, "Standard input", form)
