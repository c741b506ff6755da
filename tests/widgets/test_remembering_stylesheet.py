"""What the style sheet remembers is what Textual's own would find anew."""

import pytest
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode

from linkdash.demo.server import Running
from linkdash.widgets import guards
from linkdash.widgets.guards import RememberingStylesheet
from tests.conftest import RunApp
from tests.screens.driver import Driver


def looks(node: DOMNode) -> dict[str, object]:
    """The rules of a node and of its parts."""
    parts = {name: dict(node._component_styles[name].base._rules) for name in node._get_component_classes()}
    return {"": dict(node.styles.base._rules), **parts}


def sheet_of(driver: Driver) -> Stylesheet:
    """A style sheet that remembers nothing."""
    plain = Stylesheet(variables=driver.app.get_css_variables())
    plain.source.update(driver.app.stylesheet.source)
    plain.reparse()
    return plain


def differing(driver: Driver, plain: Stylesheet) -> list[tuple[str, object]]:
    """What is styled otherwise than by a style sheet that remembers nothing, which is made up to date."""
    app = driver.app
    if plain.source.keys() != app.stylesheet.source.keys():
        plain.source.update(app.stylesheet.source)
        plain.reparse()
    found: list[tuple[str, object]] = []
    for node in app.screen.walk_children(with_self=True):
        remembered = looks(node)
        plain.apply(node)
        if looks(node) != remembered:
            anew = looks(node)
            parts = [part for part in remembered.keys() | anew if remembered.get(part) != anew.get(part)]
            found.append((repr(node), [(part, remembered.get(part), anew.get(part)) for part in parts]))
    return found


@pytest.mark.long
async def test_every_state_of_a_screen_has_the_styles_that_textual_finds_anew(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="qr") as driver:
        assert isinstance(driver.app.stylesheet, RememberingStylesheet)
        await driver.settled()
        plain = sheet_of(driver)
        steps = ["j", "space"], ["e"], ["tab", "tab"], ["x"], ["shift+tab"], ["escape", "y"], ["slash", "a"]
        for keys in steps:
            await driver.press(*keys)
            assert differing(driver, plain) == [], keys
        themes = driver.app.available_themes
        driver.app.theme = next(name for name in themes if not themes[name].dark)
        await driver.pilot.resize_terminal(140, 40)
        await driver.press("escape", "h")
        assert differing(driver, sheet_of(driver)) == []


@pytest.mark.long
async def test_what_is_forgotten_in_the_midst_of_an_update_is_found_anew(
    demo: Running, run_app: RunApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guards, "_MOST_NUMBERS", 60)
    async with run_app(demo, place="qr") as driver:
        await driver.settled()
        await driver.press("e", "tab")
        assert differing(driver, sheet_of(driver)) == []
