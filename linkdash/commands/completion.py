"""What is made of the parser: completion in a shell, and the manual page.

`linkdash completion` prints a script, which asks the program for the words: columns and members depend on the
resource that was typed, profiles on the configuration. A script that is generated whole, as shtab's is, knows
neither. `linkdash man` prints the page; it lies as `linkdash.1` beside this file, for the wheel.
"""

import argparse
import itertools
import sys
from collections.abc import Iterable, Iterator, Sequence

from linkdash import __version__
from linkdash.commands.parser import ASKING, Parser, parser

# ---- completion ----

SCRIPTS = {
    "bash": f"""\
_linkdash() {{
    local word
    COMPREPLY=()
    while IFS= read -r word; do
        [[ $word == *[[:space:]]* ]] && printf -v word %q "$word"
        COMPREPLY+=("$word")
    done < <(linkdash {ASKING} "${{COMP_WORDS[@]:1:COMP_CWORD}}" 2>/dev/null)
    [[ ${{COMPREPLY[0]}} != *= ]] || compopt -o nospace
}}
complete -o default -F _linkdash linkdash
""",
    "zsh": f"""\
#compdef linkdash
_linkdash() {{
    local -a found
    found=("${{(@f)$(linkdash {ASKING} "${{(@)words[2,CURRENT]}}" 2>/dev/null)}}")
    if [[ -z $found ]]; then _files
    elif [[ $found[1] == *= ]]; then compadd -S '' -a found
    else compadd -a found
    fi
}}
compdef _linkdash linkdash
""",
    "fish": f"""\
function __linkdash
    set -l words (commandline -opc)
    set -l found (linkdash {ASKING} $words[2..-1] (commandline -ct) 2>/dev/null)
    and test -n "$found"
    and printf '%s\\n' $found
    or __fish_complete_path (commandline -ct)
end
complete -c linkdash -f -a '(__linkdash)'
""",
}
"""By shell; to be read when it starts: `eval "$(linkdash completion bash)"`."""


def script(shell: str) -> int:
    """`linkdash completion SHELL`: prints what a shell is to read."""
    _put(SCRIPTS[shell])
    return 0


def complete(words: Sequence[str]) -> int:
    """Prints what a shell may offer; whatever goes wrong is no word for the person who presses tab."""
    try:
        _put("".join(f"{candidate}\n" for candidate in candidates(words)))
    except KeyError:  # a resource that there is not
        return 1
    return 0


def _put(text: str) -> None:
    """Writes to standard output, without what the output of records needs."""
    sys.stdout.write(text)
    sys.stdout.flush()


def candidates(words: Sequence[str]) -> list[str]:
    """What the last of the words can become; empty where a file may stand, or anything."""
    *before, typed = _split_by_bash(words) or [""]
    flag, equals, value = typed.partition("=")
    if equals and flag.startswith("--"):
        return [f"{flag}={found}" for found in candidates([*before, flag, value])]
    return [candidate for candidate in _possible(before, typed) if candidate.startswith(typed)]


def _split_by_bash(words: Sequence[str]) -> list[str]:
    """The words without the `=` that bash takes for one: `--format=json` comes as three, or as two so far."""
    kept = [word for word in words if word != "="]
    return [*kept, ""] if words and words[-1] == "=" else kept


def _possible(before: Sequence[str], typed: str) -> Iterable[str]:
    main = parser()
    verb, given = _verb(main, before)
    if verb is None:
        return _flags(main) if typed.startswith("-") else main.verbs
    asked = main.verbs[verb].parser
    flag = next((one for one in asked.arguments if before and before[-1] in one.option_strings), None)
    resource = next(iter(given), "")
    if flag is not None and flag.nargs != 0:
        listed = typed[: typed.rfind(",") + 1]  # of several columns those that are typed
        return [f"{listed}{value}" for value in _values(flag, resource)]
    if typed.startswith("-"):
        return _flags(asked)
    positionals = [one for one in asked.arguments if not one.option_strings]
    if not positionals:
        return ()
    return _values(positionals[min(len(given), len(positionals) - 1)], resource, verb)


def _verb(main: Parser, words: Sequence[str]) -> tuple[str | None, list[str]]:
    """The verb that was given, and the positional arguments after it."""
    verb, given, is_value = None, list[str](), False
    for word in words:
        known = itertools.chain(main.arguments, main.verbs[verb].parser.arguments if verb else ())
        if is_value:
            is_value = False
        elif word.startswith("-"):
            is_value = any(word in one.option_strings and one.nargs != 0 for one in known)
        elif verb is None:
            verb = word if word in main.verbs else None
        else:
            given.append(word)
    return verb, given


def _flags(of: Parser) -> list[str]:
    return [flag for one in of.arguments for flag in one.option_strings if flag.startswith("--")]


def _values(argument: argparse.Action, resource: str, verb: str = "") -> Iterable[str]:
    if argument.choices is not None:
        return list(map(str, argument.choices))
    match argument.dest:
        case "profile":
            return _profiles()
        case "sort" | "columns" if resource:
            from linkdash.model.resource import declaration

            return [column.name for column in declaration(resource).columns]
        case "members" if resource:
            from linkdash.api.fields import fields_of
            from linkdash.model.resource import declaration

            model = getattr(declaration(resource), verb)
            return [f"{field.name}=" for field in fields_of(model)] if model else ()
    return ()


def _profiles() -> Iterable[str]:
    from linkdash.api.errors import Misconfigured
    from linkdash.config import configuration_path, read_configuration

    try:
        return read_configuration(configuration_path()).file.profiles
    except Misconfigured:  # told when it is to be used
        return ()


# ---- the manual page ----


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


def _heading(argument: argparse.Action) -> str:
    value = "" if argument.nargs == 0 else f" {argument.metavar or argument.dest.upper()}"
    flags = ", ".join(argument.option_strings)
    return f"{flags}{value}" if flags else value.strip()


def _escaped(text: str) -> str:
    """A text that roff shows as it is: no line of it is a command, and a hyphen stays one."""
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return f"\\&{text}" if text[:1] in (".", "'") else text
