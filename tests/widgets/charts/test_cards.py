"""Numbers in cards, or in one line where there is no room; several subjects a line each."""

import pytest
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from linkdash.model.statistics.period import period
from linkdash.model.statistics.period_comparison import Track
from linkdash.model.statistics.sentences import Figure, answer
from linkdash.widgets.charts.cards import Card, Cards, comparison_lines, folded
from linkdash.widgets.themes import ThemedApp, style_paths
from tests.model.statistics.test_period_comparison import NOW, growing
from tests.model.statistics.test_sentences import dropped
from tests.screens.driver import shown

FIGURES = [
    Figure("Scans, 7 days", "Scans", "300", "▼ 81 %", "bad", (5, 4, None, 1), "was 1,600"),
    Figure("Scans, all time", "All scans", "[b]9", "", "muted", (), "since 29 Oct"),
]


class CardsApp(ThemedApp[None]):
    CSS_PATH = [*style_paths("cards")]

    def compose(self) -> ComposeResult:
        yield Cards()


async def test_a_card_says_its_number_its_change_its_trend_and_what_it_was() -> None:
    app = CardsApp()
    async with app.run_test(size=(120, 40)) as pilot:
        app.screen.add_class("-wide", "-high")
        app.query_one(Cards).show(FIGURES)
        await pilot.pause()
        await pilot.pause()
        first, second, *others = app.query(Card)
        assert "Scans" in str(first.border_title)
        assert all(words in shown(first) for words in ("300 ", " ▼ 81 %", "▇▆ ▂ ", " was 1,600"))
        assert all(words in shown(second) for words in ("[b]9", "since 29 Oct"))
        assert not any(card.display for card in others)


async def test_what_fell_is_low_also_where_only_its_last_days_have_room() -> None:
    app = CardsApp()
    async with app.run_test(size=(72, 30)) as pilot:
        app.screen.add_class("-wide", "-high")
        fallen = Figure("Scans, 7 days", "Scans", "544", "▼ 75 %", "bad", (6,) * 7 + (1,) * 7, "was 2,144")
        app.query_one(Cards).show([fallen] * 4)
        await pilot.pause()
        await pilot.pause()
        assert shown(app.query(Card).first()).count("▂▂▂▂ was 2,144")


async def test_where_there_is_no_room_all_of_it_is_one_line() -> None:
    app = CardsApp()
    async with app.run_test(size=(80, 24)) as pilot:
        app.query_one(Cards).show(FIGURES)
        await pilot.pause()
        assert shown(app.query_one("#figures", Static)) == "Scans 300 ▼ 81 % All scans [b]9"
        assert not app.query_one("#cards").display


def test_subjects_are_told_apart_without_colour_and_their_columns_are_aligned() -> None:
    over = period("week", NOW)
    made = [("Harbor", dropped()), ("[b]日本", growing(20)), ("young", growing(2))]
    subjects = [(name, answer([Track(readings)], "scans", over, NOW)) for name, readings in made]
    lines = [line.plain for line in comparison_lines(subjects, 78)]
    assert [line[0] for line in lines] == ["●", "■", "◆"]
    assert lines[0].split()[2:7] == ["300", "before", "1,600", "▼", "81"]
    assert lines[1].split()[1:7] == ["[b]日本", "168", "before", "168", "=", "0"]
    assert lines[2].split()[1:5] == ["young", "≥35", "read", "since"]


@pytest.mark.parametrize("width", range(10, 90))
def test_no_line_of_a_sentence_ends_within_a_change(width: int) -> None:
    told = "300 scans in the last 7 days, 1,600 in the 7 before: ▼ 81 %, falling since 14 Nov; Germany ▼ 90 %"
    lines = folded(Content(told), width).plain.split("\n")
    assert " ".join(lines) == told
    assert sum(change in line for line in lines for change in ("▼ 81 %,", "▼ 90 %")) == 2
    assert all(len(line) <= width for line in lines)
