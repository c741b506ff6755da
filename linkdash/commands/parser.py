"""The flags and verbs of the command line. Nothing heavy is imported here: completion and `--help` ask it."""

import argparse

from linkdash import __version__
from linkdash.commands.argument_parser import Fill, Parser, Verb, add_common
from linkdash.commands.argument_types import USUAL_DAYS, day, days, positive, seconds, text
from linkdash.model.file_formats import FILE_FORMATS

FORMATS = ("table", "json", "jsonl", "csv")
PROFILE_ACTIONS = ("use", "rename", "remove")
REPORT_FORMATS = ("markdown", "csv", "json", "html")
REPORT_SORTS = ("change", "scans", "name", "id")
SHELLS = ("bash", "zsh", "fish")
TERMS = ("monthly", "yearly", "lifetime")
ASKING = "__complete"
"""The command by which a shell asks; the words follow, the last one as far as it is typed."""

_EPILOG = (
    "LINKDASH_BASE_URL, LINKDASH_API_KEY and LINKDASH_PROFILE override the configuration file; flags "
    "override both. Exit status: 0 done, 1 failed, 2 wrong usage, 3 refused by the service, 4 a change of "
    "unknown outcome, 5 an alert is raised, 6 answered from a part. The guide: linkdash help."
)
OUTCOME_FORMATS = ("json", "jsonl")
WRITING = frozenset({"create", "update", "delete", "assign", "subscribe", "import", "undo"})
"""The verbs that change something at the service."""


def is_write(flags: argparse.Namespace) -> bool:
    """Return whether what was asked for changes something at the service."""
    return flags.command in WRITING and not flags.dry_run


def parser() -> Parser:
    """All of it. There is no flag for the key: every user of a machine can read arguments."""
    main = Parser(
        prog="linkdash",
        description="A keyboard-driven terminal dashboard for a link-management service. "
        "Without a command it opens the dashboard.",
        epilog=_EPILOG,
    )
    main.add_argument("--version", action="version", version=f"linkdash {__version__}")
    add_common(main)
    main.add_argument("--ascii", action="store_true", help="draw with ASCII characters only")
    main.set_defaults(profile=None, base_url=None, read_only=False, demo=False)
    main.set_defaults(quiet=False, verbose=False, gone=[])
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


# ---- verbs ----


def _list(verb: Parser) -> None:
    _add_resource(verb)
    verb.add_argument(
        "--filter", type=text, metavar="TEXT", help="only records that match: 'spring week<-30 !flyer'"
    )
    verb.add_argument("--view", type=text, metavar="NAME", help="what a finding or a saved view shows")
    verb.add_argument("--sort", metavar="A,B", help="sort by columns; --sort=-A puts the largest first")
    verb.add_argument("--reverse", action="store_true", help="reverse the order")
    verb.add_argument("--columns", metavar="A,B", help="show these columns in table and csv")
    verb.add_argument("--all", action="store_true", help="load every page, not only the first")
    verb.add_argument("--limit", type=positive, metavar="N", help="show at most N records")
    _add_raw(verb)
    _add_cached(verb)
    _add_format(verb)


def _get(verb: Parser) -> None:
    _add_resource(verb)
    verb.add_argument(
        "id", type=positive, metavar="ID", nargs="?", help="id of the record (none for account)"
    )
    _add_cached(verb)
    _add_format(verb)


def _export(verb: Parser) -> None:
    _add_resource(verb)
    verb.add_argument("file", metavar="FILE", help="path that ends in .csv, .json or .jsonl; - for stdout")
    verb.add_argument("--filter", type=text, metavar="TEXT", help="export only records that match")
    _add_raw(verb)
    _add_cached(verb)
    _add_file_format(verb)


def _review(verb: Parser) -> None:
    _add_resource(verb, nargs="?")
    _add_cached(verb)
    _add_format(verb)


def _create(verb: Parser) -> None:
    _add_resource(verb)
    _add_members(verb)
    _add_writing(verb)
    _add_outcome_format(verb)


def _update(verb: Parser) -> None:
    _add_resource(verb)
    verb.add_argument("id", type=text, metavar="ID", nargs="?", help="id of the record (none for account)")
    _add_members(verb)
    _add_matching(verb)
    _add_overwriting(verb)
    _add_outcome_format(verb)


def _delete(verb: Parser) -> None:
    _add_resource(verb)
    verb.add_argument("ids", type=positive, nargs="*", metavar="ID")
    _add_matching(verb)
    _add_writing(verb)
    _add_outcome_format(verb)


def _assign(verb: Parser) -> None:
    verb.add_argument("target", choices=("channel", "campaign"))
    verb.add_argument("id", type=positive, metavar="ID")
    verb.add_argument(
        "items",
        nargs="+",
        metavar="ITEM",
        help="qr:12, links:7 or bio:3; for a campaign only the id, such as 7",
    )
    _add_writing(verb)
    _add_outcome_format(verb)


def _subscribe(verb: Parser) -> None:
    verb.add_argument("user", type=positive, metavar="USER")
    verb.add_argument("plan", type=positive, metavar="PLAN")
    verb.add_argument("--term", required=True, choices=TERMS)
    verb.add_argument(
        "--expiration", metavar="WHEN", help="end date, YYYY-MM-DD HH:MM:SS (default: by the term)"
    )
    _add_writing(verb)
    _add_outcome_format(verb)


def _import(verb: Parser) -> None:
    _add_resource(verb)
    verb.add_argument("file", metavar="FILE", help="CSV or JSON file, as written by export; - for stdin")
    _add_file_format(verb)
    verb.add_argument("--resume", action="store_true", help=argparse.SUPPRESS)  # every import goes on
    _add_overwriting(verb)


def _journal(verb: Parser) -> None:
    verb.add_argument("--unknown", action="store_true", help="show only changes of unknown outcome")
    verb.add_argument("--check", action="store_true", help="check the outcome of those, 1 to 10 reads each")
    verb.add_argument("--person", metavar="NAME", help="show only changes by this user")
    verb.add_argument("--machine", metavar="NAME", help="show only changes made on this machine")
    verb.add_argument(
        "--limit", type=positive, metavar="N", default=100, help="show at most N changes (default: 100)"
    )
    verb.add_argument("action", nargs="?", choices=("show",), help="show one change in full")
    verb.add_argument("id", nargs="?", type=positive, metavar="ID", help="the change to show")
    _add_format(verb)


def _undo(verb: Parser) -> None:
    verb.add_argument("id", type=positive, metavar="ID", help="a change, as linkdash journal lists it")
    _add_overwriting(verb)
    _add_outcome_format(verb)


def _api(verb: Parser) -> None:
    verb.add_argument("method", metavar="GET", choices=("GET",), help="the only method allowed")
    verb.add_argument("path", metavar="PATH", help="such as /api/qr?limit=5")
    verb.add_argument("--paginate", action="store_true", help="read every page, one line of JSON each")


def _budget(verb: Parser) -> None:
    _add_format(verb)


def _stats(verb: Parser) -> None:
    verb.add_argument("ids", type=positive, nargs="+", metavar="ID")
    _add_since(verb)
    _add_cached(verb)
    _add_format(verb)


def _report(verb: Parser) -> None:
    verb.add_argument("codes", nargs="*", metavar="CODE", help="ids or names of QR codes (default: all)")
    verb.add_argument("--qr", nargs="+", default=[], metavar="CODE", help="same as CODE")
    verb.add_argument(
        "--filter", type=text, metavar="TEXT", help="only codes that match: 'name:Atlas scans>100'"
    )
    _add_since(verb, default=None)
    verb.add_argument("--from", dest="first", type=day, metavar="DAY", help="first day, such as 2026-10-01")
    verb.add_argument("--to", dest="last", type=day, metavar="DAY", help="last day (default: yesterday)")
    verb.add_argument("--top", type=positive, metavar="N", help="list at most N codes")
    verb.add_argument("--sort", choices=REPORT_SORTS, default="change", help="order (default: change)")
    verb.add_argument("--detail", action="store_true", help="add each code in full, where there are several")
    verb.add_argument(
        "--format", choices=REPORT_FORMATS, help="output format (default: markdown; html with --open)"
    )
    verb.add_argument("--open", action="store_true", help="save it as html and open it in the browser")


def _collect(verb: Parser) -> None:
    codes = verb.add_mutually_exclusive_group()
    verb.arguments.extend(
        [
            codes.add_argument("--qr", type=positive, nargs="+", metavar="ID", help="read only these codes"),
            codes.add_argument("--all", action="store_true", help="read all codes (default)"),
        ]
    )
    verb.add_argument("--budget", type=positive, metavar="N", help="send at most N requests")
    verb.add_argument(
        "--every", type=seconds, metavar="TIME", help="repeat at this interval, such as 15m or 2h"
    )
    _add_format(verb)


def _alerts(verb: Parser) -> None:
    verb.add_argument("--check", action="store_true", help="evaluate the rules first")
    _add_format(verb)


def _metrics(verb: Parser) -> None:
    where = verb.add_mutually_exclusive_group()
    verb.arguments.extend(
        [
            where.add_argument(
                "--textfile", metavar="PATH", help="write them to a file for node_exporter, atomically"
            ),
            where.add_argument(
                "--listen",
                metavar="HOST:PORT",
                help="serve them over HTTP until stopped (default HOST: 127.0.0.1)",
            ),
        ]
    )


def _setup(verb: Parser) -> None:
    keys = verb.add_mutually_exclusive_group()
    verb.arguments.extend(
        [
            keys.add_argument(
                "--key-stdin", action="store_true", help="read the key from standard input, and ask nothing"
            ),
            keys.add_argument(
                "--key-command", metavar="COMMAND", help="get the key from this command, and ask nothing"
            ),
        ]
    )
    verb.add_argument("--keyring", action="store_true", help="keep the key in the system's keyring")
    verb.add_argument(
        "--color", metavar="COLOR", default="", help="color of the badge, such as red or #AA3355"
    )


def _profiles(verb: Parser) -> None:
    verb.add_argument(
        "action",
        nargs="?",
        choices=PROFILE_ACTIONS,
        help="make it the default, rename it, or remove it with its key",
    )
    verb.add_argument("name", nargs="?", metavar="NAME", help="a profile")
    verb.add_argument("new_name", nargs="?", metavar="NEW", help="its new name")
    verb.add_argument("--schema", action="store_true", help="print the JSON schema of the configuration file")
    verb.add_argument("--yes", action="store_true", help="do not ask for confirmation")
    _add_format(verb)


def _doctor(verb: Parser) -> None:
    verb.add_argument("--offline", action="store_true", help="send no request (default: at most 3)")
    _add_format(verb)


def _demo_server(verb: Parser) -> None:
    verb.add_argument(
        "--port", type=int, required=True, metavar="N", help="port to listen on; 0 picks a free one"
    )
    verb.add_argument(
        "--rate", type=positive, default=30, metavar="R", help="requests allowed a minute (default: 30)"
    )


def _mcp(verb: Parser) -> None:
    verb.add_argument("--writes", action="store_true", help="allow changes, each previewed first")


def _store(verb: Parser) -> None:
    verb.add_argument("action", choices=("copy",), help="run it again to continue after an interruption")
    places = "files (of this machine), team (of the profile), a folder, or postgresql://user@host/database"
    verb.add_argument("source", metavar="FROM", help=places)
    verb.add_argument("target", metavar="TO", help="same as FROM; existing entries are kept")
    _add_format(verb)


def _man(verb: Parser) -> None:
    """It needs nothing."""


def _completion(verb: Parser) -> None:
    verb.add_argument("shell", choices=SHELLS)


def _help(verb: Parser) -> None:
    from linkdash.guide import TOPICS

    topics = [*TOPICS, *(name for name, _, _ in VERBS)]
    about = f"{', '.join(TOPICS)}; or a command"
    verb.add_argument("topic", metavar="TOPIC", nargs="?", choices=topics, help=about)


VERBS: tuple[tuple[str, str, Fill], ...] = (
    ("list", "List records", _list),
    ("get", "Show a record; for a QR code also its statistics", _get),
    ("export", "Export all records to a file that import reads", _export),
    ("review", "Say what to look at: how many records each finding of a list finds, and the first", _review),
    ("create", "Create a record", _create),
    ("update", "Change fields of a record; others are kept", _update),
    ("delete", "Delete records; run it again to continue after an interruption", _delete),
    ("assign", "Assign items to a channel, or links to a campaign", _assign),
    ("subscribe", "Subscribe a user to a plan", _subscribe),
    ("import", "Create or update records from a file", _import),
    ("journal", "List the changes made, newest first; or show one", _journal),
    ("undo", "Undo a change: restore the former values", _undo),
    ("stats", "Show statistics of QR codes and how they changed", _stats),
    ("report", "Report on stored statistics: totals, change, risers and fallers", _report),
    ("collect", "Read QR statistics and store them in the history", _collect),
    ("alerts", "List raised alerts; exits with 5 if there are any", _alerts),
    ("api", "Send a GET request to the service and print its answer", _api),
    ("budget", "Show how many requests are left, and which programs spent them", _budget),
    ("metrics", "Print stored statistics in the format of Prometheus", _metrics),
    ("setup", "Set up a profile: ask for address and key, or take them from flags", _setup),
    ("profiles", "List profiles, without keys; or use, rename or remove one", _profiles),
    ("doctor", "Diagnose settings, service and files; shows no secrets", _doctor),
    ("store", "Copy the store from files to a team's database, or back", _store),
    ("demo-server", "Serve the built-in demo for other clients", _demo_server),
    ("mcp", "Serve the Model Context Protocol over stdio", _mcp),
    ("help", "Show a page of the guide, or the help of a command", _help),
    ("completion", "Print a completion script for a shell", _completion),
    ("man", "Print the manual page: linkdash man | man -l -", _man),
)
"""Every verb: its name, what it does, and what adds its arguments."""


# ---- arguments ----


def _add_resource(parser: Parser, nargs: str | None = None) -> None:
    from linkdash.model.resources import PLACES

    names = [place.id for place in PLACES]
    parser.add_argument("resource", metavar="RESOURCE", nargs=nargs, choices=names, help=", ".join(names))


def _add_members(parser: Parser) -> None:
    parser.add_argument(
        "members",
        nargs="*",
        metavar="NAME=VALUE",
        type=text,
        help="fields to set; NAME=- reads a secret from standard input",
    )


def _add_matching(parser: Parser) -> None:
    parser.add_argument(
        "--filter", type=text, metavar="TEXT", help="every record that matches, instead of ids"
    )


def _add_writing(parser: Parser) -> None:
    parser.add_argument("--dry-run", action="store_true", help="show the requests, send nothing")
    parser.add_argument("--yes", action="store_true", help="do not ask for confirmation")


def _add_raw(parser: Parser) -> None:
    parser.add_argument(
        "--raw", action="store_true", help="csv: do not quote what a spreadsheet would run as a formula"
    )


def _add_overwriting(parser: Parser) -> None:
    _add_writing(parser)
    parser.add_argument(
        "--overwrite",
        action="store_true",
        help="also replace changes that others made since it was shown here, which --yes does not; "
        "a change between its read and the write goes unnoticed",
    )


def _add_cached(parser: Parser) -> None:
    parser.add_argument("--cached", action="store_true", help="use stored data, send no request")


def _add_format(parser: Parser) -> None:
    parser.add_argument("--format", choices=FORMATS, default="table", help="output format (default: table)")


def _add_outcome_format(parser: Parser) -> None:
    parser.add_argument(
        "--format",
        choices=OUTCOME_FORMATS,
        help="one JSON list, or a line for each (default); if given, errors are JSON, too",
    )


def _add_file_format(parser: Parser) -> None:
    parser.add_argument(
        "--format", choices=FILE_FORMATS, help="format of the file (default: by its ending; csv for -)"
    )


def _add_since(parser: Parser, default: int | None = USUAL_DAYS) -> None:
    parser.add_argument(
        "--since",
        type=days,
        default=default,
        metavar="TIME",
        help="period in whole days or weeks: 7d, 2w (default: 7d)",
    )
