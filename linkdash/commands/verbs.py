"""The verbs of the command line, a row each: what one takes, what it calls, and whether it writes and asks.

Nothing heavy is imported here: completion and `--help` ask it. The file of a verb is imported when it is run.
"""

from argparse import SUPPRESS

from linkdash.commands.argument_types import USUAL_DAYS, day, days, positive, record_id, seconds, text
from linkdash.model.file_formats import FILE_FORMATS

TYPE_CHECKING = False  # as of `typing`, which takes longer to import than all the rest
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

ASKING = "__complete"
"""The command by which a shell asks; the words follow, the last one as far as it is typed."""
TERMS = ("monthly", "yearly", "lifetime")

SESSION, SETTINGS, NOTHING = "session", "settings", ""
"""What a verb needs: a session, no more than settings and files, or nothing but the parser and the guide."""

# What completion offers for an argument: one of these, or the records of the resource that it names.
COLUMNS, MEMBERS, PROFILES, VIEWS = "columns", "members", "profiles", "views"
RECORDS, TARGETS = "records", "targets"


class Argument:
    """An argument, as argparse has it."""

    def __init__(
        self,
        *names: str,
        offers: str = "",
        late: "Callable[[], dict[str, Any]] | None" = None,
        **options: "Any",
    ) -> None:
        self.names = names
        self.offers = offers
        """What completion offers for it."""
        self._late = late
        self._options = options

    @property
    def options(self) -> "dict[str, Any]":
        """Return its options, also those that its parser alone needs."""
        return {**self._options, **(self._late() if self._late is not None else {})}


class Verb:
    """A row of the table."""

    def __init__(
        self,
        about: str,
        calls: str,
        *takes: "Argument | tuple[Argument, ...]",
        needs: str = SESSION,
        writes: bool = False,
        asks: bool = False,
    ) -> None:
        """Without arguments it takes what is common; of arguments in a tuple one may be given."""
        self.about = about
        self.calls = calls
        """Its file below linkdash, and its function there."""
        self.takes = takes
        self.needs = needs
        """A function of a session and flags it calls with SESSION, else one of flags and the environment."""
        self.writes = writes
        """True if it changes something at the service: its function plans the writes that are sent."""
        self.asks = asks
        """True if it asks before each write; others before many, and where there is doubt."""

    def function(self) -> "Any":
        """Import what it calls."""
        from importlib import import_module

        module, _, name = self.calls.partition(":")
        return getattr(import_module(f"linkdash.{module}"), name)


# ---- arguments of several verbs ----


def _resources() -> "dict[str, Any]":
    from linkdash.model.resources import PLACES

    names = [place.id for place in PLACES]
    return {"choices": names, "help": ", ".join(names)}


def _topics() -> "dict[str, Any]":
    from linkdash.guide import TOPICS

    return {"choices": [*TOPICS, *VERBS], "help": f"{', '.join(TOPICS)}; or a command"}


def _flag(name: str, about: str) -> Argument:
    return Argument(name, action="store_true", help=about)


_RESOURCE = Argument("resource", metavar="RESOURCE", late=_resources)
_MEMBERS = Argument(
    "members",
    nargs="*",
    metavar="NAME=VALUE",
    type=text,
    help="fields to set; NAME=- reads a secret from standard input",
    offers=MEMBERS,
)
_MATCHING = Argument("--filter", type=text, metavar="TEXT", help="every record that matches, instead of ids")
_YES = _flag("--yes", "do not ask for confirmation")
_WRITING = (_flag("--dry-run", "show the requests, send nothing"), _YES)
_OVERWRITING = (
    *_WRITING,
    _flag(
        "--overwrite",
        "also replace changes that others made since it was shown here, which --yes does not; "
        "a change between its read and the write goes unnoticed",
    ),
)
_RAW = _flag("--raw", "csv: do not quote what a spreadsheet would run as a formula")
_CACHED = _flag("--cached", "use stored data, send no request")
_FORMAT = Argument(
    "--format",
    choices=("table", "json", "jsonl", "csv"),
    default="table",
    help="output format (default: table)",
)
_OUTCOME_FORMAT = Argument(
    "--format",
    choices=("json", "jsonl"),
    help="one JSON list, or a line for each (default); if given, errors are JSON, too",
)
_FILE_FORMAT = Argument(
    "--format",
    dest="file_format",
    choices=FILE_FORMATS,
    help="format of the file (default: by its ending; csv for -)",
)


def _since(default: int | None) -> Argument:
    about = "period in whole days or weeks: 7d, 2w (default: 7d)"
    return Argument("--since", type=days, default=default, metavar="TIME", help=about)


# ---- the table ----

VERBS = {
    "list": Verb(
        "List records",
        "commands.list:list_records",
        _RESOURCE,
        Argument(
            "--filter", type=text, metavar="TEXT", help="only records that match: 'spring week<-30 !flyer'"
        ),
        Argument(
            "--view", type=text, metavar="NAME", help="what a finding or a saved view shows", offers=VIEWS
        ),
        Argument(
            "--sort", metavar="A,B", help="sort by columns; --sort=-A puts the largest first", offers=COLUMNS
        ),
        _flag("--reverse", "reverse the order"),
        Argument("--columns", metavar="A,B", help="show these columns in table and csv", offers=COLUMNS),
        _flag("--all", "load every page, not only the first"),
        Argument("--limit", type=positive, metavar="N", help="show at most N records"),
        _RAW,
        _CACHED,
        _FORMAT,
    ),
    "get": Verb(
        "Show a record; for a QR code also its statistics",
        "commands.get:get_record",
        _RESOURCE,
        Argument(
            "id",
            type=record_id,
            metavar="ID",
            nargs="?",
            help="id of the record (none for account)",
            offers=RECORDS,
        ),
        _CACHED,
        _FORMAT,
    ),
    "export": Verb(
        "Export all records to a file that import reads",
        "commands.export:export_records",
        _RESOURCE,
        Argument("file", metavar="FILE", help="path that ends in .csv, .json or .jsonl; - for stdout"),
        Argument("--filter", type=text, metavar="TEXT", help="export only records that match"),
        _RAW,
        _CACHED,
        _FILE_FORMAT,
    ),
    "review": Verb(
        "Say what to look at: how many records each finding of a list finds, and the first",
        "commands.review:review",
        Argument("resource", metavar="RESOURCE", nargs="?", late=_resources),
        _CACHED,
        _FORMAT,
    ),
    "create": Verb(
        "Create a record",
        "commands.create:create",
        _RESOURCE,
        _MEMBERS,
        *_WRITING,
        _OUTCOME_FORMAT,
        writes=True,
    ),
    "update": Verb(
        "Change fields of a record; others are kept",
        "commands.update:update",
        _RESOURCE,
        Argument(
            "id",
            type=text,
            metavar="ID",
            nargs="?",
            help="id of the record (none for account)",
            offers=RECORDS,
        ),
        _MEMBERS,
        _MATCHING,
        *_OVERWRITING,
        _OUTCOME_FORMAT,
        writes=True,
    ),
    "delete": Verb(
        "Delete records; run it again to continue after an interruption",
        "commands.delete:delete",
        _RESOURCE,
        Argument("ids", type=record_id, nargs="*", metavar="ID", offers=RECORDS),
        _MATCHING,
        *_WRITING,
        _OUTCOME_FORMAT,
        writes=True,
        asks=True,
    ),
    "assign": Verb(
        "Assign items to a channel, or links to a campaign",
        "commands.assign:assign",
        Argument("target", choices=("channel", "campaign")),
        Argument("id", type=record_id, metavar="ID", offers=TARGETS),
        Argument(
            "items",
            nargs="+",
            metavar="ITEM",
            help="qr:12, links:7 or bio:3; for a campaign only the id, such as 7",
        ),
        *_WRITING,
        _OUTCOME_FORMAT,
        writes=True,
    ),
    "subscribe": Verb(
        "Subscribe a user to a plan",
        "commands.subscribe:subscribe",
        Argument("user", type=record_id, metavar="USER", offers="users"),
        Argument("plan", type=record_id, metavar="PLAN", offers="plans"),
        Argument("--term", required=True, choices=TERMS),
        Argument("--expiration", metavar="WHEN", help="end date, YYYY-MM-DD HH:MM:SS (default: by the term)"),
        *_WRITING,
        _OUTCOME_FORMAT,
        writes=True,
    ),
    "import": Verb(
        "Create or update records from a file",
        "commands.import_file:import_records",
        _RESOURCE,
        Argument("file", metavar="FILE", help="CSV or JSON file, as written by export; - for stdin"),
        _FILE_FORMAT,
        Argument("--resume", action="store_true", help=SUPPRESS),  # every import goes on
        *_OVERWRITING,
        writes=True,
        asks=True,
    ),
    "journal": Verb(
        "List the changes made, newest first; or show one",
        "commands.journal:journal",
        _flag("--unknown", "show only changes of unknown outcome"),
        _flag("--check", "check the outcome of those, 1 to 10 reads each"),
        Argument("--person", metavar="NAME", help="show only changes by this user"),
        Argument("--machine", metavar="NAME", help="show only changes made on this machine"),
        Argument(
            "--limit", type=positive, metavar="N", default=100, help="show at most N changes (default: 100)"
        ),
        Argument("action", nargs="?", choices=("show",), help="show one change in full"),
        Argument("id", nargs="?", type=positive, metavar="ID", help="the change to show"),
        _FORMAT,
    ),
    "undo": Verb(
        "Undo a change: restore the former values",
        "commands.undo:undo",
        Argument("id", type=positive, metavar="ID", help="a change, as linkdash journal lists it"),
        *_OVERWRITING,
        _OUTCOME_FORMAT,
        writes=True,
        asks=True,
    ),
    "stats": Verb(
        "Show statistics of QR codes and how they changed",
        "commands.stats:stats",
        Argument("ids", type=record_id, nargs="+", metavar="ID", offers="qr"),
        _since(USUAL_DAYS),
        _CACHED,
        _FORMAT,
    ),
    "report": Verb(
        "Report on stored statistics: totals, change, risers and fallers",
        "commands.report:report",
        Argument(
            "codes", nargs="*", metavar="CODE", help="ids or names of QR codes (default: all)", offers="qr"
        ),
        Argument("--qr", nargs="+", default=[], metavar="CODE", help="same as CODE", offers="qr"),
        Argument("--filter", type=text, metavar="TEXT", help="only codes that match: 'name:Atlas scans>100'"),
        _since(None),
        Argument("--from", dest="first", type=day, metavar="DAY", help="first day, such as 2026-10-01"),
        Argument("--to", dest="last", type=day, metavar="DAY", help="last day (default: yesterday)"),
        Argument("--top", type=positive, metavar="N", help="list at most N codes"),
        Argument(
            "--sort",
            choices=("change", "scans", "name", "id"),
            default="change",
            help="order (default: change)",
        ),
        _flag("--detail", "add each code in full, where there are several"),
        Argument(
            "--format",
            choices=("markdown", "csv", "json", "html"),
            help="output format (default: markdown; html with --open)",
        ),
        _flag("--open", "save it as html and open it in the browser"),
    ),
    "collect": Verb(
        "Read QR statistics and store them in the history",
        "commands.collect:collect",
        (
            Argument(
                "--qr", type=record_id, nargs="+", metavar="ID", help="read only these codes", offers="qr"
            ),
            _flag("--all", "read all codes (default)"),
        ),
        Argument("--budget", type=positive, metavar="N", help="send at most N requests"),
        Argument("--every", type=seconds, metavar="TIME", help="repeat at this interval, such as 15m or 2h"),
        _FORMAT,
    ),
    "alerts": Verb(
        "List raised alerts; exits with 5 if there are any",
        "commands.alerts:alerts",
        _flag("--check", "evaluate the rules first"),
        _FORMAT,
    ),
    "api": Verb(
        "Send a GET request to the service and print its answer",
        "commands.api:api",
        Argument("method", metavar="GET", choices=("GET",), help="the only method allowed"),
        Argument("path", metavar="PATH", help="such as /api/qr?limit=5"),
        _flag("--paginate", "read every page, one line of JSON each"),
    ),
    "budget": Verb(
        "Show how many requests are left, and which programs spent them", "commands.budget:budget", _FORMAT
    ),
    "metrics": Verb(
        "Print stored statistics in the format of Prometheus",
        "commands.metrics:metrics",
        (
            Argument("--textfile", metavar="PATH", help="write them to a file for node_exporter, atomically"),
            Argument(
                "--listen",
                metavar="HOST:PORT",
                help="serve them over HTTP until stopped (default HOST: 127.0.0.1)",
            ),
        ),
    ),
    "setup": Verb(
        "Set up a profile: ask for address and key, or take them from flags",
        "commands.setup:setup",
        (
            _flag("--key-stdin", "read the key from standard input, and ask nothing"),
            Argument(
                "--key-command", metavar="COMMAND", help="get the key from this command, and ask nothing"
            ),
        ),
        _flag("--keyring", "keep the key in the system's keyring"),
        Argument("--color", metavar="COLOR", default="", help="color of the badge, such as red or #AA3355"),
        needs=SETTINGS,
    ),
    "profiles": Verb(
        "List profiles, without keys; or use, rename or remove one",
        "commands.profiles:profiles",
        Argument(
            "action",
            nargs="?",
            choices=("use", "rename", "remove"),
            help="make it the default, rename it, or remove it with its key",
        ),
        Argument("name", nargs="?", metavar="NAME", help="a profile", offers=PROFILES),
        Argument("new_name", nargs="?", metavar="NEW", help="its new name"),
        _flag("--schema", "print the JSON schema of the configuration file"),
        _YES,
        _FORMAT,
        needs=SETTINGS,
    ),
    "doctor": Verb(
        "Diagnose settings, service and files; shows no secrets",
        "cli:doctor",
        _flag("--offline", "send no request (default: at most 3)"),
        _FORMAT,
        needs=SETTINGS,
    ),
    "store": Verb(
        "Copy the store from files to a team's database, or back",
        "commands.store_copy:copy_store",
        Argument("action", choices=("copy",), help="run it again to continue after an interruption"),
        Argument(
            "source",
            metavar="FROM",
            help="files (of this machine), team (of the profile), a folder, or postgresql://user@host/database",
        ),
        Argument("target", metavar="TO", help="same as FROM; existing entries are kept"),
        _FORMAT,
        needs=SETTINGS,
    ),
    "demo-server": Verb(
        "Serve the built-in demo for other clients",
        "cli:serve_demo",
        Argument(
            "--port", type=int, required=True, metavar="N", help="port to listen on; 0 picks a free one"
        ),
        Argument(
            "--rate", type=positive, default=30, metavar="R", help="requests allowed a minute (default: 30)"
        ),
        needs=SETTINGS,
    ),
    "mcp": Verb(
        "Serve the Model Context Protocol over stdio",
        "commands.mcp:mcp",
        _flag("--writes", "allow changes, each previewed first"),
    ),
    "help": Verb(
        "Show a page of the guide, or the help of a command",
        "commands.help:show_help",
        Argument("topic", metavar="TOPIC", nargs="?", late=_topics),
        needs=NOTHING,
    ),
    "completion": Verb(
        "Print a completion script for a shell",
        "commands.completion:script",
        Argument("shell", choices=("bash", "zsh", "fish")),
        needs=NOTHING,
    ),
    "man": Verb(
        "Print the manual page: linkdash man | man -l -", "commands.man_page:print_man_page", needs=NOTHING
    ),
}
"""Every verb, by its name."""
