"""A setting of the dashboard, kept in the configuration file for the next run."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from linkdash.api.errors import LinkdashError
from linkdash.model.configuration_file import configuration_path
from linkdash.model.configuration_text import change_file
from linkdash.screens.host_app import HostApp

if TYPE_CHECKING:
    from tomlkit import TOMLDocument


async def save_setting(app: HostApp, title: str, change: "Callable[[TOMLDocument], None]") -> None:
    """Change the configuration file, and say whether it is kept."""
    try:
        await asyncio.to_thread(change_file, configuration_path(), change)
    except (LinkdashError, RuntimeError, OSError) as error:
        app.warn(f"{error} It applies until linkdash ends.", title)
    else:
        app.say("In use now, and at the next start.", title)
