"""The made-up records that a demo begins with."""

import json
import random
import sqlite3
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import product

from linkdash.demo.endpoint import ADMIN_ID, PLAIN_ID, PUBLIC, avatar, landing, new_api_key, stamp
from linkdash.demo.resources.pixels import PIXEL_TYPES
from linkdash.demo.resources.plans import ENTERPRISE, FREE, PLANS

# ---- the words that the records are put together from ----

FIRST_NAMES = """
Anna Ben Chiara David Elif Farid Greta Hugo Ines Jonas Katarzyna Lena Mateo Nadia Oskar Priya Quentin
Rosa Samuel Tereza Ulf Valeria Wei Ximena Yusuf Zoë Aïcha Björn Dmitri Emeka Fatima Haruto Ingrid João
Keiko Łukasz Mária Noor Olena Pedro Ruth Søren Tomás Uma Viktor Yara
"""
LAST_NAMES = """
Keller Novak Rossi Schmidt Yilmaz Haddad Lindqvist Moreau Costa Weber Kowalska Fischer Garcia Petrova
Nilsen Sharma Dubois Silva Cohen Dvořák Hansen Okafor Tanaka Zhang Romero Demir Ibrahim Larsen Sato
Müller Almeida Horvath Nguyen Andersson Bakker Conti Eriksen Fontaine Gruber Jansen Khan Lopez Meyer
O'Brien Park Ricci
"""
MAIL_HOSTS = ("example.com", "example.org", "example.net", "mail.example", "studio.example", "post.example")

BRANDS = (
    ("Harbor Coffee", "harbor-coffee.example"),
    ("Nordlys Outdoor", "nordlys.example"),
    ("Alte Brauerei", "alte-brauerei.example"),
    ("City Museum", "museum.example"),
    ("Velo Station", "velo-station.example"),
    ("Green Market", "green-market.example"),
    ("Tidewater Hotel", "tidewater.example"),
    ("Lumen Theatre", "lumen-theatre.example"),
    ("Atlas Books", "atlas-books.example"),
    ("Kita Sonnenblume", "kita-sonnenblume.example"),
    ("東京ポップアップ", "tokyo-popup.example"),
    ("Riverside Clinic", "riverside-clinic.example"),
)
HOST_PREFIXES = ("go", "link", "l", "to", "qr", "get")

OCCASIONS = (
    "Spring sale",
    "Summer festival",
    "Back to school",
    "Black Friday",
    "Advent calendar",
    "Opening week",
    "Loyalty programme",
    "Newsletter sign-up",
    "Trade fair",
    "Gift cards",
    "Student discount",
    "Recruiting",
    "Guided tours",
    "Season tickets",
    "Product launch",
)
PLACES = (
    "Table",
    "Shop window",
    "Poster",
    "Flyer",
    "Receipt",
    "Bus stop",
    "Hotel room",
    "Entrance",
    "Business card",
    "Packaging",
    "Trade fair stand",
    "Menu",
    "Exhibit",
    "Ticket",
    "Delivery note",
)
CHANNELS = (
    "Print",
    "Outdoor",
    "Social media",
    "Newsletter",
    "In store",
    "Partners",
    "Events",
    "Packaging",
    "Press",
    "Café tables",
    "Field sales",
    "Trade fairs",
    "Support",
    "Wayfinding",
    "محطة المترو",
)
COLORS = (
    "#E4572E",
    "#17BEBB",
    "#FFC914",
    "#2E282A",
    "#76B041",
    "#5B8E7D",
    "#BC4B51",
    "#3D5A80",
    "#F4A259",
    "#8CB369",
)
RGB_PAIRS = (
    ("rgb(255,255,255)", "rgb(0,0,0)"),
    ("rgb(255,255,255)", "rgb(61,90,128)"),
    ("rgb(255,250,240)", "rgb(46,40,42)"),
    ("rgb(240,248,255)", "rgb(188,75,81)"),
)
OVERLAY_TYPES = ("message", "contact", "poll")


# ---- the records to begin with ----

DAY = 86_400
USERS = 1_200
LINKS = 240
BIOS = 24
QR_CODES = 400
YOUNGEST_CODE = 20
"""Days that every code has been scanned for: two weeks can be compared."""


def fill(db: sqlite3.Connection, seed: int, now: float) -> None:
    """Put everything into the empty tables."""
    rng = random.Random(seed)
    db.execute("INSERT INTO meta VALUES (?, ?)", (seed, now))
    _insert(db, "plans", PLANS)
    _insert(db, "users", _users(rng, now))
    _insert(db, "domains", _domains())
    _insert(db, "overlays", _overlays(rng, now))
    _insert(db, "splash", _splash(rng, now))
    _insert(db, "campaigns", _campaigns(rng))
    _insert(db, "channels", _channels(rng))
    _insert(db, "pixels", _pixels(rng, now))
    _insert(db, "links", _links(rng, now))
    _insert(db, "bios", _bios(rng, now))
    _insert(db, "qrs", _qr_codes(rng, now))
    _insert(db, "channel_items", _channel_items(rng))


def _insert(db: sqlite3.Connection, table: str, rows: Iterable[tuple[object, ...]]) -> None:
    rows = list(rows)
    marks = ", ".join("?" * len(rows[0]))
    db.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)


def _dates(rng: random.Random, now: float, count: int, days: int) -> list[str]:
    """As many moments in the last days, oldest first, as ids go."""
    return [stamp(moment) for moment in sorted(now - rng.uniform(0.1, days) * DAY for _ in range(count))]


def _kinds(kinds: Sequence[str], count: int) -> list[str]:
    """As many of some kinds, the earlier ones more often, each of them at least once."""
    often = random.Random(count).choices(kinds, range(len(kinds), 0, -1), k=count - len(kinds))
    return [*kinds, *often]


def _brand(number: int) -> tuple[str, str]:
    return BRANDS[number % len(BRANDS)]


def _users(rng: random.Random, now: float) -> Iterable[tuple[object, ...]]:
    names = rng.sample(list(product(FIRST_NAMES.split(), LAST_NAMES.split())), USERS)
    registered = _dates(rng, now, USERS, 900)
    for user_id, (first, last) in enumerate(names, start=1):
        user_class = _user_class(rng, user_id)
        username = f"{_plain(first)}.{_plain(last)}"
        expires, plan = None, FREE
        if user_class == "admin":
            expires, plan = stamp(now + 3650 * DAY), ENTERPRISE
        elif user_class == "pro":
            expires, plan = stamp(now + _days_left(rng) * DAY), rng.randint(FREE + 1, ENTERPRISE)
        yield (
            user_id,
            f"{username}@{rng.choice(MAIL_HOSTS)}",
            username,
            avatar(user_id),
            user_class,
            expires,
            registered[user_id - 1],
            plan,
            new_api_key(user_id),
        )


def _user_class(rng: random.Random, user_id: int) -> str:
    if user_id in (ADMIN_ID, PLAIN_ID):
        return "admin" if user_id == ADMIN_ID else "pro"
    return rng.choices(("admin", "pro", "free"), (1, 34, 65))[0]


def _days_left(rng: random.Random) -> float:
    """Most memberships go on for months, some end within two weeks, some have ended."""
    least, most = rng.choices(((14, 700), (0.05, 14), (-200, -0.05)), (75, 12, 13))[0]
    return rng.uniform(least, most)


@cache
def _plain(name: str) -> str:
    """A name in the letters a username may have."""
    letters = unicodedata.normalize("NFKD", name.lower().translate(str.maketrans("łø", "lo")))
    return "".join(letter for letter in letters if "a" <= letter <= "z")


def _domains() -> Iterable[tuple[object, ...]]:
    for number, (_, host) in enumerate(BRANDS):
        prefix = HOST_PREFIXES[number % len(HOST_PREFIXES)]
        root = "" if number % 5 == 4 else f"https://www.{host}/"
        lost = f"https://www.{host}/not-found?from={prefix}" if number % 3 else ""
        yield number + 1, _own_origin(number), root, lost


def _own_origin(number: int) -> str:
    """The domain of a brand."""
    scheme = "http" if number % 6 == 5 else "https"
    return f"{scheme}://{HOST_PREFIXES[number % len(HOST_PREFIXES)]}.{_brand(number)[1]}"


def _overlays(rng: random.Random, now: float) -> Iterable[tuple[object, ...]]:
    kinds = _kinds(OVERLAY_TYPES, 18)
    for number, date in enumerate(_dates(rng, now, 18, 500)):
        name = f"{rng.choice(OCCASIONS)}: {_brand(number)[0]}"
        yield number + 1, kinds[number], name, date


def _splash(rng: random.Random, now: float) -> Iterable[tuple[object, ...]]:
    for number, date in enumerate(_dates(rng, now, 14, 500)):
        yield number + 1, f"{_brand(number)[0]}: {rng.choice(OCCASIONS).lower()}", date


def _campaigns(rng: random.Random) -> Iterable[tuple[object, ...]]:
    for number in range(45):
        occasion = OCCASIONS[number % len(OCCASIONS)]
        slug = f"{occasion.lower().replace(' ', '-')}-{number + 1}" if rng.random() < 0.6 else ""
        yield number + 1, f"{occasion} {_brand(number)[0]} {2024 + number % 3}", slug, int(rng.random() < 0.5)


def _channels(rng: random.Random) -> Iterable[tuple[object, ...]]:
    for number in range(30):
        name = CHANNELS[number % len(CHANNELS)]
        brand = _brand(number)[0]
        description = f"Everything for {brand} in {name.lower()}" if number % 4 else ""
        yield number + 1, f"{name} {brand}", description, rng.choice(COLORS), int(rng.random() < 0.25)


def _pixels(rng: random.Random, now: float) -> Iterable[tuple[object, ...]]:
    kinds = _kinds(PIXEL_TYPES, 130)
    for number, date in enumerate(_dates(rng, now, 130, 800)):
        kind = kinds[number]
        tag = f"{kind[:2].upper()}-{rng.randrange(10**9):09d}"
        yield number + 1, kind, f"{_brand(number)[0]} {rng.choice(OCCASIONS).lower()}", tag, date


def _links(rng: random.Random, now: float) -> Iterable[tuple[object, ...]]:
    for number, date in enumerate(_dates(rng, now, LINKS, 600), start=1):
        title = f"{rng.choice(OCCASIONS)} at {_brand(number)[0]}"
        campaign = rng.randint(1, 45) if rng.random() < 0.7 else None
        yield number, title, landing("s", number), date, campaign


def _bios(rng: random.Random, now: float) -> Iterable[tuple[object, ...]]:
    for number, date in enumerate(_dates(rng, now, BIOS, 600), start=1):
        yield number, f"{_brand(number)[0]} on one page", landing("b", number), date


def _qr_codes(rng: random.Random, now: float) -> Iterable[tuple[object, ...]]:
    for number, date in enumerate(_dates(rng, now - YOUNGEST_CODE * DAY, QR_CODES, 400), start=1):
        brand, host = _brand(number)
        place = rng.choice(PLACES)
        background, foreground = rng.choice(RGB_PAIRS)
        logo = f"https://www.{host}/logo.png" if number % 5 == 0 else ""
        kind, data = _qr_data(number, brand, host)
        name = f"{brand} · {place} {rng.randint(1, 40)}"
        origin = _own_origin(number % len(BRANDS)) if number % 11 == 3 else PUBLIC
        link = landing("qr", number, origin)
        yield number, kind, json.dumps(data), background, foreground, logo, name, link, date


def _qr_data(number: int, brand: str, host: str) -> tuple[str, object]:
    if number % 9 == 4:
        return "wifi", {"ssid": f"{brand} Guests", "encryption": "WPA", "password": "welcome-guests"}
    if number % 9 == 7:
        return "vcard", {"firstname": "Info", "lastname": brand, "email": f"info@{host}"}
    return "link", f"https://www.{host}/p/{number}"


def _channel_items(rng: random.Random) -> Iterable[tuple[object, ...]]:
    """Between none and sixty items a channel, mostly links."""
    for channel_id in range(1, 31):
        for kind, count, most in (("links", LINKS, 36), ("bio", BIOS, 4), ("qr", QR_CODES, 20)):
            chosen = () if channel_id % 10 == 0 else rng.sample(range(1, count + 1), rng.randint(0, most))
            yield from ((channel_id, kind, item_id) for item_id in chosen)
