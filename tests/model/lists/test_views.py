"""Views in words."""

from linkdash.model.lists.views import ColumnChoice, View

TITLES = {"name": "Name", "scans": "Scans", "id": "Id"}


def test_a_view_is_told_with_the_titles_of_its_columns() -> None:
    columns = (ColumnChoice(name="name"), ColumnChoice(name="id", shown=False), ColumnChoice(name="scans"))
    view = View(name="Mine", filter="mus", order=(("scans", True), ("name", False)), columns=columns)
    assert view.described(TITLES) == 'filter "mus" · by Scans ▾, Name ▴ · columns Name, Scans'
    assert View(name="All").described(TITLES) == "everything"
