"""`linkdash mcp`: the records for programs that speak the Model Context Protocol, over standard streams.

server     what is offered: tools, resources, prompts, on the SDK's server; how a failure is told
streams    standard input and output
tool       one tool: its arguments and its hints
call       one call under way: its progress, and the question to the person
reading    the tools that read            writing    the tools that change something
pages      records page by page, with a cursor     summaries  codes over a period
answers    the shapes of answers
fencing    texts of records as data       prompts    two jobs that can be asked for by name
"""

import argparse
from importlib.util import find_spec

from linkdash.api.errors import Misconfigured
from linkdash.commands.exit_status import FINE
from linkdash.model.session import Session


async def mcp(session: Session, flags: argparse.Namespace) -> int:
    """Serve until standard input ends. Raises Misconfigured where the SDK is not installed."""
    if find_spec("mcp") is None:
        raise Misconfigured("The MCP server is not supported here.", "pip install 'linkdash[mcp]'")
    from linkdash.commands.mcp.server import RecordsServer

    await RecordsServer(session, writes=flags.writes and not session.read_only).run_stdio_async()
    return FINE
