"""Text from outside is inert: nothing in it can act on a terminal, and ordinary words stay as they are."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from linkdash.api.inert_text import MAX_LENGTH, inert

JOINERS = "\u200c\u200d"
SEEN_AS_NOTHING = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters and a symbol that are blank."""
LIVE = {"Cc", "Cf", "Cs", "Zl", "Zp"}
# Mostly what is dangerous, among the letters and symbols that joiners may stand between.
hostile = st.text(
    st.one_of(
        st.characters(categories=["Cc", "Cf", "Cs", "Zl", "Zp"]),
        st.sampled_from([*JOINERS, "\r", "\n", "\t", "\u0600", "\u061c", "\ufe0f"]),
        st.sampled_from("aक्षكم👩💻❤🏽↔"),
        st.characters(),
    ),
    max_size=30,
)


@given(hostile)
def test_nothing_live_is_left(text: str) -> None:
    left = [character for character in inert(text) if unicodedata.category(character) in LIVE]
    assert set(left) <= set(JOINERS)


@given(hostile)
@example("\u0600\u200d")
@example("\u06dd\u200c")
def test_applying_it_twice_changes_nothing_more(text: str) -> None:
    assert inert(inert(text)) == inert(text)


@given(hostile)
def test_a_joiner_is_left_only_where_words_and_emoji_have_one(text: str) -> None:
    shown = inert(text)
    for index, character in enumerate(shown):
        if character in JOINERS:
            before = shown[index - 1]
            in_word = "\u0600" <= before <= "\u0dff" and unicodedata.category(before)[0] in "LM"
            between_symbols = unicodedata.category(shown[index + 1])[0] == "S"
            assert in_word or between_symbols


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs"], exclude_characters=SEEN_AS_NOTHING)))
def test_visible_text_stays_as_it_is(text: str) -> None:
    assert inert(text) == text


@given(hostile)
def test_the_result_is_one_line_that_can_be_encoded(text: str) -> None:
    shown = inert(text)
    shown.encode()
    assert len(shown.splitlines()) <= 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("plain", "plain"),
        ("a\nb", "a↵b"),
        ("a\r\nb\rc", "a↵b↵c"),
        ("a\tb", "a⇥b"),
        ("\x1b]52;c;aGk=\x1b\\", "�]52;c;aGk=�\\"),
        ("\x9b2J", "�2J"),
        ("a\x00b", "a�b"),
        ("\u202egnp.exe", "�gnp.exe"),
        ("\u2066x\u2069", "�x�"),
        ("a\u200bb", "a�b"),
        ("\ufeffa", "�a"),
        ("a\u2028b", "a�b"),
        ("\ud800", "�"),
        ("\U000e0041", "�"),
        ("a\u00adb", "a�b"),
        ("[b]x[/b]", "[b]x[/b]"),
        ("e\u0301 日本 \u00a0", "e\u0301 日本 \u00a0"),
    ],
)
def test_what_becomes_of(text: str, shown: str) -> None:
    assert inert(text) == shown


@pytest.mark.parametrize(
    "word", ["👩‍💻", "👨🏽‍🚀", "❤️‍🔥", "🏳️‍🌈", "🙂‍↔️", "🧑‍🤝‍🧑", "می‌خواهم", "क्‍ष", "ශ්‍රී", "ന്‍"]
)
def test_joiners_of_words_and_emoji_stay(word: str) -> None:
    assert inert(f"a {word} b") == f"a {word} b"


@pytest.mark.parametrize(
    "text", ["a\u200db", "\u200d", "👩\u200d", "👩\u200da", "a\u200d👩", " \u200c ", "ك\u200d\u200d"]
)
def test_joiners_elsewhere_are_shown(text: str) -> None:
    assert "\N{REPLACEMENT CHARACTER}" in inert(text)


def test_what_is_longer_than_any_field_is_cut_visibly() -> None:
    assert inert("x" * MAX_LENGTH) == "x" * MAX_LENGTH
    cut = inert("\n" * (MAX_LENGTH + 1))
    assert len(cut) == MAX_LENGTH
    assert cut.endswith("↵…")


@pytest.mark.parametrize("blank", ["\u3164", "\u115f", "\uffa0", "\u2800", "\u034f", "\ufe01", "\U000e0101"])
def test_letters_that_show_nothing_are_shown(blank: str) -> None:
    assert inert(f"a{blank}b") == "a\ufffdb"


def test_marks_do_not_stack_without_end() -> None:
    assert inert("e" + "\u0301" * 200) == "e" + "\u0301" * 4 + "\ufffd"
    assert inert("e\u0301\u0323") == "e\u0301\u0323"
    assert inert(inert("e" + "\u0301" * 9)) == inert("e" + "\u0301" * 9)


def test_an_emoji_keeps_its_selector() -> None:
    assert inert("\u2764\ufe0f") == "\u2764\ufe0f"
