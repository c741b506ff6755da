"""The flags and verbs of the command line. Nothing heavy is imported here: completion and `--help` ask it."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property

from linkdash import __version__

TYPE_CHECKING = False  # as of `typing`, which takes longer to import than all the rest
if TYPE_CHECKING:
    from typing import Any, NoReturn

FORMATS = ("table", "json", "jsonl", "csv")
REPORT_FORMATS = ("markdown", "csv", "json")
SHELLS = ("bash", "zsh", "fish")
TERMS = ("monthly", "yearly", "lifetime")
ASKING = "__complete"
"""The command by which a shell asks; the words follow, the last one as far as it is typed."""

Fill = Callable[["Parser"], None]
"""Adds the arguments of a verb to its parser."""

_OUTPUT, _USUAL_COLUMNS = 1, 80
_LARGEST = 2**63 - 1  # what SQLite can hold
_LONGEST_DAYS = 3660
_LONGEST_PAUSE_DIGITS = 5
_EPILOG = (
    "LINKDASH_BASE_URL, LINKDASH_API_KEY and LINKDASH_PROFILE beat the configuration file; flags beat them. "
    "Exit status: 0 fine, 1 failed, 2 wrong usage, 3 refused by the service, 4 a change of unknown outcome, "
    "5 an alert is raised."
)
_WRITES = frozenset({"create", "update", "delete", "assign", "subscribe", "import"})


def is_write(flags: argparse.Namespace) -> bool:
    """Whether what was asked for changes something at the service."""
    return flags.command in _WRITES and not flags.dry_run


class Formatter(argparse.HelpFormatter):
    """Help as wide as the terminal, measured here: argparse would import a library of archives for it."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)


def _columns() -> int:
    """How wide the terminal is: what COLUMNS says, else what it says itself, else 80."""
    said = os.environ.get("COLUMNS", "")
    if said.isdecimal() and int(said) > 0:
        return int(said)
    with suppress(OSError):  # the output is no terminal
        return os.get_terminal_size(_OUTPUT).columns or _USUAL_COLUMNS
    return _USUAL_COLUMNS


class Parser(argparse.ArgumentParser):
    """A parser whose errors are inert and repeat no argument that may be a secret."""

    def __init__(self, **options: "Any") -> None:
        self.arguments: list[argparse.Action] = []
        """What it takes, for completion and the manual page."""
        self.verbs: dict[str, Verb] = {}
        """Its commands."""
        super().__init__(formatter_class=Formatter, allow_abbrev=False, **options)

    def add_argument(self, *names: str, **options: "Any") -> argparse.Action:
        """Adds an argument, as every parser does."""
        argument = super().add_argument(*names, **options)
        self.arguments.append(argument)
        return argument

    def error(self, message: str) -> "NoReturn":
        """Says in two lines what is wrong, and ends with status 2."""
        from linkdash.commands.streams import plain

        what, colon, given = message.partition(": ")
        if what == "unrecognized arguments":
            message = what + colon + " ".join(_named(argument) for argument in given.split())
        self.print_usage(sys.stderr)
        self.exit(2, f"{self.prog}: {plain(message)}\n")


def _named(argument: str) -> str:
    """A flag without its value; nothing of what else was given."""
    return argument.partition("=")[0] if argument.startswith("-") else "…"


def parser() -> Parser:
    """All of it. There is no flag for the key: every user of a machine can read arguments."""
    main = Parser(
        prog="linkdash",
        description="A keyboard-driven terminal dashboard for a link-management service. "
        "Without a command it opens the dashboard.",
        epilog=_EPILOG,
    )
    main.add_argument("--version", action="version", version=f"linkdash {__version__}")
    _add_common(main)
    main.add_argument("--ascii", action="store_true", help="draw the dashboard with plain ASCII signs")
    main.add_argument(
        "--linear",
        action="store_true",
        help="the dashboard for a screen reader: no frames, nothing side by side",
    )
    main.set_defaults(profile=None, base_url=None, read_only=False, demo=False, demo_data=None)
    commands = main.add_subparsers(
        dest="command",
        metavar="COMMAND",
        title="commands",
        parser_class=Verb,  # type: ignore[type-var]  # typeshed wants a whole parser where one method is called
        required=False,
    )
    for name, help, fill in VERBS:
        main.verbs[name] = commands.add_parser(name, help=help, description=f"{help}.", fill=fill)
    return main


class Verb:
    """A command. Its parser is made when it is asked for: to make them all takes longer than the help."""

    def __init__(self, *, fill: Fill, **options: "Any") -> None:
        self._fill = fill
        self._options = options

    @cached_property
    def parser(self) -> Parser:
        """What reads its arguments."""
        parser = Parser(**self._options)
        _add_common(parser)
        self._fill(parser)
        return parser

    def parse_known_args(
        self, arguments: Sequence[str], namespace: argparse.Namespace | None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Takes flags first, then what is left: flags may stand between its arguments."""
        into = argparse.Namespace() if namespace is None else namespace
        return self.parser.parse_known_intermixed_args(arguments, into)


def _add_common(parser: Parser) -> None:
    """The flags that work everywhere; what is not given after a verb stays as before it."""
    unset = argparse.SUPPRESS
    parser.add_argument(
        "--profile", metavar="NAME", default=unset, help="a profile of the configuration file"
    )
    parser.add_argument("--base-url", metavar="URL", default=unset, help="the service's address")
    parser.add_argument("--read-only", action="store_true", default=unset, help="change nothing in this run")
    parser.add_argument(
        "--demo", action="store_true", default=unset, help="try everything on a service made up for it"
    )
    parser.add_argument("--demo-data", metavar="FILE", default=unset, help="keep what is changed in the demo")


# ---- verbs ----


def _list(verb: Parser) -> None:
    _add_resource(verb)
    verb.add_argument("--filter", metavar="TEXT", help="as in the dashboard: 'spring scans>100 !flyer'")
    verb.add_argument(
        "--sort", metavar="A,B", help="by a column, equal ones by the next; --sort=-A puts the largest first"
    )
    verb.add_argument("--reverse", action="store_true", help="turn the whole order around")
    verb.add_argument("--columns", metavar="A,B", help="the columns of table and csv")
    verb.add_argument("--all", action="store_true", help="every page, not only the first")
    verb.add_argument("--limit", type=positive, metavar="N", help="records at the most")
    _add_cached(verb)
    _add_format(verb)


def _get(verb: Parser) -> None:
    _add_resource(verb)
    verb.add_argument("id", type=positive, metavar="ID", nargs="?", help="not needed for account")
    _add_cached(verb)
    _add_format(verb)


def _export(verb: Parser) -> None:
    _add_resource(verb)
    verb.add_argument("file", metavar="FILE", help="ends in .csv, .json or .jsonl")
    verb.add_argument("--filter", metavar="TEXT", help="only records that match")
    _add_cached(verb)


def _review(verb: Parser) -> None:
    _add_cached(verb)
    _add_format(verb)


def _create(verb: Parser) -> None:
    _add_resource(verb)
    _add_members(verb)
    _add_writing(verb)


def _update(verb: Parser) -> None:
    _add_resource(verb)
    verb.add_argument("id", metavar="ID", help="the record (account has none)")
    _add_members(verb)
    _add_writing(verb)


def _delete(verb: Parser) -> None:
    _add_resource(verb)
    verb.add_argument("ids", type=positive, nargs="+", metavar="ID")
    _add_writing(verb)


def _assign(verb: Parser) -> None:
    verb.add_argument("target", choices=("channel", "campaign"))
    verb.add_argument("id", type=positive, metavar="ID")
    verb.add_argument("items", nargs="+", metavar="ITEM", help="qr:12, links:7 or bio:3; of a campaign 7")
    _add_writing(verb)


def _subscribe(verb: Parser) -> None:
    verb.add_argument("user", type=positive, metavar="USER")
    verb.add_argument("plan", type=positive, metavar="PLAN")
    verb.add_argument("--term", required=True, choices=TERMS)
    verb.add_argument("--expiration", metavar="WHEN", help="YYYY-MM-DD HH:MM:SS; else the term decides")
    _add_writing(verb)


def _import(verb: Parser) -> None:
    _add_resource(verb)
    verb.add_argument("file", metavar="FILE", help="CSV or JSON lines, as export writes them")
    verb.add_argument("--resume", action="store_true", help="go on where an import of FILE stopped")
    _add_writing(verb)


def _journal(verb: Parser) -> None:
    verb.add_argument("--unknown", action="store_true", help="only those of unknown outcome")
    verb.add_argument("--check", action="store_true", help="find out what became of those, 1 read each")
    verb.add_argument("--person", metavar="NAME", help="only changes by this user")
    verb.add_argument("--machine", metavar="NAME", help="only changes made on this machine")
    verb.add_argument("--limit", type=positive, metavar="N", default=100, help="changes at the most (100)")
    _add_format(verb)


def _stats(verb: Parser) -> None:
    verb.add_argument("ids", type=positive, nargs="+", metavar="ID")
    _add_since(verb)
    _add_cached(verb)
    _add_format(verb)


def _report(verb: Parser) -> None:
    verb.add_argument("ids", type=positive, nargs="*", metavar="ID", help="all codes where none is named")
    _add_since(verb)
    verb.add_argument("--format", choices=REPORT_FORMATS, default="markdown", help="(markdown)")


def _collect(verb: Parser) -> None:
    codes = verb.add_mutually_exclusive_group()
    verb.arguments.extend(
        [
            codes.add_argument(
                "--qr", type=positive, nargs="+", metavar="ID", help="these codes, by their ids"
            ),
            codes.add_argument("--all", action="store_true", help="all codes there are (the default)"),
        ]
    )
    verb.add_argument("--budget", type=positive, metavar="N", help="requests at the most (no limit)")
    verb.add_argument(
        "--every", type=seconds, metavar="TIME", help="stay and do it again: 15m, 2h; ends at a signal"
    )


def _alerts(verb: Parser) -> None:
    verb.add_argument("--check", action="store_true", help="look first what the rules find, and run hooks")
    _add_format(verb)


def _setup(verb: Parser) -> None:
    """It asks for everything."""


def _profiles(verb: Parser) -> None:
    verb.add_argument("--schema", action="store_true", help="the JSON schema of the configuration file")
    _add_format(verb)


def _doctor(verb: Parser) -> None:
    verb.add_argument("--offline", action="store_true", help="send nothing (otherwise 3 requests at most)")


def _demo_server(verb: Parser) -> None:
    verb.add_argument("--port", type=int, required=True, metavar="N", help="0 takes a free one")
    verb.add_argument("--rate", type=int, default=30, metavar="R", help="requests a minute (30)")


def _mcp(verb: Parser) -> None:
    verb.add_argument("--writes", action="store_true", help="offer changes too, each shown before it is made")


def _store(verb: Parser) -> None:
    verb.add_argument("action", choices=("copy",), help="the same command goes on after an interruption")
    places = "files (of this machine), team (of the profile), a folder, or postgresql://user@host/database"
    verb.add_argument("source", metavar="FROM", help=places)
    verb.add_argument("target", metavar="TO", help="the same; what is there already stays")


def _man(verb: Parser) -> None:
    """It needs nothing."""


def _completion(verb: Parser) -> None:
    verb.add_argument("shell", choices=SHELLS)


VERBS: tuple[tuple[str, str, Fill], ...] = (
    ("list", "List records", _list),
    ("get", "Show one record; of a QR code its statistics too", _get),
    ("export", "Write all records into a file that import reads", _export),
    ("review", "Review users: who expires, who is on which plan, what does not fit", _review),
    ("create", "Create a record", _create),
    ("update", "Change a record; what is not named stays", _update),
    ("delete", "Delete records; the same command goes on after an interruption", _delete),
    ("assign", "Assign items to a channel, or links to a campaign", _assign),
    ("subscribe", "Subscribe a user to a plan", _subscribe),
    ("import", "Create or change a record for every row of a file", _import),
    ("journal", "List the changes that were made, the newest first", _journal),
    ("stats", "Show the statistics of QR codes and what changed in them", _stats),
    ("report", "Report what was read of QR codes: totals, change, risers and fallers", _report),
    ("collect", "Read the statistics of QR codes into the history", _collect),
    ("alerts", "List the alerts that are raised; status 5 where there are any", _alerts),
    ("setup", "Ask for an address and a key, test them and write a profile", _setup),
    ("profiles", "List the profiles, without keys", _profiles),
    ("doctor", "Look at settings, service and files; fit for a ticket", _doctor),
    ("store", "Copy what is kept: from files to a team's database, or back", _store),
    ("demo-server", "Serve the demo's service for other clients", _demo_server),
    ("mcp", "Serve the Model Context Protocol on standard input and output", _mcp),
    ("completion", "Print what completes commands in a shell", _completion),
    ("man", "Print the manual page: linkdash man | man -l -", _man),
)
"""Every verb: its name, what it does, and what adds its arguments."""


# ---- arguments ----


def _add_resource(parser: Parser) -> None:
    from linkdash.model.resources import PLACES

    names = [place.id for place in PLACES]
    parser.add_argument("resource", metavar="RESOURCE", choices=names, help=", ".join(names))


def _add_members(parser: Parser) -> None:
    parser.add_argument(
        "members", nargs="*", metavar="NAME=VALUE", help="a secret is NAME=- and read from standard input"
    )


def _add_writing(parser: Parser) -> None:
    parser.add_argument("--dry-run", action="store_true", help="show each request, send nothing")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def _add_cached(parser: Parser) -> None:
    parser.add_argument("--cached", action="store_true", help="what is stored here; no request is sent")


def _add_format(parser: Parser) -> None:
    parser.add_argument("--format", choices=FORMATS, default="table", help="of the output (table)")


def _add_since(parser: Parser) -> None:
    parser.add_argument(
        "--since", type=days, default=7, metavar="TIME", help="the last whole days or weeks: 7d, 2w (7d)"
    )


def days(text: str) -> int:
    """A length of time, in days: `7d`, `2w`. Raises ArgumentTypeError."""
    number, unit = text[:-1], text[-1:]
    if number.isdecimal() and number.isascii() and len(number) <= len(str(_LONGEST_DAYS)):
        found = int(number) * {"d": 1, "w": 7}.get(unit, 0)
        if 1 <= found <= _LONGEST_DAYS:
            return found
    raise argparse.ArgumentTypeError(f"must be days or weeks, such as 7d or 2w, up to {_LONGEST_DAYS}d")


def seconds(text: str) -> int:
    """A pause, in seconds: `30s`, `15m`, `2h`, `1d`. Raises ArgumentTypeError."""
    number, unit = text[:-1], text[-1:]
    if number.isdecimal() and number.isascii() and len(number) <= _LONGEST_PAUSE_DIGITS and int(number):
        found = int(number) * {"s": 1, "m": 60, "h": 3600, "d": 86_400}.get(unit, 0)
        if found:
            return found
    raise argparse.ArgumentTypeError("must be a time such as 30s, 15m, 2h or 1d")


def positive(text: str) -> int:
    """An id, or a number of requests. Raises ArgumentTypeError."""
    if text.isdecimal() and len(text) <= len(str(_LARGEST)) and 1 <= int(text) <= _LARGEST:
        return int(text)
    raise argparse.ArgumentTypeError(f"must be a whole number from 1 to {_LARGEST}")
