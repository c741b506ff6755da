"""`linkdash export`: the records of a resource in a file."""

import argparse
from datetime import UTC, datetime
from pathlib import Path

from linkdash.api.errors import LinkdashError
from linkdash.commands.file_arguments import PIPE, check_target, format_of
from linkdash.commands.load_records import arrange, arranged, load, tell_part
from linkdash.commands.output import put_csv, tell_formulas
from linkdash.commands.standard_streams import put, tell
from linkdash.model.csv_text import Formulas, for_spreadsheets
from linkdash.model.declaration import declaration
from linkdash.model.humanize import ago, counted
from linkdash.model.json_text import json_lines
from linkdash.model.lists.export import record_members, records_csv, records_json
from linkdash.model.session import Session
from linkdash.model.writes.exported_files import keep_exported
from linkdash.store.files import replace_text


async def export_records(session: Session, flags: argparse.Namespace) -> int:
    """`linkdash export RESOURCE FILE`: records into a file, or a pipe, that `import` reads again."""
    resource = declaration(flags.resource)
    form = format_of(flags.file, flags.file_format)
    check_target(flags.file)
    collection = session.collection(resource.id)
    await arrange(session, collection, flags.filter, None)
    await load(session, collection, every=not flags.cached, cached=flags.cached)
    read_at = collection.listing.oldest_at
    if read_at is None:
        raise LinkdashError("Nothing is stored of this list.", "Nothing was written.")
    rows = await arranged(collection)
    formulas = Formulas(are_quoted=not flags.raw)
    match form:
        case "csv":
            text = records_csv(resource.record, resource.columns, rows, formulas)
        case "json":
            text = records_json(rows, datetime.fromtimestamp(read_at, UTC))
        case _:
            text = json_lines(map(record_members, rows))
    await keep_exported(session, collection)
    if flags.file == PIPE:
        (put_csv if form == "csv" else put)(text)
    else:
        path = Path(flags.file)
        replace_text(path, for_spreadsheets(text) if form == "csv" else text)
        tell(f"Wrote {counted(len(rows), resource.singular)} to {path}.")
    if flags.cached:
        tell(f"Stored {ago(max(0.0, session.now() - read_at))}.")
    tell_formulas(formulas)
    return tell_part(collection, "Exported" if not flags.filter else "Searched", cached=flags.cached)
