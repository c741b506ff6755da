"""QR codes are read back, by a decoder that is not ours, from the cells on the screen and from the files."""

import re
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path

import pytest
import zxingcpp
from hypothesis import example, given
from hypothesis import strategies as st
from rich.color import Color
from rich.console import Console
from rich.segment import Segment
from textual.app import ComposeResult

from linkdash.api.colors import Rgb
from linkdash.widgets.qr_code import (
    QUIET_ZONE,
    QrError,
    qr_lines,
    qr_modules,
    qr_picture,
    scannable_colors,
)
from linkdash.widgets.qr_image import TIGHT_QUIET_ZONE, QrImage
from linkdash.widgets.themes import ThemedApp, style_paths
from tests.waiting import resize, wait_until

ADDRESS = "https://go.example.org/summer-poster?utm_source=qr"
CONSOLE = Console()
SCALE = 4
HALVES = {" ": (False, False), "▀": (True, False), "▄": (False, True), "█": (True, True)}
Pixels = list[list[int]]
"""Rows of grey values, 0 to 255."""


class QrApp(ThemedApp[None]):
    CSS_PATH = [*style_paths("qr_image")]

    def compose(self) -> ComposeResult:
        yield QrImage()

    @property
    def image(self) -> QrImage:
        return self.query_one(QrImage)

    @property
    def rows(self) -> list[list[Segment]]:
        """The cells as they are on the screen."""
        return [list(self.image.render_line(row)) for row in range(self.image.size.height)]

    @property
    def text(self) -> str:
        return " ".join(" ".join(segment.text for segment in row) for row in self.rows)


def grey(color: Color | None, default: int) -> int:
    if color is None or color.triplet is None:
        return default
    red, green, blue = color.triplet
    return (299 * red + 587 * green + 114 * blue) // 1000


def photograph(rows: Sequence[Sequence[Segment]]) -> Pixels:
    """Return what a camera sees of these cells, each two pixels high; the terminal behind them is dark."""
    pixels: Pixels = []
    for row in rows:
        halves: tuple[list[int], list[int]] = ([], [])
        for segment in row:
            ink = grey(segment.style.color if segment.style else None, 200)
            paper = grey(segment.style.bgcolor if segment.style else None, 20)
            for character in segment.text:
                for half, dark in zip(halves, HALVES.get(character, (True, True)), strict=True):
                    half.append(ink if dark else paper)
        pixels += halves
    return pixels


def decode(pixels: Pixels) -> list[str]:
    """Read codes by their bytes, in UTF-8: without its name in a code, a decoder guesses the encoding."""
    rows = [bytes(value for value in row for _ in range(SCALE)) for row in pixels for _ in range(SCALE)]
    picture = memoryview(b"".join(rows)).cast("B", (len(rows), len(rows[0])))
    return [code.bytes.decode() for code in zxingcpp.read_barcodes(picture)]


def as_lines(
    text: str, dark: Rgb | None = None, light: Rgb | None = None, quiet_zone: int = QUIET_ZONE
) -> Pixels:
    return photograph([list(line.render(CONSOLE)) for line in qr_lines(text, dark, light, quiet_zone)])


# ---- on the screen ----


@pytest.mark.parametrize("theme", ["textual-dark", "textual-light"])
@pytest.mark.parametrize(
    ("text", "size"),
    [
        (ADDRESS, (80, 30)),
        (ADDRESS, (34, 17)),  # with room for the narrow quiet zone only
        ("WIFI:T:WPA;S:Café 日本;P:geheim;;", (80, 40)),
        ("BEGIN:VCARD\nVERSION:3.0\nN:Doe;Jane\nTEL:+49 30 1234567\nEND:VCARD", (100, 40)),
    ],
)
async def test_what_is_on_the_screen_reads_back_as_the_text(
    text: str, size: tuple[int, int], theme: str
) -> None:
    app = QrApp()
    async with app.run_test(size=size):
        app.theme = theme
        app.image.show(text)
        await wait_until(lambda: "▀" in app.text)
        assert decode(photograph(app.rows)) == [text]


async def test_own_colors_are_on_the_screen_and_scannable() -> None:
    app = QrApp()
    async with app.run_test(size=(80, 30)):
        app.image.show(ADDRESS, (0, 60, 120), (255, 240, 200))
        await wait_until(lambda: "▀" in app.text)
        styles = [segment.style for row in app.rows for segment in row if "▀" in segment.text]
        assert {style.color for style in styles if style} == {Color.from_rgb(0, 60, 120)}
        assert {style.bgcolor for style in styles if style} == {Color.from_rgb(255, 240, 200)}
        assert decode(photograph(app.rows)) == [ADDRESS]


async def test_a_pane_that_is_too_small_says_so_until_it_is_large_enough() -> None:
    app = QrApp()
    async with app.run_test(size=(32, 17)) as pilot:
        app.image.show(ADDRESS)
        await wait_until(lambda: "needs 33 by 17 cells and has 32 by 17" in re.sub(r"\s+", " ", app.text))
        assert "▀" not in app.text
        await resize(pilot, 33, 17)
        await wait_until(lambda: "▀" in app.text)
        assert decode(photograph(app.rows)) == [ADDRESS]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "there is nothing to put into a QR code"),
        ("x" * 5_000, "the text is too long for a QR code (5,000 characters)"),
        ("\ud800", "the text has characters that a QR code cannot hold"),
    ],
)
async def test_a_text_that_makes_no_code_is_told_in_words(text: str, words: str) -> None:
    app = QrApp()
    async with app.run_test(size=(80, 30)):
        app.image.show(ADDRESS)
        await wait_until(lambda: "▀" in app.text)
        app.image.show(text)
        await wait_until(lambda: words in app.text)
        assert "▀" not in app.text
    with pytest.raises(QrError, match=re.escape(words)):
        qr_modules(text)


# ---- as lines ----


@example("ጁ၀")
@example("ሂ0")
@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=120))
def test_any_text_reads_back(text: str) -> None:
    assert decode(as_lines(text, quiet_zone=TIGHT_QUIET_ZONE)) == [text]


def test_a_code_reads_without_its_colors_as_dark_on_light() -> None:
    plain = [[HALVES[character] for character in line.plain] for line in qr_lines(ADDRESS)]
    pixels = [[0 if pair[half] else 255 for pair in row] for row in plain for half in (0, 1)]
    assert decode(pixels) == [ADDRESS]


@pytest.mark.parametrize("quiet_zone", [QUIET_ZONE, TIGHT_QUIET_ZONE])
def test_the_quiet_zone_is_kept_on_all_sides(quiet_zone: int) -> None:
    lines = [line.plain for line in qr_lines(ADDRESS, quiet_zone=quiet_zone)]
    assert (len(lines[0]), len(lines)) == qr_modules(ADDRESS).size(quiet_zone)
    inside = [line[quiet_zone:-quiet_zone].strip() != "" for line in lines]
    assert inside.index(True) == inside[::-1].index(True) == quiet_zone // 2
    assert all(line[:quiet_zone].isspace() and line[-quiet_zone:].isspace() for line in lines)


# ---- colors ----


@pytest.mark.parametrize(
    ("dark", "light"),
    [
        (None, None),
        ((255, 255, 255), (0, 0, 0)),  # light on dark: many scanners refuse it
        ((200, 200, 200), (255, 255, 255)),
        ((255, 0, 0), (0, 0, 255)),
        ((240, 240, 240), None),
    ],
)
def test_colors_a_scanner_cannot_tell_apart_become_black_on_white(
    dark: Rgb | None, light: Rgb | None
) -> None:
    assert scannable_colors(dark, light) == ((0, 0, 0), (255, 255, 255))


@pytest.mark.parametrize(
    ("dark", "light"),
    [((0, 60, 120), (255, 240, 200)), ((120, 0, 0), (255, 255, 255)), ((0, 0, 0), (130, 130, 130))],
)
def test_colors_with_enough_contrast_are_kept(dark: Rgb, light: Rgb) -> None:
    assert scannable_colors(dark, light) == (dark, light)
    assert decode(as_lines(ADDRESS, dark, light)) == [ADDRESS]


# ---- files ----


def grey_png(path: Path) -> Pixels:
    """The pixels of a palette PNG as segno writes them: not interlaced, one bit a pixel."""
    data, chunks = path.read_bytes(), {}
    position = 8
    while position < len(data):
        length, kind = struct.unpack(">I4s", data[position : position + 8])
        chunks[kind] = data[position + 8 : position + 8 + length]
        position += 12 + length
    width, height, depth, kind, _, _, interlaced = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert (depth, kind, interlaced) == (1, 3, 0)
    palette = [grey(Color.from_rgb(*chunks[b"PLTE"][at : at + 3]), 0) for at in (0, 3)]
    packed = zlib.decompress(chunks[b"IDAT"])
    stride = (width + 7) // 8
    rows, above = [], bytes(stride)
    for start in range(0, len(packed), stride + 1):
        way, line = packed[start], packed[start + 1 : start + 1 + stride]
        assert way in {0, 2}  # as it is, or as the difference to the row above
        above = bytes((byte + up) % 256 for byte, up in zip(line, above, strict=True)) if way else line
        rows.append([palette[above[x // 8] >> (7 - x % 8) & 1] for x in range(width)])
    assert len(rows) == height
    return rows


def test_a_saved_png_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "code.png"
    path.write_bytes(qr_picture(ADDRESS, "png", (0, 60, 120), (255, 240, 200)))
    pixels = grey_png(path)
    assert {value for row in pixels for value in row} == {48, 239}
    assert decode(pixels) == [ADDRESS]


def test_a_saved_svg_has_its_size_and_its_colors() -> None:
    svg = qr_picture(ADDRESS, "svg", (0, 60, 120), (255, 240, 200)).decode()
    side = (len(qr_modules(ADDRESS).rows) + 2 * QUIET_ZONE) * 10
    assert f'width="{side}" height="{side}"' in svg
    assert "#003c78" in svg
    assert "#fff0c8" in svg


def test_there_is_no_picture_of_a_code_that_cannot_be_made() -> None:
    with pytest.raises(QrError):
        qr_picture("", "png")
