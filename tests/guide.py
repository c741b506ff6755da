"""The tables of the guide, written from the declarations that they are about: `python -m tests.guide`."""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel
from pydantic_core import PydanticUndefined
from textual.binding import Binding

import linkdash.guide
from linkdash.api.fields import Field, Kind, fields_of
from linkdash.api.qr_payloads import PAYLOADS
from linkdash.api.records import Record
from linkdash.commands.man_page import value_name
from linkdash.commands.parser import parser
from linkdash.model.configuration_file import AlertSetting, CommandSetting, ConfigurationFile, Profile
from linkdash.model.declaration import AnyResource, declarations
from linkdash.model.lists.filter import FilterError, parse
from linkdash.model.resources import PLACES
from linkdash.screens.actions import AnyAction
from linkdash.screens.key_names import key_names
from linkdash.screens.lists.list_actions import LIST_ACTIONS
from linkdash.screens.program_actions import PROGRAM_ACTIONS
from linkdash.screens.registry import every_screen
from linkdash.screens.resource_screen import ResourceScreen
from linkdash.widgets.form.form import Form
from linkdash.widgets.table.record_table import RecordTable

FOLDER = Path(linkdash.guide.__file__).parent
_BLOCK = re.compile(r"(<!-- (\w+): python -m tests\.guide -->\n).*?(<!-- end of \2 -->)", re.DOTALL)

# ---- keys ----


def keys() -> str:
    """Every key with what it does and costs, by where it works."""
    places: dict[tuple[str, str, str, str], list[str]] = {}
    for where, *told in _keys():
        places.setdefault((told[0], told[1], told[2], told[3]), []).append(where)
    lines = ["| where | key | action | does | costs |", "| --- | --- | --- | --- | --- |"]
    lines += [_key_row(", ".join(where), *told) for told, where in places.items()]
    return "\n".join(lines)


def _keys() -> Iterator[tuple[str, str, str, str, str]]:
    places = ", ".join(place.title for place in PLACES)
    keys = " or ".join(place.key for place in PLACES)
    yield "anywhere", keys, f"go-{PLACES[0].id} …", places, "1 request, if not seen before"
    yield from (_of_action("anywhere", action) for action in PROGRAM_ACTIONS)
    for binding in RecordTable.BINDINGS:
        if isinstance(binding, Binding):
            yield "a list", key_names(binding.key), binding.id or "", binding.description, ""
    yield from (_of_action("a list", action) for action in LIST_ACTIONS)
    shared = {action.id for action in LIST_ACTIONS}
    for screen in sorted(every_screen(), key=lambda screen: screen.TITLE or screen.__name__):
        is_list = issubclass(screen, ResourceScreen)
        for action in screen.ACTIONS:
            if not (is_list and action.id in shared):
                yield _of_action(screen.TITLE or screen.__name__, action)
    for binding in Form.BINDINGS:
        if isinstance(binding, Binding) and binding.id:
            yield "a form", key_names(binding.key), binding.id, binding.description, ""


def _of_action(where: str, action: AnyAction) -> tuple[str, str, str, str, str]:
    return where, key_names(action.keys), action.id, action.help, action.cost


def _key_row(where: str, keys: str, action: str, does: str, cost: str) -> str:
    shown = " ".join(f"`{key}`" for key in keys.split(" or "))
    return f"| {where} | {shown} | {action} | {does} | {cost} |"


# ---- commands ----


def commands() -> str:
    """Every command with its flags, without those that all of them have."""
    main = parser()
    common = {flag for one in main.arguments for flag in one.option_strings}
    lines = ["| command | does | arguments and flags |", "| --- | --- | --- |"]
    for name, verb in main.verbs.items():
        own = [one for one in verb.parser.arguments if common.isdisjoint(one.option_strings)]
        flags = [_argument(one.option_strings, value_name(one), one.nargs) for one in own]
        about = (verb.parser.description or "").rstrip(".").replace("|", r"\|")
        lines.append(f"| `{name}` | {about} | {' '.join(flags)} |")
    return "\n".join(lines)


def _argument(flags: Sequence[str], value: object, count: object) -> str:
    """An argument as it is written: `--limit N`, `ID …`."""
    more = " …" if count in ("+", "*") else ""
    return f"`{flags[-1]}{'' if count == 0 else f' {value}{more}'}`" if flags else f"`{value}{more}`"


# ---- settings ----


def settings() -> str:
    """Return what the configuration file may hold, by table."""
    tables: list[tuple[str, type[BaseModel]]] = [
        ("", ConfigurationFile),
        ("profiles.NAME", Profile),
        ("alerts.NAME", AlertSetting),
        ("commands.NAME", CommandSetting),
    ]
    lines = ["| table | setting | is | default |", "| --- | --- | --- | --- |"]
    for table, model in tables:
        for name, field in model.model_fields.items():
            is_unset = field.default in (PydanticUndefined, "", [], {}) or "Secret" in repr(field.default)
            default = "" if is_unset else f"`{str(field.default).lower()}`"
            lines.append(
                f"| {f'`[{table}]`' if table else ''} | `{name}` | {field.description} | {default} |"
            )
    return "\n".join(lines)


# ---- fields of resources ----

_WORDS = {
    Kind.IDENTIFIER: "number",
    Kind.REFERENCE: "id",
    Kind.COUNT: "number",
    Kind.FLAG: "yes or no",
    Kind.MOMENT: "date and time",
    Kind.DAY: "date",
    Kind.CHOICE: "word",
    Kind.PAYLOAD: "content",
}
"""What kinds are called where their own names do not say it."""


def fields() -> str:
    """The fields of every resource: how each is filtered, and where it can be given."""
    return "\n\n".join(f"## {resource.title}\n\n{_fields(resource)}" for resource in declarations())


def _fields(resource: AnyResource) -> str:
    """The table of one resource, under the name that commands have for it."""
    record: type[Record] = resource.record
    shown = fields_of(record)
    create, update = _by_name(resource.create), _by_name(resource.update)
    lines = ["| field | is | a filter | create | update |", "| --- | --- | --- | --- | --- |"]
    named = {field.name: field for field in shown}
    for name, field in {**create, **update, **named}.items():
        example = _filter_example(field, shown) if name in named else ""
        given = [_given(create.get(name)), _given(update.get(name))]
        what = f"{field.title} ({_kind(field)})"
        lines.append(f"| `{name}` | {what} | {f'`{example}`' if example else ''} | {' | '.join(given)} |")
    return f"`{resource.id}` in commands.\n\n" + "\n".join(lines)


def _by_name(model: type[BaseModel] | None) -> dict[str, Field]:
    return {field.name: field for field in fields_of(model)} if model else {}


def _kind(field: Field) -> str:
    """Return what a field holds; its choices, where there are some."""
    return " ".join(f"`{choice}`" for choice in field.choices) or _WORDS.get(field.kind, field.kind)


def _filter_example(field: Field, fields: Sequence[Field]) -> str:
    """A filter that the field takes, as the language itself says; empty for one that is never searched."""
    for example in (">100", "<30d", ":spring", ":yes"):
        try:
            parse(field.name + example, fields, datetime(2026, 1, 1))
        except FilterError:
            continue
        return field.name + example
    return ""


def _given(field: Field | None) -> str:
    if field is None:
        return ""
    secret = " (`-` reads it from standard input)" if field.kind is Kind.SECRET else ""
    return f"{'required' if field.required else 'yes'}{secret}"


# ---- contents of QR codes ----


def contents() -> str:
    """The content of each type of QR code: its members, or that it is a text."""
    lines = ["| type | `data` is | members |", "| --- | --- | --- |"]
    for type_, payload in PAYLOADS.items():
        parts = fields_of(payload)
        if payload.is_text:
            lines.append(f"| `{type_}` | text | {parts[0].title} ({_kind(parts[0])}) |")
        else:
            members = "; ".join(map(_part, parts))
            lines.append(f"| `{type_}` | an object | {members} |")
    return "\n".join(lines)


def _part(field: Field) -> str:
    return f"`{field.name}` {_kind(field)}{', required' if field.required else ''}"


# ---- the files ----

TABLES: dict[str, Callable[[], str]] = {
    "keys": keys,
    "commands": commands,
    "settings": settings,
    "fields": fields,
    "contents": contents,
}
"""By the name that stands before its place in the guide."""


def with_tables(text: str) -> str:
    """A page with its tables written anew."""
    return _BLOCK.sub(lambda found: f"{found[1]}\n{TABLES[found[2]]()}\n\n{found[3]}", text)


if __name__ == "__main__":
    for path in FOLDER.glob("*.md"):
        path.write_text(with_tables(path.read_text()))
