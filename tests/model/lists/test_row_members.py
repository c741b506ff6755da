"""The members of rows straight from what came are those that the records give."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkdash.api.http.raw_rows import RawRows
from linkdash.api.paging import Rows
from linkdash.api.records import Record
from linkdash.api.resources.channels import ChannelItem
from linkdash.api.resources.domains import Domain
from linkdash.api.resources.pixels import Pixel
from linkdash.api.resources.qr import QrCode
from linkdash.api.resources.users import User
from linkdash.model.declaration import declaration
from linkdash.model.lists.export import all_members, record_members, records_csv
from linkdash.model.lists.row_members import has_unreadable
from linkdash.model.lists.rows import PickedRows

_NAMES = ["username", "email", "status", "registered", "expires", "planid", "apikey", "key", "value", "name"]
_NAMES += ["note", "token", "Übung", "type", "tag", "date", "link", "scans", "password", "data", "odd", "raw"]
_VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from(
        ["12", "1,234", "2026-02-03 10:00:00", "2026-02-03", "0000-00-00 00:00:00", "yes", "", "=1"]
    ),
    st.sampled_from(["2026-02-03T10:00:00+02:00", "\ud800", "Authorization", "chloé", "2026-13-01"]),
    st.just("\x1b[2J\u202e\n"),
    st.floats(allow_nan=False),
    st.text(max_size=5),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.sampled_from(["token", "a", "name", "value"]), st.text(max_size=3), max_size=3),
)
_ROWS = st.lists(
    st.one_of(
        st.builds(
            lambda id, rest: {"id": id, **rest},
            st.one_of(st.integers(1, 99), st.sampled_from(["7", 0, None, 2**63, True])),
            st.dictionaries(st.sampled_from(_NAMES), _VALUES, max_size=8),
        ),
        _VALUES,
    ),
    max_size=6,
)


_ALIKE = st.lists(st.sampled_from(_NAMES), unique=True, max_size=6).flatmap(
    lambda names: st.lists(
        st.fixed_dictionaries(
            {
                "id": st.one_of(st.integers(1, 99), st.sampled_from(["7", 2**63])),
                **dict.fromkeys(names, _VALUES),
            }
        ),
        max_size=4,
    )
)


@pytest.mark.parametrize("model", [User, Domain, Pixel, QrCode, ChannelItem])
@pytest.mark.parametrize("packed", [False, True])
@given(raw=_ROWS | _ALIKE)
def test_members_are_those_of_the_record(model: type[Record], packed: bool, raw: Sequence[object]) -> None:
    rows = Rows(model, RawRows(raw) if packed else raw, safe_text=True)
    wanted = [record_members(model.read(row)) for row in rows.raw]
    assert repr([*all_members(rows)]) == repr(wanted), "the order of members and the types of values, too"
    backwards = PickedRows(rows, range(len(rows))[::-1])
    assert repr([*all_members(backwards)]) == repr(wanted[::-1])
    assert has_unreadable(rows) == any("unreadable" in str(row)[:14] for row in wanted)


@pytest.mark.parametrize("packed", [False, True])
@given(raw=_ROWS | _ALIKE)
def test_a_table_is_that_of_the_records(packed: bool, raw: Sequence[object]) -> None:
    columns = declaration("users").columns
    rows = Rows(User, RawRows(raw) if packed else raw, safe_text=True)
    assert records_csv(User, columns, rows) == records_csv(User, columns, [*rows])


def test_no_record_is_read_for_ordinary_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(raw: object, *, safe_text: bool) -> None:
        raise AssertionError

    monkeypatch.setattr(User, "read", read)
    moment = "2026-02-03 10:00:00"
    row = {"id": 7, "username": "chloé", "expires": moment, "apikey": "x", "more": 1}
    (members,) = all_members(Rows(User, [row]))
    assert isinstance(members, dict)
    assert (members["username"], members["more"], members["expires"]) == ("chloé", 1, moment)
    assert "apikey" not in members
