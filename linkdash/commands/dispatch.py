"""The function of each verb that works on a session. Its file is imported only when it is asked for."""

import argparse

from linkdash.commands.parser import WRITING
from linkdash.commands.run_verb import Verb

_STATISTICS = frozenset({"collect", "metrics", "report", "stats"})


def verb_of(flags: argparse.Namespace) -> Verb:
    """Return the verb that was asked for."""
    if flags.command in WRITING:
        return _writing_verb(flags)
    return _statistics_verb(flags) if flags.command in _STATISTICS else _reading_verb(flags)


def _reading_verb(flags: argparse.Namespace) -> Verb:
    match flags.command:
        case "alerts":
            from linkdash.commands.alerts import alerts

            return alerts
        case "api":
            from linkdash.commands.api import api

            return api
        case "budget":
            from linkdash.commands.budget import budget

            return budget
        case "export":
            from linkdash.commands.export import export_records

            return export_records
        case "get":
            from linkdash.commands.get import get_record

            return get_record
        case "journal" if flags.action == "show":
            from linkdash.commands.journal import show_entry

            return show_entry
        case "journal":
            from linkdash.commands.journal import journal

            return journal
        case "list":
            from linkdash.commands.list import list_records

            return list_records
        case "mcp":
            from linkdash.commands.mcp import mcp

            return mcp
        case "review":
            from linkdash.commands.review import review

            return review
    raise AssertionError(f"no verb {flags.command!r}")


def _statistics_verb(flags: argparse.Namespace) -> Verb:
    match flags.command:
        case "collect":
            from linkdash.commands.collect import collect

            return collect
        case "metrics":
            from linkdash.commands.metrics import metrics

            return metrics
        case "report":
            from linkdash.commands.report import report

            return report
        case "stats":
            from linkdash.commands.stats import stats

            return stats
    raise AssertionError(f"no verb {flags.command!r}")


def _writing_verb(flags: argparse.Namespace) -> Verb:
    match flags.command:
        case "assign":
            from linkdash.commands.assign import assign

            return assign
        case "create":
            from linkdash.commands.create import create

            return create
        case "delete" if flags.filter is not None:
            from linkdash.commands.filtered_writes import delete_matching

            return delete_matching
        case "delete":
            from linkdash.commands.delete import delete

            return delete
        case "import":
            from linkdash.commands.import_file import import_records

            return import_records
        case "subscribe":
            from linkdash.commands.subscribe import subscribe

            return subscribe
        case "undo":
            from linkdash.commands.undo import undo

            return undo
        case "update" if flags.filter is not None:
            from linkdash.commands.filtered_writes import update_matching

            return update_matching
        case "update":
            from linkdash.commands.update import update

            return update
    raise AssertionError(f"no verb {flags.command!r}")
