"""The ids and names of records that were kept, for completion: no request is sent, and nothing is asked."""

import asyncio
from collections.abc import Mapping

from linkdash.api.errors import LinkdashError
from linkdash.api.http.address import state_folder
from linkdash.model.configuration_file import configuration_path, read_configuration
from linkdash.model.session import Session, opened_store
from linkdash.model.settings import Flags, profile_name, settings
from linkdash.store.folders import cache_folder


def kept_names(resource: str, environment: Mapping[str, str], profile: str | None) -> dict[str, str]:
    """Names by id; empty where nothing is kept, or a key would have to be asked for."""
    try:
        configuration = read_configuration(configuration_path())
        chosen = configuration.file.profiles.get(profile_name(configuration, environment, Flags(profile)))
        if chosen is not None and chosen.asks and "LINKDASH_API_KEY" not in environment:
            return {}
        found = settings(configuration, environment, Flags(profile))
        if found.store:
            return {}  # a team's database may be far away
        session = Session(found, opened_store(found, state_folder(), cache_folder()))
        return asyncio.run(_names(session, resource))
    except (LinkdashError, OSError, RuntimeError):
        return {}


async def _names(session: Session, resource: str) -> dict[str, str]:
    try:
        names = await session.collection(resource).names()
    finally:
        await session.close()
    return {str(id): " ".join(name.split()) for id, name in names}
