"""`linkdash demo-server` in a real terminal: for trying other clients on the embedded service."""

import re

import httpx

from tests.service.visitor import NO_TLS
from tests.terminal.terminal import Terminal


def test_it_prints_address_and_key_serves_and_stops_with_ctrl_c() -> None:
    with Terminal("demo-server", "--port", "0", "--rate", "7", columns=120) as terminal:
        terminal.wait_for("Stop it with ctrl+c.")
        found = re.search(
            r"service at (\S+) \(7 requests a minute.*?admin key +(\S+)", terminal.text, re.DOTALL
        )
        assert found
        address, key = found.groups()
        answer = httpx.get(
            f"{address}/api/account",
            headers={"Authorization": f"Bearer {key}", "Content-Type": "application/json"},
            verify=NO_TLS,
        )
        assert answer.json()["data"]["username"] == "dmitri.gruber"
        assert answer.headers["X-RateLimit-Limit"] == "7"
        terminal.press("\x03")
        assert terminal.wait_for_end() == 0
        assert "Traceback" not in terminal.text
