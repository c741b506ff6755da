"""The flags and verbs of the command line. Nothing heavy is imported here: completion and `--help` ask it."""

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from linkdash import __version__
from linkdash.model.places import PLACES

FORMATS = ("table", "json", "jsonl", "csv")
REPORT_FORMATS = ("markdown", "csv", "json")
SHELLS = ("bash", "zsh", "fish")
TERMS = ("monthly", "yearly", "lifetime")
ASKING = "__complete"
"""The command by which a shell asks; the words follow, the last one as far as it is typed."""

_LARGEST = 2**63 - 1  # what SQLite can hold
_LONGEST_DAYS = 3660
_EPILOG = (
    "LINKDASH_BASE_URL, LINKDASH_API_KEY and LINKDASH_PROFILE beat the configuration file; flags beat them. "
    "Exit status: 0 fine, 1 failed, 2 wrong usage, 3 refused by the service, 4 a change of unknown outcome, "
    "5 an alert is raised."
)
_WRITES = frozenset({"create", "update", "delete", "assign", "subscribe", "import"})


def is_write(flags: argparse.Namespace) -> bool:
    """Whether what was asked for changes something at the service."""
    return flags.command in _WRITES and not flags.dry_run


class Parser(argparse.ArgumentParser):
    """A parser whose errors are inert and repeat no argument that may be a secret."""

    def __init__(self, **options: Any) -> None:
        self.arguments: list[argparse.Action] = []
        """What it takes, for completion."""
        self.verbs: dict[str, Parser] = {}
        """The parsers of its commands."""
        super().__init__(**options)

    def add_argument(self, *names: str, **options: Any) -> argparse.Action:
        """Adds an argument, as every parser does."""
        argument = super().add_argument(*names, **options)
        self.arguments.append(argument)
        return argument

    def error(self, message: str) -> NoReturn:
        """Says in two lines what is wrong, and ends with status 2."""
        from linkdash.commands.output import plain

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
        allow_abbrev=False,
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
        dest="command", metavar="COMMAND", title="commands", parser_class=_VerbParser, required=False
    )
    verbs = _Verbs(commands.add_parser, main.verbs)
    _add_reads(verbs)
    _add_writes(verbs)
    _add_statistics(verbs)
    _add_local(verbs)
    return main


class _VerbParser(Parser):
    """The parser of a verb: flags may stand between its arguments."""

    _is_inside = False

    def parse_known_args(  # type: ignore[override]  # typeshed tells it by the type of any namespace
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Takes flags first, then what is left."""
        if self._is_inside:
            return super().parse_known_args(args, namespace)
        self._is_inside = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._is_inside = False


class _Verbs:
    """Adds verbs, each with the flags that work before and after it."""

    def __init__(self, add: Callable[..., Parser], known: dict[str, Parser]) -> None:
        self._add = add
        self._known = known

    def add(self, name: str, help: str) -> Parser:
        verb = self._known[name] = self._add(name, help=help, description=f"{help}.", allow_abbrev=False)
        _add_common(verb)
        return verb


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


def _add_reads(verbs: _Verbs) -> None:
    listing = verbs.add("list", "List records")
    _add_resource(listing)
    listing.add_argument("--filter", metavar="TEXT", help="as in the dashboard: 'spring scans>100 !flyer'")
    listing.add_argument("--sort", metavar="COLUMN", help="sort by a column")
    listing.add_argument("--reverse", action="store_true", help="the largest, newest or last first")
    listing.add_argument("--columns", metavar="A,B", help="the columns of table and csv")
    listing.add_argument("--all", action="store_true", help="every page, not only the first")
    listing.add_argument("--limit", type=positive, metavar="N", help="records at the most")
    _add_cached(listing)
    _add_format(listing)
    get = verbs.add("get", "Show one record; of a QR code its statistics too")
    _add_resource(get)
    get.add_argument("id", type=positive, metavar="ID", nargs="?", help="not needed for account")
    _add_cached(get)
    _add_format(get)
    export = verbs.add("export", "Write all records into a file that import reads")
    _add_resource(export)
    export.add_argument("file", metavar="FILE", help="ends in .csv, .json or .jsonl")
    export.add_argument("--filter", metavar="TEXT", help="only records that match")
    _add_cached(export)
    review = verbs.add("review", "Review users: who expires, who is on which plan, what does not fit")
    _add_cached(review)
    _add_format(review)


def _add_writes(verbs: _Verbs) -> None:
    create = verbs.add("create", "Create a record")
    _add_resource(create)
    _add_members(create)
    update = verbs.add("update", "Change a record; what is not named stays")
    _add_resource(update)
    update.add_argument("id", metavar="ID", help="the record (account has none)")
    _add_members(update)
    delete = verbs.add("delete", "Delete records; the same command goes on after an interruption")
    _add_resource(delete)
    delete.add_argument("ids", type=positive, nargs="+", metavar="ID")
    assign = verbs.add("assign", "Assign items to a channel, or links to a campaign")
    assign.add_argument("target", choices=("channel", "campaign"))
    assign.add_argument("id", type=positive, metavar="ID")
    assign.add_argument("items", nargs="+", metavar="ITEM", help="qr:12, links:7 or bio:3; of a campaign 7")
    subscribe = verbs.add("subscribe", "Subscribe a user to a plan")
    subscribe.add_argument("user", type=positive, metavar="USER")
    subscribe.add_argument("plan", type=positive, metavar="PLAN")
    subscribe.add_argument("--term", required=True, choices=TERMS)
    subscribe.add_argument("--expiration", metavar="WHEN", help="YYYY-MM-DD HH:MM:SS; else the term decides")
    importing = verbs.add("import", "Create or change a record for every row of a file")
    _add_resource(importing)
    importing.add_argument("file", metavar="FILE", help="CSV or JSON lines, as export writes them")
    importing.add_argument("--resume", action="store_true", help="go on where an import of FILE stopped")
    for writing in (create, update, delete, assign, subscribe, importing):
        writing.add_argument("--dry-run", action="store_true", help="show each request, send nothing")
        writing.add_argument("--yes", action="store_true", help="do not ask")
    journal = verbs.add("journal", "List the changes made from here, the newest first")
    journal.add_argument("--unknown", action="store_true", help="only those of unknown outcome")
    journal.add_argument("--check", action="store_true", help="find out what became of those, 1 read each")
    journal.add_argument("--limit", type=positive, metavar="N", default=100, help="changes at the most (100)")
    _add_format(journal)


def _add_statistics(verbs: _Verbs) -> None:
    stats = verbs.add("stats", "Show the statistics of QR codes and what changed in them")
    stats.add_argument("ids", type=positive, nargs="+", metavar="ID")
    _add_since(stats)
    _add_cached(stats)
    _add_format(stats)
    report = verbs.add("report", "Report what was read of QR codes: totals, change, risers and fallers")
    report.add_argument("ids", type=positive, nargs="*", metavar="ID", help="all codes where none is named")
    _add_since(report)
    report.add_argument("--format", choices=REPORT_FORMATS, default="markdown", help="(markdown)")
    collect = verbs.add("collect", "Read the statistics of QR codes into the history")
    codes = collect.add_mutually_exclusive_group()
    collect.arguments += [
        codes.add_argument("--qr", type=positive, nargs="+", metavar="ID", help="these codes, by their ids"),
        codes.add_argument("--all", action="store_true", help="all codes there are (the default)"),
    ]
    collect.add_argument("--budget", type=positive, metavar="N", help="requests at the most (no limit)")
    alerts = verbs.add("alerts", "List the alerts that are raised; status 5 where there are any")
    alerts.add_argument("--check", action="store_true", help="look first what the rules find, and run hooks")
    _add_format(alerts)


def _add_local(verbs: _Verbs) -> None:
    verbs.add("setup", "Ask for an address and a key, test them and write a profile")
    profiles = verbs.add("profiles", "List the profiles, without keys")
    profiles.add_argument("--schema", action="store_true", help="the JSON schema of the configuration file")
    _add_format(profiles)
    doctor = verbs.add("doctor", "Look at settings, service and files; fit for a ticket")
    doctor.add_argument("--offline", action="store_true", help="send nothing (otherwise 3 requests at most)")
    server = verbs.add("demo-server", "Serve the demo's service for other clients")
    server.add_argument("--port", type=int, required=True, metavar="N", help="0 takes a free one")
    server.add_argument("--rate", type=int, default=30, metavar="R", help="requests a minute (30)")
    mcp = verbs.add("mcp", "Serve the Model Context Protocol on standard input and output")
    mcp.add_argument("--writes", action="store_true", help="offer changes too, each shown before it is made")
    completion = verbs.add("completion", "Print what completes commands in a shell")
    completion.add_argument("shell", choices=SHELLS)


# ---- arguments ----


def _add_resource(parser: Parser) -> None:
    names = [place.id for place in PLACES]
    parser.add_argument("resource", metavar="RESOURCE", choices=names, help=", ".join(names))


def _add_members(parser: Parser) -> None:
    parser.add_argument(
        "members", nargs="*", metavar="NAME=VALUE", help="a secret is NAME=- and read from standard input"
    )


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


def positive(text: str) -> int:
    """An id, or a number of requests. Raises ArgumentTypeError."""
    if text.isdecimal() and len(text) <= len(str(_LARGEST)) and 1 <= int(text) <= _LARGEST:
        return int(text)
    raise argparse.ArgumentTypeError(f"must be a whole number from 1 to {_LARGEST}")
