"""Inert text: the form of a text in which nothing acts, hides or forges.

Text from outside is data. What a program shows of records is made `safe_text` once, where an answer is read;
errors, lines of a verb and texts that are of no record, such as the name of a file, are made `inert` where
they are written.
"""

import json
import re
import unicodedata

MAX_LENGTH = 10_000
"""Characters shown of one text; more than any field of the reference could mean."""

_NEWLINE = "\N{DOWNWARDS ARROW WITH CORNER LEFTWARDS}"
_TAB = "\N{RIGHTWARDS ARROW TO BAR}"
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_CUT = "\N{HORIZONTAL ELLIPSIS}"
MARKS = frozenset({_NEWLINE, _TAB, _REPLACEMENT})
"""What stands in a safe text for what is not shown."""

# Cc controls, Cf format (bidi, zero-width), Cs lone surrogates, Zl/Zp line and paragraph separators.
_LIVE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
# Joiners that ordinary words and emoji are written with; anywhere else they only hide.
_JOINERS = frozenset("\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}")
_JOINED_SCRIPTS = (
    (0x0600, 0x08FF),  # Arabic, Syriac and their like
    (0x0900, 0x0DFF),  # the Indic scripts
)
# Letters and selectors that are printable and yet show nothing; one selector belongs behind an emoji. And
# what Unicode calls no characters: a picture with one is no XML.
_BLANKS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufdd0-\ufdef\ufe00-\ufe0e\uffa0"
    "\ufffe\uffff\U000e0100-\U000e01ef]"
)
# Marks stack on one letter; more than these few on one only cover the lines around it.
_MARKS = (
    "\u0300-\u034e\u0350-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0e34-\u0e3a"
    "\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe0f\ufe20-\ufe2f"
)
_FIRST_MARK = "\u0300"
_TOO_MANY_MARKS = re.compile(f"([{_MARKS}]{{4}})[{_MARKS}]+")
_HALF = re.compile("[\ud800-\udfff]")
_JOINED_SYMBOLS = (
    (0x2600, 0x27BF),  # symbols drawn as emoji
    (0xFE0F, 0xFE0F),  # the emoji variation selector
    (0x1F000, 0x1FAFF),  # emoji
)


def inert(text: str) -> str:
    """`text` without anything a terminal could act on, for one line of the screen.

    It is `safe_text`, and what is longer than `MAX_LENGTH` is cut.
    """
    return safe_text(beginning_of(text))


def beginning_of(text: str) -> str:
    """As much of `text` as is shown of one; what is longer than `MAX_LENGTH` is cut."""
    return text if len(text) <= MAX_LENGTH else text[: MAX_LENGTH - 1] + _CUT


def safe_text(text: str) -> str:
    """All of `text` with a visible mark for what shows nothing or acts on a terminal.

    Like `marked`, with one mark for a line end of two characters and for marks that stack too high. Applying
    it twice changes nothing more.
    """
    if text.isascii() and text.isprintable():
        return text  # as nearly all texts are
    return marked(_TOO_MANY_MARKS.sub(rf"\1{_REPLACEMENT}", text.replace("\r\n", "\n")))


def marked(text: str) -> str:
    """`text` with a visible mark for every character that shows nothing or acts on a terminal, one for one.

    Control, bidi, zero-width and blank characters become U+FFFD, as do marks that stack too high; line ends
    and tabs become a sign. Nothing is cut.
    """
    if not text.isascii() and max(text) >= _FIRST_MARK:
        text = _TOO_MANY_MARKS.sub(_few_marks, _BLANKS.sub(_REPLACEMENT, text))
    if text.isprintable():  # none of the live categories is, by the definition of printable
        return text
    return "".join(
        _visible(character, text[index - 1 : index], text[index + 1 : index + 2])
        for index, character in enumerate(text)
    )


def printable_json(text: str) -> str:
    """JSON with an escape for every character that `marked` would replace, which parsers read back as it was.

    Its line ends stay: within a string JSON has none.
    """
    if text.isascii() and text.replace("\n", " ").isprintable():  # as most is
        return text
    lines = text.split("\n")
    return "\n".join(
        line if line.isascii() and line.isprintable() else _printable_line(line) for line in lines
    )


def _printable_line(line: str) -> str:
    shown = marked(line)
    if shown == line:
        return line
    return "".join(
        letter if letter == mark else _escaped(letter) for letter, mark in zip(line, shown, strict=True)
    )


def _escaped(letter: str) -> str:
    return json.dumps(letter)[1:-1] if letter > "\x7f" else f"\\u{ord(letter):04x}"


def encodable(text: str) -> str:
    """`text` with U+FFFD for each half of a surrogate pair: JSON can hold one, no encoding can."""
    return text if text.isascii() else _HALF.sub(_REPLACEMENT, text)


def check_encodable(text: str) -> str:
    """A text that can be sent as UTF-8: bytes of another encoding come as halves of characters.

    Raises ValueError.
    """
    if _HALF.search(text):
        raise ValueError("this is not UTF-8")
    return text


def _few_marks(found: re.Match[str]) -> str:
    return found[1] + _REPLACEMENT * (len(found[0]) - len(found[1]))


def _visible(character: str, before: str, after: str) -> str:
    if character in "\n\r":
        return _NEWLINE
    if character == "\t":
        return _TAB
    if character in _JOINERS and before and _joins(before, after):
        return character
    if unicodedata.category(character) in _LIVE_CATEGORIES:
        return _REPLACEMENT
    return character


def _joins(before: str, after: str) -> bool:
    """Return whether a joiner belongs here: after a letter of a script with joiners, or between symbols."""
    if _is_in(before, _JOINED_SCRIPTS):
        return unicodedata.category(before)[0] in "LM"
    return _is_in(before, _JOINED_SYMBOLS) and bool(after) and unicodedata.category(after)[0] == "S"


def _is_in(character: str, blocks: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= ord(character) <= last for first, last in blocks)
