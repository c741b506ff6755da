"""Views in words, and as they are kept."""

import asyncio
from pathlib import Path

from pydantic import SecretStr

from linkdash.model.lists.views import ColumnChoice, ListPreferences, View
from linkdash.model.session_services import SessionServices
from linkdash.model.settings import Settings
from linkdash.store.store import Store

SETTINGS = Settings("tests", "https://links.example.org", SecretStr("a-key"))
TITLES = {"name": "Name", "scans": "Scans", "id": "Id"}


def test_a_view_is_told_with_the_titles_of_its_columns() -> None:
    columns = (ColumnChoice(name="name"), ColumnChoice(name="id", shown=False), ColumnChoice(name="scans"))
    view = View(name="Mine", filter="mus", order=(("scans", True), ("name", False)), columns=columns)
    assert view.described(TITLES) == 'filter "mus" · by Scans ▾, Name ▴ · columns Name, Scans'
    assert View(name="All").described(TITLES) == "everything"


async def test_a_view_that_is_kept_takes_no_other_with_it(tmp_path: Path) -> None:
    services = SessionServices(SETTINGS, Store(tmp_path, tmp_path, "tests"))
    views, preferences = ListPreferences(services, "qr"), services.store.preferences
    of_another_version = {"name": "Newer", "order": "by scans"}
    await preferences.save("views/qr", [of_another_version])
    await asyncio.gather(*(views.keep_view(View(name=name)) for name in ("Mine", "All")))
    assert [view.name for view in await views.views()] == ["All", "Mine"]
    await views.rename_view(View(name="Mine"), "Ours")
    await views.delete_view("All")
    assert [view.name for view in await views.views()] == ["Ours"]
    kept = await preferences.load("views/qr")
    assert isinstance(kept, list)
    assert kept[0] == of_another_version
    await services.close()
