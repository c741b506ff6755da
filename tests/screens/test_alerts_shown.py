"""Alerts where the user is: told when they are raised while watching, and shown in the list of codes."""

from dataclasses import replace

from linkdash.demo.server import Running
from linkdash.model.configuration_file import AlertSetting
from linkdash.store.alerts import Alert
from tests.conftest import RunApp
from tests.waiting import wait_until


async def test_an_alert_is_told_while_watching_and_stands_in_the_list(demo: Running, run_app: RunApp) -> None:
    rules = {"few": AlertSetting(when="requests left < 5000")}
    async with run_app(demo, place="qr", size=(100, 30)) as driver:
        await driver.settled()
        session = driver.app.session
        session.settings = replace(session.settings, alerts=rules)
        await driver.press("W")
        await wait_until(lambda: any(text.startswith("Alert few: ") for text in driver.toasts))


async def test_a_raised_alert_is_a_sign_in_the_list_and_a_line_of_the_details(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="qr", size=(100, 40)) as driver:
        await driver.settled()
        id, session = driver.table.cursor_key, driver.app.session
        assert isinstance(id, int)
        alert = Alert("quiet", f"qr {id}", "no scans in the last 7 days", session.moment())
        other = Alert("soon", "user 7", "anna expires", session.moment())
        await session.store.alerts.settle(lambda raised: ([alert, other], []))
        await driver.press("h")
        await driver.press("8")
        await wait_until(lambda: driver.table.notes.get(id) == "alert")
        assert driver.records[1].startswith("▌ !") or "!" in driver.records[1][:4]
        await driver.wait_for("no scans in the last 7 days")
        assert list(driver.table.notes) == [id]
