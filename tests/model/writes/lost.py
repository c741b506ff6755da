"""The kinds of lost answers, and what the service has done of what was asked."""

from collections.abc import Mapping

from linkdash.demo.faults import Fault
from linkdash.demo.request_log import LogEntry

HTML = "text/html"

KINDS: Mapping[str, Fault] = {
    "dropped after it was done": Fault(drop=True),
    "dropped before it was done": Fault(handled=False, drop=True),
    "500 after": Fault(status=500, content=b"<html>", content_type=HTML),
    "500 before": Fault(handled=False, status=500, content=b"<html>", content_type=HTML),
    "500 in JSON after": Fault(status=500, content=b'{"error": 1, "message": "Oops."}'),
    "502 after": Fault(status=502, content=b"<html>", content_type=HTML),
    "502 before": Fault(handled=False, status=502, content=b"", content_type=HTML),
    "504 after": Fault(status=504, content=b"<html>", content_type=HTML),
    "504 before": Fault(handled=False, status=504, content=b"{}"),
    "broken JSON after": Fault(content=b'{"error": 0, "deta'),
    "broken JSON before": Fault(handled=False, content=b'{"error": 0, "deta'),
    "too late after": Fault(delay=3600),
    "too late before": Fault(handled=False, delay=3600, drop=True),
}
"""A delay is as long as the program's patience, which ends as soon as the service has the request."""


def acted_on(entry: LogEntry) -> bool:
    """Return whether the service has done a change."""
    return entry.method != "GET" and entry.key_class != "none" and 200 <= entry.status < 300
