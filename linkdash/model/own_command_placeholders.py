"""The placeholders of the user's own commands, filled in from a record."""

import re

from linkdash.api.fields import NOT_IN_A_TEXT, fields_of
from linkdash.api.records import Record
from linkdash.model.as_command import NOT_IN_COMMANDS
from linkdash.model.copy_choices import member_text

_PLACE = re.compile(r"\{(\w+)\}")


def filled_in(argument: str, record: Record) -> str:
    """An argument with the record's members in the place of `{id}`, `{link}` and so on.

    Raises ValueError for a member that the record has not, or that is a secret, and where a value would make
    an option of the argument.
    """
    fields = {field.name: field for field in fields_of(type(record)) if field.kind not in NOT_IN_A_TEXT}

    def value(found: re.Match[str]) -> str:
        if found[1] == "id":
            return str(record.id)
        text = member_text(record, fields[found[1]]) if found[1] in fields else ""
        if not text:
            raise ValueError(f"This record has no {found[0]}.")
        if NOT_IN_COMMANDS.search(text):
            raise ValueError(f"{found[0]} of this record cannot be given to a command.")
        return text

    filled = _PLACE.sub(value, argument)
    if filled.startswith("-") and not argument.startswith("-"):
        raise ValueError(f"{argument} of this record begins with -, which a command takes for an option.")
    return filled
