"""Collections: what they know of their records without another request."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from linkdash.api.paging import Page
from linkdash.api.resources.pixels import Pixel
from linkdash.model.lists.loaded_pages import Answered
from linkdash.model.session import Session
from linkdash.model.settings import Settings
from linkdash.store.store import Store

SETTINGS = Settings("tests", "https://links.example.org", SecretStr("a-key"))


@pytest.fixture
async def session(tmp_path: Path) -> AsyncIterator[Session]:
    session = Session(SETTINGS, Store(tmp_path, tmp_path, "tests"))
    yield session
    await session.close()


async def test_all_can_be_loaded_where_the_service_tells_results_and_no_pages(session: Session) -> None:
    pixels = session.collection("pixels")
    pixels.listing.answered(Answered(1, Page([Pixel(id=1), Pixel(id=2)], 3, 2, 1, None, None), 0.0))
    plan = pixels.plan()
    assert plan is not None
    assert plan.missing == 1


async def test_what_a_filter_hides_of_a_selection_goes_with_the_selection(session: Session) -> None:
    pixels, rows = session.collection("pixels"), [Pixel(id=1), Pixel(id=2), Pixel(id=3)]
    pixels.listing.answered(Answered(1, Page(rows, 3, 3, 1, None, 1), 0.0))
    pixels.filter("id:1")
    pixels.select(rows[1:])
    assert pixels.hidden_selected == 2
    pixels.select(rows[:2])
    assert pixels.hidden_selected == 1
