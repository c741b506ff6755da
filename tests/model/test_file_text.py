"""Tables as spreadsheets of any country save them: all are read as the same rows."""

import csv
import io
from typing import Literal, NamedTuple

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from linkdash.model.file_text import FileText, Unimportable, decoded
from linkdash.model.writes.import_file import read_data

TITLES = ("type", "name", "tag")
ENCODINGS = {
    "UTF-8": ("utf-8", b""),
    "UTF-8 with a mark": ("utf-8", b"\xef\xbb\xbf"),
    "UTF-16 LE": ("utf-16-le", b"\xff\xfe"),
    "UTF-16 BE": ("utf-16-be", b"\xfe\xff"),
    "UTF-16 without a mark": ("utf-16-le", b""),
    "Windows-1252": ("cp1252", b""),
}
WESTERN = "".join(set(bytes(range(0xA0, 0x100)).decode("cp1252")) - set("¹³¿£¥"))


class Saved(NamedTuple):
    """A way in which a spreadsheet saves a table."""

    encoding: str
    separator: str
    line_end: str
    quoting: Literal[0, 1]
    tells_separator: bool
    empty_lines: int
    empty_columns: int


def saved(rows: list[list[str]], how: Saved) -> bytes:
    lines = io.StringIO(newline="")
    writer = csv.writer(lines, delimiter=how.separator, lineterminator=how.line_end, quoting=how.quoting)
    edge = [""] * how.empty_columns
    writer.writerows([""] * 3 + edge for _ in range(how.empty_lines))
    writer.writerow([*TITLES, *edge])
    writer.writerows([*row, *edge] for row in rows)
    writer.writerow([""] * 3 + edge)
    told = f"sep={how.separator}{how.line_end}" if how.tells_separator else ""
    encoding, mark = ENCODINGS[how.encoding]
    return mark + (told + lines.getvalue()).encode(encoding)


ways = st.builds(
    Saved,
    encoding=st.sampled_from(sorted(ENCODINGS)),
    separator=st.sampled_from(",;\t|"),
    line_end=st.sampled_from(["\n", "\r\n", "\r"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    tells_separator=st.booleans(),
    empty_lines=st.integers(0, 2),
    empty_columns=st.integers(0, 3),
)
characters = st.sampled_from("abz09,;|\t\"'\n =-" + WESTERN)
cells = st.text(characters, max_size=9).filter(lambda cell: "\r" not in cell)


@given(st.lists(st.lists(cells, min_size=3, max_size=3), max_size=4), ways)
@example(
    [["bing", "Frühjahr Übung", "12345"]], Saved("Windows-1252", ";", "\r\n", csv.QUOTE_MINIMAL, False, 1, 2)
)
def test_a_table_is_read_as_the_same_rows_however_it_was_saved(rows: list[list[str]], how: Saved) -> None:
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    if how.line_end == "\r" and how.quoting == csv.QUOTE_MINIMAL:  # Python's writer quotes no line feed then
        assume(not any("\n" in cell for row in rows for cell in row))
    data = saved(rows, how)
    if how.encoding == "Windows-1252":  # what may be of another alphabet is refused, see below
        assume(not any(is_other_alphabet(cell) for row in rows for cell in row))
    read = read_data(data, "pixels.csv", "csv").rows
    assert [list(row.members.values()) for row in read] == rows
    assert all(tuple(row.members) == TITLES for row in read)


def is_other_alphabet(text: str) -> bool:
    try:
        decoded(text.encode("cp1252"), "x")
    except Unimportable:
        return True
    return False


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("type, name, tag\nbing, Spring, 12\n", [("bing", "Spring", "12")]),
        ('type, name, tag\nbing, "Spring, sale", 12\n', [("bing", "Spring, sale", "12")]),
        ('"sep=;"\ntype;name;tag\nbing;A,B;1\n', [("bing", "A,B", "1")]),
        ("sep=,;;\r\ntype,name,tag\r\nbing,A;B,1\r\n", [("bing", "A;B", "1")]),
        ("\n\n,,,\ntype,name,tag,,\nbing,A,1,,\n,,,,\n", [("bing", "A", "1")]),
        ("type,name,tag\nbing,A\n", [("bing", "A")]),
        (",name,tag\n0,A,1\n", [("0", "A", "1")]),
    ],
)
def test_what_people_write_by_hand(text: str, rows: list[tuple[str, ...]]) -> None:
    read = read_data(text.encode(), "pixels.csv", "csv").rows
    assert [tuple(row.members.values()) for row in read] == rows


def test_a_line_is_counted_where_it_stands_in_the_file() -> None:
    read = read_data(b'sep=;\n\nname;tag\nA;1\n\n"B\nb";2\nC;3\n', "pixels.csv", "csv").rows
    assert [row.number for row in read] == [4, 6, 8]


@pytest.mark.parametrize(
    ("word", "encoding"),
    [("Весна", "cp1251"), ("Άνοιξη", "cp1253"), ("Wielkość żółta", "cp1250"), ("Frühjahr", "mac-roman")],
)
def test_where_the_characters_cannot_be_known_the_words_say_how_to_save_the_file(
    word: str, encoding: str
) -> None:
    with pytest.raises(Unimportable, match=r"cannot be known|not valid") as caught:
        decoded(f"name\n{word}\n".encode(encoding), "pixels.csv")
    assert 'Save it as "CSV UTF-8"' in str(caught.value)


def test_how_a_file_was_read_is_told_where_that_is_not_certain() -> None:
    told = "pixels.csv is not UTF-8: read as Windows-1252, as in Frühjahr."
    assert decoded("name Frühjahr".encode("cp1252"), "pixels.csv") == FileText("name Frühjahr", told)
    assert decoded("name Frühjahr".encode(), "pixels.csv").told == ""


def test_a_file_that_is_broken_off_is_not_guessed() -> None:
    with pytest.raises(Unimportable, match=r"pixels.csv is not valid UTF-16"):
        decoded(b"\xff\xfen\0a\0m", "pixels.csv")
