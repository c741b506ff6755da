"""Completion in a shell, made from the parser.

`linkdash completion` prints a script, which asks the program for the words: columns and members depend on the
resource that was typed, profiles on the configuration. A script that is generated whole, as shtab's is, knows
neither.
"""

import argparse
import itertools
import sys
from collections.abc import Iterable, Mapping, Sequence

from linkdash.commands.argument_parser import Parser
from linkdash.commands.parser import ASKING, parser

SCRIPTS = {
    "bash": f"""\
_linkdash() {{
    local word
    COMPREPLY=()
    while IFS= read -r word; do
        word=${{word%%$'\t'*}}
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
    local -a lines found
    lines=("${{(@f)$(linkdash {ASKING} "${{(@)words[2,CURRENT]}}" 2>/dev/null)}}")
    found=("${{(@)lines%%$'\t'*}}")
    lines=("${{(@)lines//$'\t'/  }}")
    if [[ -z $found ]]; then _files
    elif [[ $found[1] == *= ]]; then compadd -S '' -a found
    elif [[ "$found" == "$lines" ]]; then compadd -a found
    else compadd -U -l -d lines -a found
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
    sys.stdout.write(SCRIPTS[shell])
    return 0


def complete(words: Sequence[str], environment: Mapping[str, str]) -> int:
    """Print what a shell may offer; whatever goes wrong is no word for the user who presses tab."""
    from linkdash.commands.standard_streams import say

    try:
        for candidate in candidates(words, environment):
            say(*candidate.split("\t", 1))
    except KeyError:  # a resource that there is not
        return 1
    return 0


def candidates(words: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """Return the completions of the last word; empty where a file may stand, or anything.

    A record's id has its name behind a tab. `environment` says whose records are kept.
    """
    *before, typed = _split_by_bash(words) or [""]
    flag, equals, value = typed.partition("=")
    if equals and flag.startswith("--"):
        return [f"{flag}={found}" for found in candidates([*before, flag, value], environment)]
    return [
        found for found in _possible(before, typed, environment) if found.startswith(typed) or "\t" in found
    ]


def _split_by_bash(words: Sequence[str]) -> list[str]:
    """The words without the `=` that bash takes for one: `--format=json` comes as three, or as two so far."""
    kept = [word for word in words if word != "="]
    return [*kept, ""] if words and words[-1] == "=" else kept


def _possible(before: Sequence[str], typed: str, environment: Mapping[str, str]) -> Iterable[str]:
    main = parser()
    verb, given = _verb(main, before)
    known = main.verbs[verb].parser.arguments if verb else main.arguments
    flag = next((one for one in known if before and before[-1] in one.option_strings), None)
    resource = next(iter(given), "")
    if flag is not None and flag.nargs != 0:
        listed = typed[: typed.rfind(",") + 1]  # of several columns those that are typed
        if verb is not None and (place := _kept_at(verb, flag.dest, given)):
            return _records(place, typed, before, environment)
        return [f"{listed}{value}" for value in _values(flag, resource)]
    if verb is None:
        return _flags(main) if typed.startswith("-") else main.verbs
    if typed.startswith("-"):
        return _flags(main.verbs[verb].parser)
    positionals = [one for one in known if not one.option_strings]
    if not positionals:
        return ()
    argument = positionals[min(len(given), len(positionals) - 1)]
    if place := _kept_at(verb, argument.dest, given):
        return _records(place, typed, before, environment)
    if argument.dest == "members" and (values := _member_values(resource, verb, typed, before)):
        return values
    return _values(argument, resource, verb)


# ---- records that were kept ----

_TARGETS = {"channel": "channels", "campaign": "campaigns"}


def _kept_at(verb: str, argument: str, given: Sequence[str]) -> str:
    """The resource whose ids an argument takes; empty for none."""
    match verb, argument:
        case "get" | "update" | "delete", "id" | "ids":
            return given[0] if given else ""
        case "stats" | "report" | "collect", "ids" | "qr" | "codes":
            return "qr"
        case "assign", "id":
            return _TARGETS.get(given[0], "") if given else ""
        case "subscribe", "user" | "plan":
            return f"{argument}s"
    return ""


def _records(resource: str, typed: str, before: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """Ids that begin with this number, or whose records have this text in their names, with the names."""
    from linkdash.api.folded_text import folded
    from linkdash.commands.completion_names import kept_names

    profile = next((word for at, word in enumerate(before) if at and before[at - 1] == "--profile"), None)
    names = kept_names(resource, environment, profile)
    is_number, sought = typed.isdecimal(), folded(typed)
    return [
        f"{id}\t{name}"
        for id, name in names.items()
        if (id.startswith(typed) if is_number else sought in folded(name))
    ]


def _member_values(resource: str, verb: str, typed: str, before: Sequence[str]) -> list[str]:
    """Return the values of a member, as `type=bing`; the value alone in bash, which has split them."""
    from linkdash.api.fields import Kind, fields_of
    from linkdash.model.declaration import declaration

    model = getattr(declaration(resource), verb)
    if not model:
        return []
    fields = {field.name: field for field in fields_of(model)}
    name, equals, _ = typed.partition("=")
    name, start = (name, f"{name}=") if equals else (before[-1] if before else "", "")
    if name not in fields:
        return []
    field = fields[name]
    values = ("true", "false") if field.kind is Kind.FLAG else field.choices
    return [f"{start}{value}" for value in values]


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
        case "profile" | "name":
            return _profiles()
        case "sort" | "columns" if resource:
            from linkdash.model.declaration import declaration

            return [column.name for column in declaration(resource).columns]
        case "view" if resource:
            from linkdash.model.declaration import declaration

            return [finding.name for finding in declaration(resource).findings]
        case "members" if resource:
            from linkdash.api.fields import fields_of
            from linkdash.model.declaration import declaration

            model = getattr(declaration(resource), verb)
            return [f"{field.name}=" for field in fields_of(model)] if model else ()
    return ()


def _profiles() -> Iterable[str]:
    from linkdash.api.errors import Misconfigured
    from linkdash.model.configuration_file import configuration_path, read_configuration

    try:
        return read_configuration(configuration_path()).file.profiles
    except Misconfigured:  # told when it is to be used
        return ()
