"""The guide: a Markdown page for each topic, beside this file. `linkdash help` and the dashboard show it.

Nothing heavy is imported here: completion asks for the names of the topics.
"""

import re
from pathlib import Path

TOPICS = {
    "keys": "every key, and what it costs",
    "filters": "words, fields, comparisons, dates",
    "resources": "the fields of each resource",
    "config": "profiles, keys, themes, commands, alerts",
    "scripts": "commands, flags, exit statuses",
    "statistics": "the history of scans, reports, alerts",
    "budget": "who may send a request when",
    "team": "several machines, one history and budget",
    "library": "the client in Python programs",
    "agents": "records for AI agents, over MCP",
    "troubleshooting": "what to do when it says …",
    "privacy": "what is stored, where, how to delete it",
    "terminals": "terminals, platforms, screen readers",
}
"""By name, what each page is about; in the order in which they are listed."""

_COMMENT = re.compile(r"<!--.*?-->\n*", re.DOTALL)


def page(topic: str) -> str:
    """Return the Markdown of a topic, without comments. Raises KeyError for an unknown one."""
    if topic not in TOPICS:
        raise KeyError(topic)
    return _COMMENT.sub("", (Path(__file__).parent / f"{topic}.md").read_text("utf-8"))
