"""The look at known vulnerabilities fails for one that an index tells, and says so where there is none.

`.venv/bin/pytest --nightly tests/test_audit.py`: it installs what looks them up, from a package index.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.nightly import is_nightly

AUDIT = Path(__file__).parent.parent / ".ci" / "audit"
HOLE: dict[str, object] = {
    "id": "GHSA-made-up-hole",
    "affected": [
        {
            "package": {"ecosystem": "PyPI", "name": "httpx"},
            "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "99.0"}]}],
        }
    ],
}


@contextmanager
def index(holes: dict[str, dict[str, object]]) -> Iterator[str]:
    """The address of an index of vulnerabilities, by the names of packages."""

    class Answers(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            hole = holes.get(asked["package"]["name"])
            body = json.dumps({"vulns": [hole]} if hole else {}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1/query"
        server.shutdown()


def audited(address: str) -> tuple[int, str]:
    """With which status the look at this index ends, and what it says."""
    environment = {**os.environ, "PIP_AUDIT_VULNERABILITY_SERVICE": "osv", "PIP_AUDIT_OSV_URL": address}
    environment["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
    ran = subprocess.run([AUDIT], env=environment, capture_output=True, text=True, check=False)
    return ran.returncode, ran.stdout


@pytest.mark.skipif(not is_nightly(), reason="needs a package index and minutes")
def test_a_known_hole_fails_and_an_index_that_is_not_there_is_told() -> None:
    with index({"httpx": HOLE}) as address:
        status, said = audited(address)
    assert status == 1, said
    assert "GHSA-made-up-hole, mended in 99.0" in said
    with index({}) as address:
        status, said = audited(address)
    assert (status, "packages checked for known vulnerabilities" in said) == (0, True), said
    assert "NOT" not in said
    status, said = audited(address)
    assert status == 0
    assert said.startswith("Known vulnerabilities were NOT checked: "), said
