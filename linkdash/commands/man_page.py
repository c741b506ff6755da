"""`linkdash man`: the manual page, made of the parser; kept as `linkdash.1` for the wheel."""

import argparse
from collections.abc import Iterable, Iterator, Mapping

from linkdash import __version__
from linkdash.commands.parser import Parser, parser
from linkdash.commands.standard_streams import say_text


def print_man_page(_flags: argparse.Namespace, _environment: Mapping[str, str]) -> int:
    """`linkdash man`: prints the page."""
    say_text(man_page())
    return 0


def man_page() -> str:
    """The page in the language of roff."""
    main = parser()
    lines = [
        f'.TH LINKDASH 1 "" "linkdash {__version__}" "User Commands"',
        ".SH NAME",
        r"linkdash \- the terminal dashboard of a link-management service",
        ".SH SYNOPSIS",
        ".B linkdash",
        _escaped(_usage(main)),
        ".SH DESCRIPTION",
        _escaped(main.description or ""),
        ".SH OPTIONS",
        *_arguments(main),
        ".SH COMMANDS",
        "The options above work after every command, too.",
    ]
    common = {id for argument in main.arguments for id in argument.option_strings}
    for name, verb in main.verbs.items():
        lines += [f".SS linkdash {name}", _escaped(verb.parser.description or "")]
        lines += _arguments(verb.parser, common)
    lines += [".SH ENVIRONMENT AND EXIT STATUS", _escaped(main.epilog or "")]
    return "\n".join(filter(None, lines)) + "\n"


def _usage(of: Parser) -> str:
    return " ".join(of.format_usage().removeprefix("usage: linkdash").split())


def _arguments(of: Parser, known: Iterable[str] = ()) -> Iterator[str]:
    """Each argument with its help, without those whose flags are `known`."""
    for argument in of.arguments:
        if argument.help == argparse.SUPPRESS or not set(known).isdisjoint(argument.option_strings):
            continue
        yield ".TP"
        yield f".B {_escaped(_heading(argument))}"
        choices = f"One of {', '.join(map(str, argument.choices))}." if argument.choices else ""
        yield _escaped(" ".join(filter(None, [argument.help, choices])))


def value_name(argument: argparse.Action) -> str:
    """Return what stands for the value of an argument: `N`, `FORMAT`."""
    flag = argument.option_strings[-1] if argument.option_strings else argument.dest
    return str(argument.metavar or flag.removeprefix("--").upper())


def _heading(argument: argparse.Action) -> str:
    value = "" if argument.nargs == 0 else f" {value_name(argument)}"
    return f"{', '.join(argument.option_strings)}{value}".strip()


def _escaped(text: str) -> str:
    """A text that roff shows as it is: no line of it is a command, and a hyphen stays one."""
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return f"\\&{text}" if text[:1] in (".", "'") else text
