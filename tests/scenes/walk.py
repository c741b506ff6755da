"""A walk through every screen there is; at each stop stands what a test or a picture is made of."""

from collections.abc import AsyncIterator

from linkdash.screens.opening import OpeningScreen
from tests.scenes.stage import Stage


async def walk(stage: Stage) -> AsyncIterator[str]:
    """Go from screen to screen; at each of them it says its name."""
    await stage.press(see="scans in 7 days")
    yield "overview"
    for walked in (_lists, _codes, _plans_and_users, _windows, _forms, _program, _meanwhile):
        async for name in walked(stage):
            yield name
            stage.pass_a_minute()


async def _lists(stage: Stage) -> AsyncIterator[str]:
    await stage.press("1", see="E-mail")
    yield "account"
    await stage.press("2", "j", see="12 results")
    yield "domains"
    await stage.press("3", "j", see="18 results")
    yield "overlays"
    await stage.press("4", "j", see="14 results")
    yield "splash"
    await stage.press("5", "j", see="45 results")
    yield "campaigns"
    await stage.press("7", "j", see="130 results")
    yield "pixels"
    await stage.press("6", see="30 results")
    yield "channels"
    await stage.press("j", "enter", see="Bio page")
    yield "channel-items"
    await stage.press("escape")


async def _codes(stage: Stage) -> AsyncIterator[str]:
    await stage.press("8", see="7 days")
    yield "qr"
    await stage.press("enter", see="Countries")
    yield "statistics"
    await stage.press("Q", see="lnk.example")
    yield "qr-code"
    await stage.press("escape", "P", see="days")
    yield "own-period"
    await stage.press("escape", "escape", "space", "j", "space", "j", "space", "c", see="compare 3")
    yield "compare"
    await stage.press("escape", "*", "*", "W", see="What happened")
    yield "watch"
    await stage.press("escape")
    stage.pass_a_minute()  # what the watch read until it was left, none or one, is not of what follows


async def _plans_and_users(stage: Stage) -> AsyncIterator[str]:
    await stage.press("9", see="Retention")
    yield "plan-matrix"
    await stage.press("escape", see="Monthly")
    yield "plans"
    await stage.press("0", see="1,200")
    yield "users"


async def _windows(stage: Stage) -> AsyncIterator[str]:
    await stage.press("7", "space", "j", "space", "d", see="Delete")
    yield "delete"
    await stage.press("escape", "*", "*", "y", see="Copy")
    yield "copy"
    await stage.press("escape", "x", see="Export")
    await stage.press("enter", see="to a file")
    yield "export"
    await stage.press("escape", "escape", "v", see="as the service sent it")
    yield "raw"
    await stage.press("escape", "C", see="Columns")
    yield "columns"
    await stage.press("escape", "F", see="Findings")
    yield "views"
    await stage.press("escape", "I", see="Import into")
    yield "import-file"
    await stage.press("escape", "colon", *"velo", see="velo")
    yield "palette"
    await stage.press("escape", "?", see="Keys")
    yield "help"
    await stage.press("escape")


async def _forms(stage: Stage) -> AsyncIterator[str]:
    await stage.press("8", "n", see="New QR code")
    await stage.type("link")
    await stage.press("enter", see="Target · required")
    await stage.type("https://www.harbor-coffee.example/menu")
    await stage.press("tab")
    await stage.type("#2e59")
    await stage.press("ctrl+s", see="Fix 1 field")
    yield "form-qr"
    await stage.press("f3", see="The code in black")
    yield "form-code"
    await stage.press("escape", "escape", "tab", "enter")


async def _program(stage: Stage) -> AsyncIterator[str]:
    await stage.press("7", "space", "j", "space", "j", "space", "d", see="Delete")
    await stage.press("y", see="Finished · 3 done")
    await stage.press("escape", "B", see="Bulk job")
    yield "job"
    await stage.press("escape", "b", see="min ago")
    yield "budget"
    await stage.press("escape", "w", see="10 changes")
    yield "journal"
    await stage.press("escape", "M", see="Messages")
    yield "messages"
    await stage.press("escape")


async def _meanwhile(stage: Stage) -> AsyncIterator[str]:
    """Return what stands only until something has come, held."""
    screens = {
        "opening": OpeningScreen(stage.app.settings),
    }
    for name, screen in screens.items():
        await stage.app.push_screen(screen)
        await stage.calm()
        yield name
        await stage.app.pop_screen()
