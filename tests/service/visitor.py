"""A client of the tests: one key, one address, JSON in and out."""

import json
from typing import Any

import httpx

from linkdash.demo.server import Running

NO_TLS = False
"""Loading certificates takes longer than most of the tests, and there is no TLS on loopback."""


class Clock:
    """A clock that only the test moves, in epoch seconds."""

    def __init__(self, now: float = 1_790_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def step(self, seconds: float) -> None:
        self.now += seconds


class Visitor(httpx.Client):
    """A client with one key. Answers are of any shape: that is what the tests are about."""

    def __init__(self, running: Running, key: str | None) -> None:
        headers = {"Content-Type": "application/json"}
        if key is not None:
            headers["Authorization"] = f"Bearer {key}"
        super().__init__(base_url=running.base_url, headers=headers, timeout=30, verify=NO_TLS)

    def ask(self, method: str, path: str, body: object = None) -> httpx.Response:
        if body is None:
            return self.request(method, path)
        return self.request(method, path, content=json.dumps(body))

    def read(self, path: str) -> Any:
        response = self.get(path)
        assert response.status_code == 200, response.text
        return response.json()

    def write(self, method: str, path: str, body: object = None) -> Any:
        response = self.ask(method, path, body)
        assert response.status_code == 200, response.text
        answer = response.json()
        assert answer["error"] == 0
        return answer
