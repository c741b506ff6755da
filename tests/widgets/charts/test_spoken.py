"""A chart as sentences for a screen reader."""

from datetime import UTC, datetime, timedelta

from linkdash.model.statistics.chart_data import Bars, ChartColumn, Columns, CurveChart, MultiBars, Note
from linkdash.widgets.charts.drawing import spoken_lines

MONDAY = datetime(2026, 9, 14, tzinfo=UTC)


def test_every_number_of_a_chart_is_said() -> None:
    bars = Bars("Countries", (("Spain", 10), ("Germany", 30)), (Note("Germany", "▼ 90 %", more=" of 300"),))
    assert spoken_lines(bars) == ["Germany: 30, 75 %, ▼ 90 % of 300", "Spain: 10, 25 %"]
    several = MultiBars("Countries", ("A", "B"), (("Spain", (1, 3)), ("Italy", (3, None))), by_share=True)
    assert spoken_lines(several) == ["Spain: A 25 %, B 100 %", "Italy: A 75 %, B –"]
    days = Columns(
        "Scans",
        (ChartColumn("Sun 13", "13", 213),),
        (ChartColumn("Mon 14", "14", None, is_sure=False),),
        "day before: 213",
        "last day",
        notes=("fell on Monday",),
        running=ChartColumn("Tue 15", "15", 4),
    )
    assert spoken_lines(days) == [
        "fell on Monday",
        "day before: 213",
        "Sun 13: 213",
        "last day",
        "Mon 14: –, estimated",
        "Tue 15: 4, not over yet",
    ]


def test_of_many_readings_some_are_said_and_how_many() -> None:
    points = tuple((MONDAY + timedelta(hours=hour), hour) for hour in range(100))
    said = spoken_lines(CurveChart("Scans", (("all", points),), " scans"))
    assert said[:2] == ["Mon 14 Sep 00:00: 0 scans", "Mon 14 Sep 02:00: 2 scans"]
    assert said[-1] == "50 of 100 readings"
    assert spoken_lines(None) == spoken_lines(Bars("Countries", ())) == ["no statistics"]
