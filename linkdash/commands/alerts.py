"""`linkdash alerts`: what the alerts of the configuration find."""

import argparse

from linkdash.api.errors import Misconfigured, ServiceError
from linkdash.commands.exit_status import ALERT, FINE, of_error
from linkdash.commands.load_records import load
from linkdash.commands.output import write_rows
from linkdash.commands.standard_streams import tell
from linkdash.model.declaration import declaration
from linkdash.model.insight.alert_rules import Rule
from linkdash.model.session import Session

_ALERT_TITLES = {"rule": "Rule", "subject": "About", "since": "Since", "message": "What"}


async def alerts(session: Session, flags: argparse.Namespace) -> int:
    """List what is raised. --check looks first: 1 request where a rule is about users, else none.

    Views of other lists are looked for in what is kept of them.
    """
    status = await _checked_alerts(session) if flags.check else FINE
    raised = await session.store.alerts.raised()
    write_rows(_ALERT_TITLES, [alert.members for alert in raised], flags.format)
    return ALERT if raised else status


def _is_about_users(rule: Rule) -> bool:
    return rule.kind == "expires" or any(rule.view == one.name for one in declaration("users").findings)


async def _checked_alerts(session: Session) -> int:
    from linkdash.model.insight.alerts import look, unmatched
    from linkdash.model.resources.users import RESOURCE as USERS

    settings = session.settings.alerts
    if not settings:
        raise Misconfigured(
            "There is no alert rule to check.",
            'Add one to the configuration: alerts.quiet.when = "silent 7d"',
        )
    users, status = None, FINE
    if any(_is_about_users(setting.rule) for setting in settings.values()):
        collection = session.collections.of(USERS)
        try:
            await load(session, collection, every=True)
            users = collection.records
        except ServiceError as error:
            tell(f"The users could not be read: {error}")
            status = of_error(error)
    for sentence in await unmatched(session):
        tell(f"{sentence}.")
    await look(session, tell, users)
    return status
