"""The matrix of plans: what was sent is shown, what was not is unknown, and differences are found."""

import csv
import io

from linkdash.api.records import Unreadable
from linkdash.api.resources.plans import Plan
from linkdash.api.resources.users import User
from linkdash.model.document.blocks import Sentence, parts_of
from linkdash.model.insight.plan_fit import PlanFit, fit
from linkdash.model.insight.plan_matrix import (
    CellLook,
    PlanMatrix,
    matrix,
    matrix_blocks,
    matrix_csv,
    matrix_markdown,
)


def plan(id: int, name: str, **members: object) -> Plan:
    found = Plan.read({"id": id, "name": name, **members})
    assert not isinstance(found, Unreadable)
    return found


def user(id: int, plan: int) -> User:
    found = User.read({"id": id, "username": f"u{id}", "planid": plan})
    assert not isinstance(found, Unreadable)
    return found


FREE = plan(
    1, "Free", free=True, limits={"links": 50, "clicks": 0, "team": {"enabled": "0", "count": 0}, "api": "1"}
)
PAID = plan(
    2,
    "Paid | more",
    free=False,
    prices={"monthly": "9.5", "yearly": 1234, "lifetime": None},
    limits={"links": 1000, "clicks": 0, "team": {"enabled": "1", "count": 5}, "api": "1", "x-ray": {}},
)
UNTOLD = plan(3, "")


def texts(matrix: PlanMatrix) -> dict[str, list[str]]:
    return {row.title: [entry.text for entry in row.entries] for row in matrix.rows}


def test_values_are_as_sent_and_what_was_not_sent_is_unknown() -> None:
    made = matrix([FREE, PAID, UNTOLD], [user(1, 2), user(2, 2), user(3, 1), user(4, 99)])
    assert made.names == ["Free", "Paid | more", "plan 3"]
    assert texts(made) == {
        "Known users": ["1", "2", "0"],
        "A month": ["free", "9.50", "?"],
        "A year": ["free", "1,234.00", "?"],
        "For life": ["free", "–", "?"],
        "Links": ["50", "1,000", "?"],
        "Clicks": ["0 (unlimited?)", "0 (unlimited?)", "?"],
        "Retention": ["?", "?", "?"],
        "several users": ["–", "✓ 5", "?"],
        "API access": ["✓", "✓", "?"],
        "x ray": ["?", "?", "?"],
    }
    looks = next(row for row in made.rows if row.title == "several users").entries
    assert [entry.look for entry in looks] == [CellLook.NO, CellLook.YES, CellLook.UNKNOWN]


def test_no_number_of_users_is_made_up_where_none_are_known() -> None:
    assert texts(matrix([FREE, PAID], None))["Known users"] == ["?", "?"]


def test_rows_differ_where_plans_do_and_users_are_no_difference() -> None:
    made = matrix([FREE, PAID], [user(1, 2)])
    assert [row.title for row in made.rows if row.differs] == [
        "A month",
        "A year",
        "For life",
        "Links",
        "several users",
    ]
    assert ("Links", "50", "1,000") in made.between(0, 1)
    assert ("Links", "1,000", "50") in made.between(1, 0)
    assert not any(row.differs for row in matrix([FREE], []).rows)


def test_a_feature_that_is_off_does_not_look_like_a_number_below_0() -> None:
    plans = [
        plan(id, f"P{id}", limits={"team": {"enabled": "0", "count": count}})
        for id, count in ((1, 0), (2, 50))
    ]
    assert texts(matrix(plans, None))["several users"] == ["–", "no (50)"]


def test_the_0_of_an_allowance_does_not_look_like_none_at_all() -> None:
    open_ended = plan(6, "All", limits={"links": 0})
    assert ("Links", "1,000", "0 (unlimited?)") in matrix([PAID, open_ended], None).between(0, 1)


def test_exports_have_every_row_and_names_break_no_table() -> None:
    made = matrix([FREE, PAID], None)
    rows = list(csv.reader(io.StringIO(matrix_csv(made))))
    assert rows[0] == ["", "Free", "Paid | more"]
    assert len(rows) == 1 + len(made.rows)
    head, rule, *lines = matrix_markdown(made).splitlines()
    assert (head, rule) == ("|  | `Free` | `Paid \\| more` |", "| --- | ---: | ---: |")
    assert len(lines) == len(made.rows)


def test_a_page_of_plans_answers_first_which_of_them_fit() -> None:
    small, large = plan(1, "Small"), plan(2, "<Large>")
    fits = [PlanFit(small, ("pixels 130 of 30",), ("pixels",), ()), PlanFit(large, (), ("pixels",), ())]
    assert strong(matrix([small, large], None, fits)) == ["As far as known, your use fits <Large>."]
    assert strong(matrix([small], None, fits[:1])) == ["Your use fits none of them."]
    assert strong(matrix([small, large], None)) == [], "nothing is known of the use"


def test_an_allowance_that_is_exceeded_is_marked_and_its_use_stands_behind_it() -> None:
    pixels = [{"enabled": "0", "count": 0}, {"enabled": "1", "count": 25}, {"enabled": "1", "count": 250}]
    plans = [plan(id, f"P{id}", limits={"pixels": one}) for id, one in enumerate(pixels, 1)]
    used = {"pixels": 130, "domains": None}
    made = matrix(plans, None, [fit(one, used) for one in plans], used)
    row = next(row for row in made.rows if row.title == "tracking pixels")
    assert row.used == 130
    assert texts(made)["tracking pixels"] == ["✗ 0", "✗ 25", "✓ 250"]
    assert [entry.look for entry in row.entries] == [CellLook.OVER, CellLook.OVER, CellLook.YES]
    assert "| `tracking pixels, you 130` | ✗ 0 | ✗ 25 | ✓ 250 |" in matrix_markdown(made)
    assert made.lost(1, 0) == ["No longer: tracking pixels (25)"], "too little of it is not none"
    assert made.lost(2, 1) == ["tracking pixels: 250 → 25"]


def strong(made: PlanMatrix) -> list[str]:
    return [
        "".join(parts_of(block.words))
        for block in matrix_blocks(made)
        if isinstance(block, Sentence) and block.is_strong
    ]


def test_only_the_plan_that_the_account_has_is_called_its_own() -> None:
    plans = [FREE, PAID, UNTOLD]
    fits = [
        PlanFit(FREE, ("pixels 2 of 1",), ("pixels",), ()),
        PlanFit(PAID, (), ("pixels",), ()),
        PlanFit(UNTOLD, (), (), ()),
    ]

    def told(own: int | None) -> list[str]:
        return texts(matrix(plans, None, fits, own_id=own))["Your use"]

    assert told(None) == ["✗ 1 short", "✓", "?"]
    assert told(1) == ["✗ 1, yours", "✓", "?"]
    assert told(2) == ["✗ 1 short", "✓ yours", "?"]
    assert told(3) == ["✗ 1 short", "✓", "? yours"]
