"""The parts of endpoints: calls, answers, pages, tables, the rules of a body, the spelling of values."""

import calendar
import hashlib
import json
import re
import secrets
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit

from linkdash.demo import DemoSettings

# ---- answers (reference: Response envelope, Errors) ----

LARGEST_ID = 2**63 - 1

Answer = dict[str, object]


class Refusal(Exception):
    """A request the service refuses: error 1 with a message, and the HTTP status that fits."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = headers


def done(message: str) -> Answer:
    """A success that only says so."""
    return {"error": 0, "message": message}


def created(record_id: int, **members: object) -> Answer:
    """A success that names the new record."""
    return {"error": 0, "id": record_id, **members}


def found(data: object) -> Answer:
    """A success that carries one record."""
    return {"error": 0, "data": data}


def listed(data: Sequence[object] | Mapping[str, object]) -> Answer:
    """A list response: its `error` is the string zero, as the reference says."""
    return {"error": "0", "data": data}


# ---- the endpoint itself ----

Check = Callable[[object], str | None]
"""Says what is wrong with a value, to follow the member's name; None when it is right."""


@dataclass(frozen=True)
class Member:
    """A member of a request body."""

    check: Check
    required: bool = False


Body = Mapping[str, Member]


@dataclass(frozen=True)
class Call:
    """A request that passed the checks of key, rate, admin rights and body.

    `now` is in epoch seconds; `seed` is what the records were made from, at the moment `made`.
    """

    db: sqlite3.Connection
    settings: DemoSettings
    seed: int
    made: float
    now: float
    user: sqlite3.Row
    path: Mapping[str, str | int]
    query: Mapping[str, str]
    body: Mapping[str, object]

    def id(self, name: str = "id") -> int:
        """An identifier from the path."""
        return int(self.path[name])

    # Names of tables and columns below never come from a request.

    def find(self, table: str, record_id: int, label: str) -> sqlite3.Row:
        """The record, or a 404 Refusal that calls it by its label."""
        row: sqlite3.Row | None = None
        if abs(record_id) <= LARGEST_ID:
            row = self.db.execute(f"SELECT * FROM {table} WHERE id = ?", (record_id,)).fetchone()
        if row is None:
            raise Refusal(404, f"{label} {record_id} was not found.")
        return row

    def taken(self, table: str, columns: Mapping[str, object], except_id: int = 0) -> bool:
        """Return whether another record has these very values."""
        where = " AND ".join(f"{column} = ?" for column in columns)
        query = f"SELECT 1 FROM {table} WHERE {where} AND id <> ?"
        return self.db.execute(query, (*columns.values(), except_id)).fetchone() is not None

    def insert(self, table: str, values: Mapping[str, object]) -> int:
        """Add a record and return its id."""
        marks = ", ".join("?" * len(values))
        cursor = self.db.execute(
            f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", (*values.values(),)
        )
        return cursor.lastrowid or 0

    def update(self, table: str, record_id: int, values: Mapping[str, object]) -> None:
        """Change the given columns of a record; none given changes nothing."""
        if values:
            changes = ", ".join(f"{column} = ?" for column in values)
            self.db.execute(f"UPDATE {table} SET {changes} WHERE id = ?", (*values.values(), record_id))

    def remove(self, table: str, record_id: int, label: str) -> sqlite3.Row:
        """Delete a record and return what it was; a 404 Refusal when there is none."""
        row = self.find(table, record_id, label)
        self.db.execute(f"DELETE FROM {table} WHERE id = ?", (record_id,))
        return row


@dataclass(frozen=True)
class Endpoint:
    """A line of the reference's summary: its handler, its body's rules, whether it is admin only."""

    method: str
    path: str
    handle: Callable[[Call], Answer]
    body: Body | None = None
    admin: bool = False


# ---- pages (reference: Paged list envelope, Paged list endpoints); the newest record comes first ----


def paged(
    call: Call,
    collection: str,
    table: str,
    record: Callable[[sqlite3.Row], Answer],
    *,
    where: str = "1",
    params: tuple[object, ...] = (),
    order: str = "id DESC",
) -> Answer:
    """Return a page of a table under its collection key. A high `limit` is capped; `perpage` tells."""
    perpage = min(_positive(call, "limit", call.settings.perpage), call.settings.page_cap)
    page = _positive(call, "page", 1)
    (result,) = call.db.execute(f"SELECT COUNT(*) FROM {table} WHERE {where}", params).fetchone()
    maxpage = -(-result // perpage)
    rows: list[sqlite3.Row] = []
    if page <= maxpage:
        query = f"SELECT * FROM {table} WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?"
        rows = call.db.execute(query, (*params, perpage, (page - 1) * perpage)).fetchall()
    envelope = {
        "result": result,
        "perpage": perpage,
        "currentpage": page,
        "nextpage": min(page + 1, maxpage),
        "maxpage": maxpage,
    }
    return listed({**envelope, collection: [record(row) for row in rows]})


def _positive(call: Call, name: str, default: int) -> int:
    text = call.query.get(name)
    if text is None:
        return default
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise Refusal(400, f"{name} must be an integer of 1 or more.")
    return number


# ---- the rules of body members, declared once by each endpoint and checked before it runs ----


def required(check: Check) -> Member:
    """A member that must be given."""
    return Member(check, required=True)


def optional(check: Check) -> Member:
    """A member that can be left out."""
    return Member(check)


def check(body: Mapping[str, object], members: Body) -> None:
    """A 400 Refusal that names all that is wrong with the body, if anything is."""
    problems = [f"{name} is not a member of this request." for name in body if name not in members]
    for name, member in members.items():
        if name not in body:
            problems += [f"{name} is required."] if member.required else []
        elif problem := member.check(body[name]):
            problems.append(f"{name} {problem}.")
    if problems:
        raise Refusal(400, " ".join(problems))


def check_content_type(content_type: str) -> None:
    """A 400 Refusal of a request without the documented header (reference: Authentication 1)."""
    if content_type.partition(";")[0].strip().lower() != "application/json":
        raise Refusal(400, "The request needs the header Content-Type: application/json.")


def parsed(raw: bytes) -> dict[str, object]:
    """The body as a JSON object, else a 400 Refusal."""
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        raise Refusal(400, "The request body is not JSON.") from None
    if not isinstance(body, dict):
        raise Refusal(400, "The request body is not a JSON object.")
    return body


def text(value: object) -> str | None:
    """Any text with something in it."""
    return free_text(value) or (None if str(value).strip() else "must not be empty")


def free_text(value: object) -> str | None:
    """Any text; empty clears it."""
    if not isinstance(value, str):
        return "must be a string"
    return "holds characters that are not text" if re.search("[\ud800-\udfff\0]", value) else None


def boolean(value: object) -> str | None:
    """true or false."""
    return None if isinstance(value, bool) else "must be true or false"


def integer(value: object) -> str | None:
    """A whole number."""
    return None if isinstance(value, int) and not isinstance(value, bool) else "must be an integer"


def choice(*allowed: str) -> Check:
    """Check for one of a few words."""
    return lambda value: None if value in allowed else f"must be one of {', '.join(allowed)}"


def pattern(expression: str, wanted: str) -> Check:
    """A string that matches the whole expression; `wanted` says what it must be."""
    return lambda value: (
        free_text(value) or (None if re.fullmatch(expression, str(value)) else f"must be {wanted}")
    )


def or_empty(check: Check) -> Check:
    """The same rule, or an empty string, which clears the member."""
    return lambda value: None if value == "" else check(value)


def url(value: object) -> str | None:
    """An address with its scheme, http or https."""
    if problem := free_text(value):
        return problem
    try:
        parts = urlsplit(str(value))
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and not re.search(r"\s", str(value))
    except ValueError:
        good = False
    return None if good else "must be a URL that begins with http:// or https://"


def moment(value: object) -> str | None:
    """A date-time that exists."""
    try:
        epoch(str(value))
    except ValueError:
        return "must be a date-time of the form YYYY-MM-DD HH:MM:SS"
    return None


def rgb_colour(value: object) -> str | None:
    """A colour of the form rgb(r,g,b)."""
    match = re.fullmatch(r"rgb\((\d{1,3}),(\d{1,3}),(\d{1,3})\)", str(value), re.ASCII)
    good = match is not None and all(int(part) <= 255 for part in match.groups())
    return None if good else "must be a colour of the form rgb(r,g,b)"


hex_colour = pattern("#[0-9A-Fa-f]{6}", "a colour of the form #RRGGBB")
email = pattern(r"[^@\s]+@[^@\s]+\.[^@\s.]+", "a valid e-mail address")
username = pattern(r"[A-Za-z0-9][A-Za-z0-9._-]*", "letters, digits, dots, dashes and underscores")
new_password = pattern(r"(?s).{5,}", "at least 5 characters")
slug = pattern(r"[A-Za-z0-9_-]+", "letters, digits, dashes and underscores")
image = pattern(r"(?is)\S.*\.(png|jpe?g)", "the path or address of a png or jpg image")


# ---- date-times: `YYYY-MM-DD HH:MM:SS`, in UTC (reference: Conventions) ----

FORMAT = "%Y-%m-%d %H:%M:%S"


def stamp(epoch: float) -> str:
    """The epoch seconds as the service spells them."""
    return datetime.fromtimestamp(epoch, UTC).strftime(FORMAT)


def epoch(text: str) -> float:
    """The epoch seconds of a date-time as the service spells it; ValueError when it is none."""
    if len(text) != len("YYYY-MM-DD HH:MM:SS"):
        raise ValueError(text)
    return datetime.strptime(text, FORMAT).replace(tzinfo=UTC).timestamp()


def months_later(start: float, months: int) -> float:
    """The same day and time some months on, or the last day of a shorter month."""
    moment = datetime.fromtimestamp(start, UTC)
    year, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
    day = min(moment.day, calendar.monthrange(year, month + 1)[1])
    return moment.replace(year=year, month=month + 1, day=day).timestamp()


# ---- addresses ----

PUBLIC = "https://lnk.example"


def landing(kind: str, number: int, origin: str = PUBLIC) -> str:
    """Return the target of a short link, a bio page or a QR code; kind is `s`, `b` or `qr`."""
    code = hashlib.sha256(f"{kind}:{number}".encode()).hexdigest()
    return f"{origin}/{kind}/{code[:7]}"


def preview(kind: str, number: int) -> str:
    """A picture of a channel item."""
    return f"{PUBLIC}/preview/{kind}-{number}.png"


def rotator(slug: str) -> str:
    """The rotator of a campaign."""
    return f"{PUBLIC}/r/{slug}"


def link_list(campaign_id: int) -> str:
    """The public list of a campaign's links."""
    return f"{PUBLIC}/list/{campaign_id}"


def avatar(user_id: int) -> str:
    """A user's picture."""
    return f"https://avatars.example/{user_id}.png"


# ---- keys, one a user, made at registration (reference: Authentication) ----

ADMIN_ID = 1
PLAIN_ID = 2
"""The two users whose keys are handed out."""


KINDS = {ADMIN_ID: "admin", PLAIN_ID: "user"}


def new_api_key(user_id: int = 0) -> str:
    """A key that cannot be guessed."""
    return f"demo-{KINDS.get(user_id, 'key')}-{secrets.token_hex(12)}"
