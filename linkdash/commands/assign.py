"""`linkdash assign`: items to a channel, links to a campaign."""

import argparse
from typing import get_args

from linkdash.api.resources.channels import ItemType
from linkdash.commands.argument_types import positive
from linkdash.commands.exit_status import WrongUsage
from linkdash.commands.send_writes import PlannedWrites, doubts_about
from linkdash.model.humanize import counted
from linkdash.model.resources.campaigns import link_assignment
from linkdash.model.resources.channels import item_assignment
from linkdash.model.session import Session
from linkdash.store.journal_entry import WriteIntent


async def assign(_session: Session, flags: argparse.Namespace) -> PlannedWrites:
    """`linkdash assign channel|campaign ID ITEM …`: an item is `qr:12`, `links:7`, `bio:3`; a link is `7`."""
    of = _to_channel if flags.target == "channel" else _to_campaign
    wanted = [of(flags.id, item) for item in dict.fromkeys(flags.items)]
    title = f"assign {counted(len(wanted), 'item')} to {flags.target} {flags.id}"
    return PlannedWrites(wanted, title, doubts_about(wanted), is_many=True)


def _to_channel(channel: int, item: str) -> WriteIntent:
    kind, _, number = item.partition(":")
    if kind not in get_args(ItemType) or not _is_id(number):
        raise WrongUsage(f"{item!r} is not an item.", "Use qr:12, links:7 or bio:3.")
    return item_assignment(channel, kind, int(number))


def _to_campaign(campaign: int, item: str) -> WriteIntent:
    number = item.removeprefix("links:")
    if not _is_id(number):
        raise WrongUsage(f"{item!r} is not a link.", "Only links can be assigned to campaigns, such as 7.")
    return link_assignment(campaign, int(number))


def _is_id(text: str) -> bool:
    try:
        return bool(positive(text))
    except argparse.ArgumentTypeError:
        return False
