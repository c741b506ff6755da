"""Forms are looked at in the app: nothing is made for a terminal."""

import pytest

from tests.headless import send_nothing


@pytest.fixture(autouse=True)
def nothing_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make nothing for a terminal, which is a third of an app's work."""
    send_nothing(monkeypatch)
