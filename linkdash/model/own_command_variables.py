"""The environment variables in which a command of the user's own has the record that it is run on."""

from linkdash.api.fields import NOT_IN_A_TEXT, fields_of
from linkdash.api.records import Record
from linkdash.model.as_command import NOT_IN_COMMANDS
from linkdash.model.configuration_file import variable
from linkdash.model.copy_choices import member_text


def variables(record: Record) -> dict[str, str]:
    """Return `RECORD_ID`, `RECORD_LINK` and so on; what no variable can hold, and secrets, are left out."""
    fields = [field for field in fields_of(type(record)) if field.kind not in NOT_IN_A_TEXT]
    values = {variable(field.name): member_text(record, field) for field in fields}
    return {name: value for name, value in values.items() if not NOT_IN_COMMANDS.search(value)}
