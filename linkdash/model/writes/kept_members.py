"""Members of a record that were sent from here and no list shows, such as the content of a code. Pure.

The journal keeps it as long as the record is there.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import dropwhile
from types import MappingProxyType
from typing import NamedTuple

from linkdash.api.http.secrecy import MASK
from linkdash.api.records import Body
from linkdash.model.declaration import AnyResource
from linkdash.model.writes.form_fields import payload_names, type_field
from linkdash.store.journal_entry import JournalEntry

_NOTHING: Mapping[str, object] = MappingProxyType({})


class KeptMembers(NamedTuple):
    """The members of a record that were sent from here last."""

    members: Mapping[str, object] = _NOTHING
    """A secret among them, or in them, is masked: it is not kept."""
    at: datetime | None = None
    """The end of the newest write that has sent one of them."""

    @property
    def sendable(self) -> Mapping[str, object]:
        """Those that can be sent again: wholly known, and not chosen by the service."""
        secret = self.secret
        return {name: value for name, value in self.members.items() if value != "" and name not in secret}

    @property
    def left_to_the_service(self) -> frozenset[str]:
        """The names of those that nothing was sent for: no list shows what the service chose."""
        return frozenset(name for name, value in self.members.items() if value == "")

    @property
    def secret(self) -> frozenset[str]:
        """The names of those that are secret, or hold a secret."""
        return frozenset(name for name, value in self.members.items() if _is_masked(value))


def _is_masked(value: object) -> bool:
    return value == MASK or (isinstance(value, Mapping) and any(map(_is_masked, value.values())))


def is_kept(model: type[Body]) -> bool:
    """Return whether requests of this model have contents, which no record shows."""
    return bool(payload_names(model))


def content_names(model: type[Body]) -> frozenset[str]:
    """The members that hold contents, and those that say of which type these are."""
    payloads = payload_names(model)
    return frozenset({*payloads, *(type_field(model, name) for name in payloads)})


def _names(resource: AnyResource) -> frozenset[str]:
    """The members that are kept of a record: its content, and what else no record shows."""
    if resource.update is None or not is_kept(resource.update):
        return frozenset()
    members = {name for name in resource.update.model_fields if name not in resource.record.model_fields}
    return content_names(resource.update) | members


def kept_of(entries: Iterable[JournalEntry], resource: AnyResource, id: int) -> KeptMembers:
    """Return what is kept of a record; `entries` have the newest first.

    A member that was sent by a write of unknown outcome since is not known.
    """
    names, unsure = _names(resource), set[str]()
    contents = frozenset() if resource.update is None else content_names(resource.update)
    found, at = dict[str, object](), None
    for entry in entries if names else ():
        intent = entry.intent
        if (intent.resource, entry.record_id) != (resource.id, id) or intent.action not in _SETTING:
            continue
        sent = {name: value for name, value in intent.params.items() if name in names}
        if entry.was_done:
            found = {name: value for name, value in sent.items() if name not in unsure} | found
            at = at or (entry.ended or entry.begun if sent else None)
            if intent.action == "create":  # what was left alone then is as the service makes it
                found = dict.fromkeys(names - contents - unsure, "") | found
        elif entry.is_open or entry.outcome is None:
            unsure.update(sent)
    return KeptMembers(found, at)


_SETTING = ("create", "update")


def kept_before(entries: Iterable[JournalEntry], entry: JournalEntry, resource: AnyResource) -> KeptMembers:
    """Return what was kept of a record before one of its changes, which is among the `entries`."""
    older = [*dropwhile(lambda one: one.id != entry.id, entries)][1:]
    return kept_of(older, resource, entry.intent.record_id or 0)
