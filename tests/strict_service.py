"""A service that keeps every text as it came, and of a record what a write does not name.

The demo keeps texts in a database, which takes no NUL and no half of a surrogate pair; services take all that
JSON has.
"""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Records = dict[int, dict[str, Any]]

KEY = "0123456789abcdef0123456789abcdef"
_REQUIRED = {"campaign": "name", "pixel": "tag", "channel": "", "domain": ""}
_LISTED = re.compile(r"/api/(\w+)s(?:\?.*)?")
_CHANGED = re.compile(r"/api/(\w+)/(\d+)/update")
_HEADERS = {
    "Content-Type": "application/json",
    "X-RateLimit-Limit": "100000",
    "X-RateLimit-Remaining": "99999",
}


class StrictService:
    """A service whose records a test may set and look at, by resource and id; and the bodies of writes."""

    def __init__(self) -> None:
        self.base_url = ""
        self.api_key = KEY
        self.state: dict[str, Records] = {}
        self.writes: list[dict[str, Any]] = []

    def clear(self, **records: list[dict[str, Any]]) -> None:
        """Begin anew with these records, numbered from 1 on."""
        self.state = {
            kind: {id: {"id": id, **members} for id, members in enumerate(found, 1)}
            for kind, found in records.items()
        }
        self.writes.clear()

    def answer(self, method: str, path: str, body: bytes) -> tuple[int, object]:
        """The status and the members of an answer."""
        if method == "GET" and (listed := _LISTED.fullmatch(path)):
            found = list(self.state.get(listed[1], {}).values())
            page = {"result": len(found), "perpage": 100, "currentpage": 1, "nextpage": None, "maxpage": 1}
            return 200, {"error": "0", "data": {**page, f"{listed[1]}s": found}}
        if method == "PUT" and (changed := _CHANGED.fullmatch(path)):
            return self._update(changed[1], int(changed[2]), json.loads(body))
        return 404, {"error": 1, "message": "Not found."}

    def _update(self, kind: str, id: int, members: dict[str, Any]) -> tuple[int, object]:
        required = _REQUIRED[kind]
        if id not in self.state[kind] or (required and not members.get(required)):
            return 400, {"error": 1, "message": f"{required} is required."}
        self.writes.append(members)
        self.state[kind][id].update(members)
        return 200, {"error": 0, "message": "Saved."}


@contextmanager
def strict_service() -> Iterator[StrictService]:
    """A service on a port of its own until the block ends."""
    service = StrictService()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status, members = service.answer(self.command, self.path, body)
            content = json.dumps(members).encode()
            self.send_response(status)
            for name, value in _HEADERS.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_PUT = _answer  # noqa: N815  as its base class calls them

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    service.base_url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
