"""The writes that a service has had."""

from linkdash.demo.server import Running


def writes(running: Running) -> list[str]:
    """Every write that the service has had, by method and path."""
    return [f"{entry.method} {entry.path}" for entry in running.service.log if entry.method != "GET"]
