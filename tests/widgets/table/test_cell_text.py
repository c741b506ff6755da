"""A value in a cell."""

from datetime import date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr
from rich.cells import cell_len

from linkdash.api.fields import Kind
from linkdash.api.http.secrecy import MASK
from linkdash.model.humanize import KnownHost
from linkdash.model.lists.columns import Estimated, Odd
from linkdash.widgets.styled_text import Piece, Tone, fit_text
from linkdash.widgets.table.cell_text import SWATCH, cell, cells_of, full, shorten_link
from tests.widgets.sample import HOSTILE

_MOMENT = datetime(2026, 11, 20, 14, 3, 59)

_values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.text(),
    st.text("a\u0301\u200d\ufe0f日\U0001f468❤1 ", max_size=12),
    st.sampled_from(HOSTILE),
    st.datetimes(),
    st.dates(),
    st.builds(Odd, st.text()),
    st.builds(SecretStr, st.text()),
    st.lists(st.integers(), max_size=3),
    st.from_regex(r"https://[a-z日]{1,30}\.org/[a-z/?日]{0,60}", fullmatch=True),
    st.sampled_from(["#FF8800", "#f80", "rgb(1,2,3)", "blue"]),
)


@given(_values, st.sampled_from(Kind), st.integers(0, 40), st.sampled_from(["left", "right"]))
def test_a_cell_is_exactly_as_wide_as_its_column(value, kind, width, align) -> None:  # type: ignore[no-untyped-def]
    pieces = cell(value, kind, width, align)
    assert sum(cell_len(piece.text) for piece in pieces) == width
    assert cell_len(_text(pieces)) == width
    assert not any(character in _text(pieces) for character in "\x1b\x07\n\t\u202e\u200b")


@pytest.mark.parametrize(
    ("value", "kind", "width", "shown"),
    [
        ("Poster", Kind.TEXT, 8, "Poster  "),
        ("Poster", Kind.TEXT, 4, "Pos…"),
        ("日本語", Kind.TEXT, 4, "日 …"),
        (1234567, Kind.COUNT, 10, "1,234,567 "),
        (1234567, Kind.COUNT, 7, "1,234k "),
        (1234567, Kind.COUNT, 3, "1M "),
        (1234567, Kind.COUNT, 1, "#"),
        (1234567, Kind.IDENTIFIER, 8, "1234567 "),
        (Decimal("2490.00"), Kind.TEXT, 9, "2,490.00 "),
        (True, Kind.FLAG, 3, "✓  "),
        (False, Kind.FLAG, 3, "–  "),
        (None, Kind.FLAG, 3, "?  "),
        (None, Kind.COUNT, 3, "–  "),
        ("", Kind.TEXT, 3, "–  "),
        (_MOMENT, Kind.MOMENT, 16, "2026-11-20 14:03"),
        (_MOMENT, Kind.MOMENT, 12, "2026-11-20  "),
        (date(2026, 11, 20), Kind.DAY, 10, "2026-11-20"),
        (SecretStr("key-123"), Kind.SECRET, 10, MASK + "  "),
        (Odd("key-123"), Kind.SECRET, 10, MASK + "  "),
        (None, Kind.SECRET, 3, "–  "),
        (Odd("soon"), Kind.MOMENT, 8, "? soon  "),
        (Estimated(date(2026, 12, 20)), Kind.MOMENT, 12, "≈ 2026-12-20"),
        ("#f80", Kind.HEX_COLOR, 10, f"{SWATCH} #FF8800"),
        ("#f80", Kind.HEX_COLOR, 9, f"{SWATCH} FF8800"),
        ("#f80", Kind.HEX_COLOR, 8, f"{SWATCH}      "),
        ("rgb(0,1,2)", Kind.RGB_COLOR, 10, f"{SWATCH} #000102"),
        ("blue", Kind.HEX_COLOR, 10, "? blue    "),
        ({"a": 1}, Kind.NESTED, 10, "1 entry   "),
        ([1, 2], Kind.NESTED, 10, "2 entries "),
    ],
)
def test_each_kind_has_its_spelling(value: object, kind: Kind, width: int, shown: str) -> None:
    assert _text(cell(value, kind, width)) == shown


def test_numbers_stand_on_the_right() -> None:
    assert _text(cell(12, Kind.COUNT, 5, "right")) == "   12"


def test_a_swatch_has_the_color_it_names() -> None:
    swatch, name = cell("#FF8800", Kind.HEX_COLOR, 10)
    assert swatch.color == (255, 136, 0)
    assert name.color is None


def test_what_is_odd_or_absent_has_its_tone() -> None:
    assert cell(Odd("soon"), Kind.MOMENT, 8)[0].tone is Tone.ODD
    assert cell("blue", Kind.HEX_COLOR, 8)[0].tone is Tone.ODD
    assert cell(None, Kind.TEXT, 8)[0].tone is Tone.MUTED
    assert cell(True, Kind.FLAG, 8)[0].tone is Tone.GOOD


@pytest.mark.parametrize(
    ("link", "width", "shown"),
    [
        ("https://go.example.org/a", 24, "https://go.example.org/a"),
        ("https://go.example.org/a", 20, "go.example.org/a"),
        ("http://go.example.org/a/long/path/end", 30, "http://go.example.org/…ath/end"),
        ("https://go.example.org/a/long/path/end", 20, "go.example.org/…/end"),
        ("https://a-very-long-host.example.org/path/end", 16, "a-very-lon…h/end"),
        ("https://a-very-long-host.example.org/", 16, "a-very-long-hos…"),
    ],
)
def test_a_link_keeps_its_host_and_its_end(link: str, width: int, shown: str) -> None:
    assert shorten_link(link, width) == shown


@pytest.mark.parametrize("scheme", ["https://", "http://"])
def test_no_address_of_a_column_stands_there_with_its_scheme(scheme: str) -> None:
    link = f"{scheme}go.example.org"
    assert _text(cell(link, Kind.LINK, 30)).rstrip() == "go.example.org"
    assert cells_of(link, Kind.LINK) == len("go.example.org")
    assert _text(full(link, Kind.LINK)) == link


def test_a_joiner_with_nothing_to_join_takes_no_blank_with_it() -> None:
    assert cell_len(fit_text("\U0001f468\u200d", 6)) == 6


def test_text_is_made_inert_before_it_is_measured() -> None:
    assert fit_text("a\x1b[2Jb\u202e", 10) == "a\ufffd[2Jb\ufffd   "


def test_in_full_nothing_is_left_out() -> None:
    assert full(_MOMENT, Kind.MOMENT) == (Piece("2026-11-20 14:03:59"),)
    link = "https://go.example.org/" + "a" * 500
    assert full(link, Kind.LINK) == (Piece(link, Tone.LINK),)
    assert _text(full("rgb(255,0,0)", Kind.RGB_COLOR)) == f"{SWATCH} rgb(255,0,0)"
    assert _text(full(12345678, Kind.COUNT)) == "12,345,678"
    assert (_text(full(True, Kind.FLAG)), _text(full(None, Kind.FLAG))) == ("✓ yes", "?")
    assert _text(full(SecretStr("key-123"), Kind.SECRET)) == MASK


def _text(pieces: tuple[Piece, ...]) -> str:
    return "".join(piece.text for piece in pieces)


@pytest.mark.parametrize(
    ("width", "told"),
    [(29, "www.a.example/not-found?by=qr"), (28, "…/not-found?by=qr"), (17, "…/not-found?by=qr")],
)
def test_an_address_is_whole_or_goes_on_from_the_host_that_stands_beside_it(width: int, told: str) -> None:
    address = KnownHost("https://www.a.example/not-found?by=qr")
    assert cells_of(address, Kind.LINK) == 29
    ((text, _),) = (piece[:2] for piece in cell(address, Kind.LINK, width))
    assert text.rstrip() == told
