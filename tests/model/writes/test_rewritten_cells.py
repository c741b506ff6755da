"""Cells that spreadsheets have rewritten: no edit, or where nobody knows what stood there, refused."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from linkdash.model.writes.rewritten_cells import is_rewritten, is_spoilt


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("123456789012345678", "1.23457E+17"),
        ("123456789012345678", "1,23457E+17"),
        ("123456789012345678", "123456789012345000"),
        ("123456789012345678", "123456789012346000"),
        ("0012345", "12345"),
        ("+4930123", "4930123"),
        ("1E5", "100000"),
        ("1E5", "1.00E+05"),
        ("1.50", "1.5"),
        ("1.50", "1,5"),
        ("2026-12-31 23:59:00", "31.12.2026 23:59"),
        ("2026-12-31 23:59:00", "12/31/2026 11:59 PM"),
        ("2026-12-31 00:00:00", "31/12/26"),
        ("2026-12-31", "31-Dec-26"),
        ("3-4", "04. Mrz"),
        ("3-4", "4-Mar"),
        ("3.5", "03. Mai"),
        ("1.2.2026", "01.02.2026"),
        ("true", "TRUE"),
        ("true", "WAHR"),
        ("Müller", "MÃ¼ller"),
        ("Весна – é", "????? – é"),
        ("Sale 🎉", "Sale ??"),
    ],
)
def test_what_a_spreadsheet_makes_of_a_text(text: str, cell: str) -> None:
    assert is_rewritten(cell, text)


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("123456789012345678", "1.23458E+17"),
        ("0012345", "12346"),
        ("2026-12-31 23:59:00", "30.12.2026 23:59"),
        ("2026-12-31 23:59:00", "31.12.2026 22:59"),
        ("01.02.2026", "02.01.2026"),
        ("1.2.26", "2.1.26"),
        ("3.5", "5.3"),
        ("Spring", "Summer"),
        ("true", "FALSE"),
        ("12", ""),
        ("C4A1", "C4A2"),
        ("Müller", "Muller"),
        ("Весна", "????"),
        ("Spring", "??????"),
    ],
)
def test_an_edit_is_an_edit(text: str, cell: str) -> None:
    assert not is_rewritten(cell, text)


@given(st.integers(0, 10**15 - 1), st.integers(1, 14))
@example(136420585, 7)
def test_a_number_with_any_digits_of_an_exponent_is_the_same_number(number: int, digits: int) -> None:
    shown = f"{number:.{digits}E}" if number else "0"
    assert is_rewritten(shown, str(number))
    assert is_rewritten(shown.replace(".", ","), f"00{number}")


@given(st.text(max_size=12), st.text(max_size=12))
def test_any_two_texts_can_be_compared(cell: str, text: str) -> None:
    assert is_rewritten(text, text)
    is_rewritten(cell, text)
    is_spoilt(cell)


@pytest.mark.parametrize("cell", ["1.23457E+17", "1,2E+05", "-1.5E-07", "####", "#NAME?", "#N/A", "#BEZUG!"])
def test_what_has_lost_its_text(cell: str) -> None:
    assert is_spoilt(cell)


@pytest.mark.parametrize("cell", ["1E5", "#1", "#FF0000", "E+05", "1.5", "C4E+05x", ""])
def test_what_has_not(cell: str) -> None:
    assert not is_spoilt(cell)
