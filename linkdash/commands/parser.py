"""The parser of the command line, made of the table of verbs; that of a verb is made when it is asked for.

Nothing heavy is imported here: completion and `--help` ask it.
"""

import argparse
import os
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from itertools import pairwise

from linkdash import __version__
from linkdash.commands.verbs import PROFILES, VERBS, Argument, Verb
from linkdash.model.gone import FLAGS

TYPE_CHECKING = False  # as of `typing`, which takes longer to import than all the rest
if TYPE_CHECKING:
    from typing import Any, NoReturn

_OUTPUT, _USUAL_COLUMNS = 1, 80
_NO_CHOICE = re.compile(r"(argument [^:]+): invalid choice: '?(.*?)'? \(choose from (.*)\)")
_NO_VALUE = "expected one argument"
_EPILOG = (
    "LINKDASH_BASE_URL, LINKDASH_API_KEY and LINKDASH_PROFILE override the configuration file; flags "
    "override both. Exit status: 0 done, 1 failed, 2 wrong usage, 3 refused or invalid, 4 a change of "
    "unknown outcome, 5 an alert is raised, 6 answered from a part. The guide: linkdash help."
)


class Formatter(argparse.HelpFormatter):
    """Help as wide as the terminal, measured here: argparse would import a library of archives for it."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)


def _columns() -> int:
    """Return the width of the terminal: COLUMNS, else the terminal's own, else 80."""
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
        """Its arguments, for completion and the manual page."""
        self.offers: dict[str, str] = {}
        """What completion offers for an argument, by its name."""
        self.verbs: dict[str, LateParser] = {}
        """Its commands."""
        self.given: Sequence[str] = ()
        """The arguments that it was given."""
        super().__init__(formatter_class=Formatter, allow_abbrev=False, **options)

    def add_argument(self, *names: str, **options: "Any") -> argparse.Action:
        """Add an argument, as every parser does."""
        argument = super().add_argument(*names, **options)
        if options.get("help") is not argparse.SUPPRESS:
            self.arguments.append(argument)
        return argument

    def _flag_before_a_minus(self, message: str) -> str:
        """The flag whose value is taken for a flag of its own, where that is what is wrong."""
        pairs = pairwise(self.given) if message.endswith(_NO_VALUE) else ()
        return next((flag for flag, value in pairs if flag in message and value.startswith("-")), "")

    def error(self, message: str) -> "NoReturn":
        """Say in two lines what is wrong, and end with status 2."""
        from linkdash.commands.standard_streams import plain, say, tell_program
        from linkdash.commands.suggestions import did_you_mean

        what, colon, given = message.partition(": ")
        if what == "unrecognized arguments":
            known = [flag for argument in self.arguments for flag in argument.option_strings]
            named = [_named(argument) for argument in given.split()]
            message = what + colon + " ".join(f"{name}{did_you_mean(name, known)}" for name in named)
        elif found := _NO_CHOICE.fullmatch(message):
            choices = [choice.strip(" '") for choice in found[3].split(",")]
            hint = did_you_mean(found[2], choices)
            message = f"{found[1]}: there is no {found[2]!r}{hint}. Choose one of {', '.join(choices)}."
        elif flag := self._flag_before_a_minus(message):
            message += f"; write {flag}=VALUE for one that begins with a minus"
        if _wants_json(self.given):
            import json

            told = {"code": "wrong_usage", "message": plain(message), "advice": "", "retriable": False}
            tell_program(json.dumps({"error": {**told, "status": 2}}))
            self.exit(2)
        self.print_usage(sys.stderr)
        say(f"{self.prog}: {message}", stream=sys.stderr)
        self.exit(2)


def _wants_json(given: Sequence[str]) -> bool:
    """Return whether failures are to be read by a program."""
    wanted = {"json", "jsonl"}
    follow = {value for flag, value in pairwise(given) if flag == "--format"}
    return bool(wanted & follow) or any(f"--format={form}" in given for form in wanted)


def _named(argument: str) -> str:
    """A flag without its value; nothing of what else was given."""
    return argument.partition("=")[0] if argument.startswith("-") else "…"


class Gone(argparse.Action):
    """A flag that is no more, to be told."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: "str | Sequence[Any] | None",
        option_string: str | None = None,
    ) -> None:
        """Note its name."""
        namespace.gone = [*getattr(namespace, "gone", ()), self.option_strings[0]]


class LateParser:
    """The parser of a verb, made when it is asked for: to make them all takes longer than the help."""

    def __init__(self, *, verb: Verb, **options: "Any") -> None:
        self._verb = verb
        self._options = options

    @cached_property
    def parser(self) -> Parser:
        """Return the parser of its arguments."""
        parser = Parser(**self._options)
        _add_common(parser)
        for taken in self._verb.takes:
            if isinstance(taken, Argument):
                _add(parser, parser, taken)
            else:
                group = parser.add_mutually_exclusive_group()
                parser.arguments += [_add(parser, group, one) for one in taken]
        return parser

    def parse_known_args(
        self, arguments: Sequence[str], namespace: argparse.Namespace | None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Take flags first, then what is left: flags may stand between its arguments."""
        into = argparse.Namespace() if namespace is None else namespace
        self.parser.given = arguments
        found, unknown = self.parser.parse_known_intermixed_args(arguments, into)
        if unknown:
            self.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
        return found, unknown


def _add(parser: Parser, to: "Parser | argparse._MutuallyExclusiveGroup", one: Argument) -> argparse.Action:
    """Add an argument of the table to a parser, or to a group of which one may be given."""
    added = to.add_argument(*one.names, **one.options)
    parser.offers[added.dest] = one.offers
    return added


def _add_common(parser: Parser) -> None:
    """The flags that work everywhere; what is not given after a verb stays as before it."""
    unset = argparse.SUPPRESS
    parser.add_argument(
        "--profile", metavar="NAME", default=unset, help="use this profile of the configuration file"
    )
    parser.offers["profile"] = PROFILES
    parser.add_argument("--base-url", metavar="URL", default=unset, help="address of the service")
    parser.add_argument("--read-only", action="store_true", default=unset, help="make no changes in this run")
    parser.add_argument("--demo", action="store_true", default=unset, help="use the built-in demo")
    for name, (has_value, _) in FLAGS.items():
        takes = None if has_value else 0
        parser.add_argument(name, action=Gone, nargs=takes, default=unset, help=argparse.SUPPRESS)
    parser.add_argument("--quiet", action="store_true", default=unset, help="show errors only")
    parser.add_argument(
        "--verbose", action="store_true", default=unset, help="show every request, and how many are left"
    )


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
    main.add_argument("--ascii", action="store_true", help="draw with ASCII characters only")
    main.set_defaults(profile=None, base_url=None, read_only=False, demo=False)
    main.set_defaults(quiet=False, verbose=False, gone=[])
    commands = main.add_subparsers(
        dest="command",
        metavar="COMMAND",
        title="commands",
        parser_class=LateParser,  # type: ignore[type-var]  # typeshed wants a whole parser where one method is called
        required=False,
    )
    for name, verb in VERBS.items():
        main.verbs[name] = commands.add_parser(name, help=verb.about, description=f"{verb.about}.", verb=verb)
    return main
