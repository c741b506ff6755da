"""`linkdash metrics`: what is kept, for Prometheus: as text, as a file, or to be scraped."""

import argparse
import asyncio
from pathlib import Path

from linkdash.api.errors import LinkdashError
from linkdash.api.http.address import is_loopback
from linkdash.commands.exit_status import FINE, WrongUsage
from linkdash.commands.standard_streams import say_text, tell
from linkdash.model.insight.metrics import Kept, kept, metrics_text, registry_of
from linkdash.model.session import Session
from linkdash.store.files import replace_text

_LOOPBACK = "127.0.0.1"
_LONGEST_SCRAPE = 10.0  # seconds


class NotListening(LinkdashError):
    """The address is taken, or none of this machine."""


async def metrics(session: Session, flags: argparse.Namespace) -> int:
    """`linkdash metrics`: no request is sent, also not for a scrape. Raises NotSaved, StoreUnavailable."""
    if flags.listen is not None:
        return await _listen(session, *_address(flags.listen))
    text = metrics_text(await kept(session))
    if flags.textfile is None:
        say_text(text)
    else:
        await asyncio.to_thread(replace_text, Path(flags.textfile), text, for_all=True)
    return FINE


def _address(text: str) -> tuple[str, int]:
    """`9090`, `127.0.0.1:9090`, `[::1]:9090`; without a host, of this machine alone. Raises WrongUsage."""
    host, _, port = text.rpartition(":")
    if not (port.isascii() and port.isdecimal() and len(port) <= 5 and int(port) <= 65_535):
        raise WrongUsage(f"{text} is not an address.", "Write HOST:PORT, such as 127.0.0.1:9464.")
    return host.removeprefix("[").removesuffix("]") or _LOOPBACK, int(port)


async def _listen(session: Session, host: str, port: int) -> int:
    """Answer scrapes with what is kept then, until a signal comes. Raises NotListening."""
    loop = asyncio.get_running_loop()

    def read() -> Kept:
        """In the thread of a scrape."""
        return asyncio.run_coroutine_threadsafe(kept(session), loop).result(_LONGEST_SCRAPE)

    registry = registry_of(read)
    from prometheus_client import start_http_server

    try:
        server, thread = await asyncio.to_thread(start_http_server, port, host, registry)
    except OSError as error:
        why = error.strerror or str(error)
        raise NotListening(f"{_shown(host)}:{port} cannot be used: {why}.", "Use another address.") from error
    try:
        address = f"http://{_shown(host)}:{server.server_port}/metrics"
        tell(f"Metrics at {address}, from what is kept; Ctrl+C ends it.")
        if not is_loopback(host):
            tell("Every machine that reaches this one can read them: no password is asked.")
        await asyncio.Event().wait()
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    return FINE


def _shown(host: str) -> str:
    """A host as it stands in an address."""
    return f"[{host}]" if ":" in host else host
