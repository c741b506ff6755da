from linkdash.model.lists.selection import Selection
from tests.widgets.sample import Code, code


def test_what_is_selected_is_as_it_was_read_last() -> None:
    marks: Selection[Code] = Selection()
    marks.toggle_all([code(id, name="old") for id in (1, 2, 3)])
    marks.renew([code(id, name="new") for id in (2, 1, 4)])
    assert [(one.id, one.name) for one in marks.as_known({})] == [(1, "new"), (2, "new"), (3, "old")]


def test_all_are_selected_and_where_all_are_they_are_deselected() -> None:
    marks: Selection[Code] = Selection()
    rows = [code(id) for id in (1, 2, 3)]
    marks.toggle(rows[1])
    marks.toggle_all(rows)
    assert marks.keys == {1, 2, 3}
    marks.toggle_all(rows[:2])
    assert marks.keys == {3}
