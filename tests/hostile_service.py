"""The demo's service with texts in its answers that act on a terminal, wherever a service has texts."""

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

from linkdash.demo import DemoSettings
from linkdash.demo.server import serve_in_thread

ACTS = (
    "\x1b]52;c;aGk=\x07\x9b2J\x1b[41m\r\nFORGED\n\u2028\u202etfel\u200b\u2066\t\x00\x85\x7f\U000e0041"
    "\x1b]8;;https://evil.example\x1b\\"
)
"""Writes the clipboard, clears, colours, forges a line, turns the direction, hides."""

_POISONED = frozenset(
    {"name", "username", "email", "message", "title", "domain", "tag", "description", "news"}
)
_COUNTED = frozenset({"topCountries", "topReferrers", "topBrowsers", "topOs", "socialCount"})


@contextmanager
def hostile_service() -> Iterator[tuple[str, str]]:
    """Its address and the key of an admin, until the block ends."""
    with serve_in_thread(DemoSettings(rate=100_000)) as behind, _before(behind.base_url) as address:
        yield address, behind.api_key


@contextmanager
def _before(target: str) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            behind = http.client.HTTPConnection(urlsplit(target).netloc, timeout=30)
            sent = {name: value for name, value in self.headers.items() if name.lower() != "host"}
            behind.request(self.command, self.path, body, sent)
            answer = behind.getresponse()
            content = json.dumps(_poisoned(json.loads(answer.read()))).encode()
            behind.close()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("content-length", "connection", "date", "server"):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_DELETE = _answer  # noqa: N815  as its base class calls them

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _poisoned(data: object, member: str = "") -> object:
    """The same, with what acts behind every name and message, in what is counted, and in a new member."""
    if isinstance(data, list):
        return [_poisoned(one) for one in data]
    if isinstance(data, dict):
        if member in _COUNTED:
            return {f"{name}{ACTS}": count for name, count in data.items()}
        made = {name: _poisoned(value, name) for name, value in data.items()}
        return {**made, f"new{ACTS}": ACTS} if "id" in made and "error" not in made else made
    return f"{data}{ACTS}" if member in _POISONED and isinstance(data, str) else data
