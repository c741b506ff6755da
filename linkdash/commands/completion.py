"""Completion in a shell, made from the parser.

`linkdash completion` prints a script, which asks the program for the words: columns and members depend on the
resource that was typed, profiles on the configuration. A script that is generated whole, as shtab's is, knows
neither.
"""

import argparse
import itertools
import sys
from collections.abc import Iterable, Mapping, Sequence

from linkdash.commands.parser import Parser, parser
from linkdash.commands.verbs import ASKING, COLUMNS, MEMBERS, PROFILES, RECORDS, TARGETS, VIEWS

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


def script(flags: argparse.Namespace, _environment: Mapping[str, str]) -> int:
    """`linkdash completion SHELL`: prints what a shell is to read."""
    sys.stdout.write(SCRIPTS[flags.shell])
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
    of = main.verbs[verb].parser if verb else main
    flag = next((one for one in of.arguments if before and before[-1] in one.option_strings), None)
    if flag is not None and flag.nargs != 0:
        argument = flag
    elif typed.startswith("-"):
        return [name for one in of.arguments for name in one.option_strings if name.startswith("--")]
    elif verb is None:
        return main.verbs
    elif positionals := [one for one in of.arguments if not one.option_strings]:
        argument = positionals[min(len(given), len(positionals) - 1)]
    else:
        return ()
    if argument.choices is not None:
        return list(map(str, argument.choices))
    resource = next(iter(given), "")
    kind = of.offers.get(argument.dest, "")
    if kind == PROFILES:
        return _profiles()
    if not (kind and resource) and kind in ("", COLUMNS, MEMBERS, RECORDS, TARGETS, VIEWS):
        return ()
    if kind in (COLUMNS, MEMBERS, VIEWS):
        return _of_resource(kind, resource, verb or "", typed, before)
    place = {RECORDS: resource, TARGETS: f"{resource}s"}.get(kind, kind)
    return _records(place, typed, before, environment)


def _of_resource(kind: str, resource: str, verb: str, typed: str, before: Sequence[str]) -> Iterable[str]:
    """The columns, findings or members that a resource has."""
    from linkdash.model.declaration import declaration

    if kind == VIEWS:
        return [finding.name for finding in declaration(resource).findings]
    if kind == COLUMNS:
        listed = typed[: typed.rfind(",") + 1]  # of several those that are typed
        return [f"{listed}{column.name}" for column in declaration(resource).columns]
    return _member_values(resource, verb, typed, before)


# ---- what was kept, and what a member can be ----


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
    """The members, or the values of one, as `type=bing`; the value alone in bash, which has split them."""
    from linkdash.api.fields import Kind, fields_of
    from linkdash.model.declaration import declaration

    model = getattr(declaration(resource), verb)
    if not model:
        return []
    fields = {field.name: field for field in fields_of(model)}
    name, equals, _ = typed.partition("=")
    name, start = (name, f"{name}=") if equals else (before[-1] if before else "", "")
    values: Iterable[str] = ()
    if name in fields:
        values = ("true", "false") if fields[name].kind is Kind.FLAG else fields[name].choices
    return [f"{start}{value}" for value in values] or [f"{field}=" for field in fields]


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


def _profiles() -> Iterable[str]:
    from linkdash.api.errors import Misconfigured
    from linkdash.model.configuration_file import configuration_path, read_configuration

    try:
        return read_configuration(configuration_path()).file.profiles
    except Misconfigured:  # told when it is to be used
        return ()
