"""The members of a record as data: those that it has, in their order, without a secret."""

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from linkdash.api.fields import Kind, fields_of
from linkdash.api.http.secrecy import masked
from linkdash.api.records import Record
from linkdash.api.resources.pixels import Pixel
from linkdash.api.resources.plans import Plan
from linkdash.api.resources.users import User
from linkdash.model.json_text import json_text
from linkdash.model.lists.export import record_members

_NAMES = [
    "username",
    "email",
    "status",
    "expires",
    "planid",
    "apikey",
    "value",
    "name",
    "token",
    "prices",
    "limits",
]
_WITHIN = st.dictionaries(
    st.sampled_from(["token", "enabled", "monthly", "links"]), st.text(max_size=3), max_size=2
)
_VALUES = st.one_of(
    st.none(),
    st.integers(),
    st.text(max_size=5),
    st.sampled_from(["1,234", "2026-02-03 10:00:00", "0000-00-00 00:00:00", "Authorization", "\x1b[2J\n"]),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(
        st.sampled_from(["token", "name", "value", "qr"]), _WITHIN | st.text(max_size=3), max_size=3
    ),
)


@given(st.sampled_from([User, Pixel, Plan]), st.dictionaries(st.sampled_from(_NAMES), _VALUES, max_size=8))
def test_members_are_those_that_were_sent_and_no_secret_is_among_them(
    model: type[Record], sent: Mapping[str, object]
) -> None:
    record = model.read({"id": 1, **sent}, safe_text=True)
    plain = model.read({"id": 1, **sent})
    assert isinstance(record, model)
    assert isinstance(plain, model)
    secret = {field.name for field in fields_of(model) if field.kind is Kind.SECRET}
    members = record_members(record)
    assert isinstance(members, dict)
    assert [*members] == [*dict.fromkeys([*plain.model_dump(exclude=secret), *plain.odd])]
    assert masked(members) == members
    assert json_text(members)
