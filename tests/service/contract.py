"""The contract in one table: requests, the status each is answered with, and the sentence that says so.

`VALID` has one request an endpoint. What is wrong with a request is told once, by a rule, and every rule is
applied to every endpoint that it concerns, by `invalid`. Sentences are the reference's own;
where the reference is silent ("not shown"), the status is the embedded service's choice and the row says so.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

Body = dict[str, object]


class Row(NamedTuple):
    """A request and how it has to be answered."""

    method: str
    path: str
    body: object
    headers: Mapping[str, str]
    statuses: tuple[int, ...]
    sentence: str
    """What of the reference the row is from."""
    told: str = ""
    """Words of the answer's message."""


DONE, FOUND, CREATED = "message", "data", "id"
CAMPAIGN = "id domain public rotator list"


class Endpoint(NamedTuple):
    """A line of the reference's summary, with a body that is right and bad values of its members."""

    method: str
    path: str
    sentence: str
    body: Body | None = None
    bad: Mapping[str, tuple[object, ...]] = {}
    required: tuple[str, ...] = ()
    answer: str = ""
    """The members of its answer beside `error`; without a word, `data` for a read, else `message`."""

    @property
    def members(self) -> set[str]:
        """Return the members of its answer."""
        told = self.answer or (FOUND if self.method == "GET" else DONE)
        return {"error", *told.split()}


SAME = "Update endpoints accept partial bodies except where a field is marked required."
URL: tuple[object, ...] = (
    "go.example.org",
    "ftp://a.example",
    "javascript:alert(1)",
    "https://",
    "https://a b",
    "/404",
    "//example.org",
    None,
    1,
    1.5,
    [],
    True,
)
LINK = ("http://[", *URL)
TEXT: tuple[object, ...] = ("", " ", None, 1, 1.5, [], {}, True, "\ud800", "\0")
COLOR: tuple[object, ...] = (
    *("red", "#fff", "#FFFFFF", "rgb(0,0)", "rgb(0,0,256)", "rgb(0, 0, 0)", "rgb(0,0,0,1)", "rgb(-1,0,0)"),
    *("", None, 1),
)
HEX: tuple[object, ...] = ("red", "#12345", "#GGGGGG", "rgb(0,0,0)", "", None, 1)
FLAG: tuple[object, ...] = (1, 0, 1.5, "true", "1", None, [])
EMAIL: tuple[object, ...] = ("", "me", "me@", "me@host", "a b@example.org", None, 1)
WHEN: tuple[object, ...] = ("2030-01-01", "2030-02-30 00:00:00", "2030-01-01T00:00:00Z", "soon", None, 1)

VALID = (
    Endpoint("GET", "/api/account", "GET /api/account: no body. Response {error, data: account}."),
    Endpoint(
        *("PUT", "/api/account/update", "body members email (string), password (string)"),
        {"email": "me@example.org", "password": "1234"},
        {"email": EMAIL, "password": ("", None, 1, [])},
    ),
    Endpoint("GET", "/api/domains", "Response: {error, data: paged list envelope}."),
    Endpoint(
        *("POST", "/api/domain/add", "body domain (string URL with scheme, required)"),
        {"domain": "https://new.example.org", "redirectroot": "https://a.example", "redirect404": ""},
        {"domain": ("", "https://go.example/x", *URL), "redirectroot": LINK, "redirect404": LINK},
        ("domain",),
        answer=CREATED,
    ),
    Endpoint(
        *("PUT", "/api/domain/3/update", "body redirectroot (optional), redirect404 (optional)"),
        {"redirectroot": "https://a.example"},
        {"redirectroot": LINK, "redirect404": LINK, "domain": ("https://other.example",)},
    ),
    Endpoint("DELETE", "/api/domain/3/delete", "no body. Response {error, message}."),
    Endpoint("GET", "/api/overlay", "The collection key is domains, splash, cta, pixels, qrs, campaigns, …"),
    Endpoint("GET", "/api/campaigns", "Response: {error, data: paged list envelope}."),
    Endpoint(
        *("POST", "/api/campaign/add", "body name (string, optional), slug (…), public (boolean, optional)"),
        {"name": "Spring", "slug": "spring-1", "public": True},
        {"name": TEXT, "slug": ("a b", "ä", None, 1), "public": FLAG},
        answer=CAMPAIGN,
    ),
    Endpoint(
        "POST", "/api/campaign/4/assign/9", "POST …/assign/:linkid: no body. Response {error, message}."
    ),
    Endpoint(
        *(
            "PUT",
            "/api/campaign/4/update",
            "body name (string, required), slug (optional), public (optional)",
        ),
        {"name": "Other", "public": False},
        {"name": TEXT, "slug": ("a b", None, 1), "public": FLAG},
        ("name",),
        answer=CAMPAIGN,
    ),
    Endpoint(
        "DELETE", "/api/campaign/4/delete", "DELETE /api/campaign/:id/delete: response {error, message}."
    ),
    Endpoint("GET", "/api/channels", "Response: {error, data: paged list envelope}."),
    Endpoint("GET", "/api/channel/4", "paged list of items. The collection key is items."),
    Endpoint(
        *("POST", "/api/channel/add", "body name (string, required), description, color, starred (optional)"),
        {"name": "New", "description": "d", "color": "#A0B1C2", "starred": True},
        {"name": TEXT, "description": (None, 1), "color": HEX, "starred": FLAG},
        ("name",),
        answer="id name description color starred",
    ),
    Endpoint("POST", "/api/channel/4/assign/qr/7", ":type (required, one of links, bio, qr)"),
    Endpoint(
        *("PUT", "/api/channel/4/update", "body name, description, color, starred, all optional."),
        {"starred": False},
        {"name": TEXT, "description": (None, 1), "color": HEX, "starred": FLAG},
    ),
    Endpoint("DELETE", "/api/channel/4/delete", "Rule: a channel delete also unassigns all items."),
    Endpoint("GET", "/api/splash", "Response: {error, data: paged list envelope}."),
    Endpoint("GET", "/api/pixels", "Response: {error, data: paged list envelope}."),
    Endpoint(
        *("POST", "/api/pixel/add", "body type (required), name (string, required), tag (string, required)"),
        {"type": "tiktok", "name": "Shop", "tag": "T-1"},
        {"type": ("", "facebook", "BING", None, 1, []), "name": TEXT, "tag": TEXT},
        ("type", "name", "tag"),
        answer=CREATED,
    ),
    Endpoint(
        *("PUT", "/api/pixel/5/update", "body name (optional), tag (required)"),
        {"tag": "T-5"},
        {"name": TEXT, "tag": TEXT, "type": ("bing",)},
        ("tag",),
    ),
    Endpoint("DELETE", "/api/pixel/5/delete", "DELETE /api/pixel/:id/delete: response {error, message}."),
    Endpoint("GET", "/api/qr", "Response: {error, data: paged list envelope}."),
    Endpoint("GET", "/api/qr/6", "response {error, details, data} as in Resources.", answer="details data"),
    Endpoint(
        *("POST", "/api/qr/add", "body type (required), data (required; string or array, depending on type)"),
        {"type": "link", "data": "https://example.org", "foreground": "rgb(0,0,255)"},
        {
            "type": ("", "url", None, 1),
            "data": ("", [], {}, None, 1),
            "background": COLOR,
            "foreground": COLOR,
            "logo": ("logo.gif", "logo", ".png", None, 1),
        },
        ("type", "data"),
        answer="id link",
    ),
    Endpoint(
        *("PUT", "/api/qr/6/update", "body data (required), background, foreground, logo (optional)"),
        {"data": "https://example.org"},
        {
            "data": ("", [], {}, None, 1),
            "background": COLOR,
            "foreground": COLOR,
            "logo": ("logo.gif", None),
            "type": ("text",),
        },
        ("data",),
    ),
    Endpoint("DELETE", "/api/qr/6/delete", "DELETE /api/qr/:id/delete: response {error, message}."),
    Endpoint("GET", "/api/plans", "GET /api/plans: response {error, data: [plan]}."),
    Endpoint(
        *(
            "PUT",
            "/api/plan/3/user/9",
            "body type (required; monthly, yearly or lifetime), expiration (optional)",
        ),
        {"type": "yearly", "expiration": "2030-01-01 00:00:00"},
        {"type": ("weekly", "", None, 1), "expiration": WHEN},
        ("type",),
    ),
    Endpoint("GET", "/api/users", "response {error, data: [user]} (array, not paged)."),
    Endpoint("GET", "/api/user/9", "GET /api/user/:id: response {error, data: user}."),
    Endpoint(
        *("POST", "/api/user/add", "body username, email (must be valid), password (at least 5 characters)"),
        {"username": "new.user", "email": "new@example.org", "password": "12345", "planid": 2},
        {
            "username": ("", "a b", "ü", "-a", None, 1),
            "email": EMAIL,
            "password": ("", "1234", None, 1),
            "planid": ("2", 2.0, 2.5, True, None, 1, 99),
            "expiration": WHEN,
        },
        ("username", "email", "password"),
        answer="message data",
    ),
    Endpoint("DELETE", "/api/user/9/delete", "DELETE /api/user/:id/delete: response {error, message}."),
)

KEY_MISSING = "When the key is missing or expired, the request fails with an error response."
BEARER = "Every request carries the header Authorization: Bearer <API_KEY>."
JSON_HEADER = "Requests also carry Content-Type: application/json."
ADMINS = "Plans and Users endpoints are reachable only by users with admin privileges."
IDENTIFIER = ":name in a path is a path parameter (an integer identifier)."
JSON_BODY = "All bodies are JSON."
PAGING = "Query parameters, both optional integers: limit (results per page), page (page number)."
SUMMARY = "This document covers the whole interface of the service. (Other paths and methods: not shown.)"
FILTER = "optional query parameter filter, one of admin, free, pro."

BAD_HEADERS: tuple[tuple[Mapping[str, str], int, str], ...] = (
    ({"Authorization": ""}, 401, KEY_MISSING),
    ({"Authorization": "Bearer"}, 401, KEY_MISSING),
    ({"Authorization": "Bearer nobody"}, 401, KEY_MISSING),
    ({"Authorization": "Basic bm9ib2R5"}, 401, BEARER),
    ({"Authorization": "{key}"}, 401, BEARER),
    ({"Authorization": "Bearer {key}x"}, 401, BEARER),
    ({"Content-Type": ""}, 400, JSON_HEADER),
    ({"Content-Type": "text/plain"}, 400, JSON_HEADER),
    ({"Content-Type": "application/x-www-form-urlencoded"}, 400, JSON_HEADER),
)
ODD_IDS = ("0", "-1", "999999", "9" * 30, "abc", "1.5", "1e3", "%31%2F..", "null", "%00", "１")
ODD_NUMBERS = ("0", "-1", "x", "1.5", "", "9" * 30 + "x", "null", "1e2", "0x10")
PAGED = ("domains", "overlay", "campaigns", "channels", "splash", "pixels", "qr", "channel/4")


def invalid(endpoint: Endpoint) -> Iterator[Row]:
    """Return what an endpoint must refuse."""
    method, path, body = endpoint.method, endpoint.path, endpoint.body
    for headers, status, sentence in BAD_HEADERS:
        yield Row(method, path, body, headers, (status,), sentence)
    if "/plan" in path or "/user" in path:
        yield Row(method, path, body, {"Authorization": "Bearer {plain_key}"}, (403,), ADMINS, "admin")
    yield Row(method, f"{path}/", body, {}, (404,), SUMMARY)
    yield Row("PATCH", path, body, {}, (405,), SUMMARY)
    yield from odd_identifiers(endpoint)
    if method == "GET" and path.removeprefix("/api/") in PAGED:
        for number in ODD_NUMBERS:
            yield Row(method, f"{path}?page={number}", None, {}, (400,), PAGING)
            yield Row(method, f"{path}?limit={number}", None, {}, (400,), PAGING)
    if path == "/api/users":
        for word in ("owner", "", "ADMIN", "free,pro"):
            yield Row(method, f"{path}?filter={word}", None, {}, (400,), FILTER)
    if body is not None:
        yield from bad_bodies(endpoint, body)


def odd_identifiers(endpoint: Endpoint) -> Iterator[Row]:
    """Every identifier of a path in turn is none, or that of nothing."""
    parts = endpoint.path.split("/")
    for place, part in enumerate(parts):
        if part.isdigit():
            for odd in ODD_IDS:
                path = "/".join([*parts[:place], odd, *parts[place + 1 :]])
                yield Row(endpoint.method, path, endpoint.body, {}, (404, 405), IDENTIFIER)


def bad_bodies(endpoint: Endpoint, body: Body) -> Iterator[Row]:
    """Bodies that are no object, lack a member, or hold one that is wrong or unknown."""
    method, path, sentence = endpoint.method, endpoint.path, endpoint.sentence
    for raw in (b"", b"{", b"[]", b"null", b'"text"', b"\xff\xfe", b"[" * 2_000):
        yield Row(method, path, raw, {}, (400,), JSON_BODY, "request body is not")
    yield Row(method, path, {**body, "colour": "red"}, {}, (400,), sentence, "colour is not a member")
    for name in endpoint.required:
        without = {member: value for member, value in body.items() if member != name}
        yield Row(method, path, without, {}, (400,), f"{sentence} {SAME}", f"{name} is required.")
    for name, values in endpoint.bad.items():
        for value in values:
            told = "Plan 99" if (name, value) == ("planid", 99) else f"{name} "
            yield Row(method, path, {**body, name: value}, {}, (404 if value == 99 else 400,), sentence, told)
