"""The journal: when, what, the difference, the outcome and the cost of every change, at no cost."""

import re
import threading
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from linkdash.api.http.secrecy import MASK
from linkdash.api.resources.plans import Plan
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.model.writes.write_words import name_and_what
from linkdash.screens.actions import CHECK
from linkdash.screens.journal import JournalScreen, below_its_row, entry_lines, entry_rows
from linkdash.store.journal_entry import JournalEntry, Outcome, Settlement, WriteIntent
from linkdash.store.store import Store
from linkdash.widgets.details import Details
from tests.conftest import RunApp
from tests.screens.hand import Hand, stored
from tests.screens.test_copying import copied
from tests.service.visitor import Visitor
from tests.waiting import DEADLINE, resize, wait_until

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
RENAME = WriteIntent(
    *("channels", "update", (29,)),
    {"name": "New", "color": "#AA3355"},
    before={"name": "Old"},
)
CREATE = WriteIntent("users", "create", (), {"username": "anna", "password": "geheim"})


def shown(entry: JournalEntry) -> Mapping[str, str]:
    return {line.title: line.text for line in entry_lines(entry)}


def test_an_entry_tells_when_what_the_difference_the_outcome_and_the_cost() -> None:
    sent = JournalEntry(1, NOON, RENAME, "PUT", "/api/channel/29/update", None)
    lines = shown(replace(sent, outcome=Outcome.DONE, message="Channel updated.", requests=1))
    assert lines == {
        "When": f"{NOON.astimezone():%Y-%m-%d %H:%M:%S}",
        "What": "edit channel 29",
        "Request": "PUT /api/channel/29/update",
        "Name": "Old → New",
        "Color": "(not shown) → #AA3355",
        "Outcome": "✓ done",
        "Message": "Channel updated.",
        "Cost": "1 request",
    }
    settled = replace(sent, outcome=Outcome.UNKNOWN, settlement=Settlement(NOON, False, "Not done."))
    assert (shown(settled)["Outcome"], shown(settled)["Checked"]) == ("✗ not done", "Not done.")
    assert shown(sent)["Outcome"] == "▶ sending"
    assert shown(replace(sent, outcome=Outcome.NOT_SENT))["Cost"] == "0 requests"


@pytest.mark.parametrize(
    ("plans", "end"),
    [({}, "≈ 2026-04-01"), ({2: Plan(id=2, name="Starter", free=True)}, "no end")],
)
def test_a_plan_that_is_free_has_no_end(plans: dict[int, Plan], end: str) -> None:
    before = {"planid": 4, "expires": "2026-11-29 10:00:00"}
    intent = WriteIntent("users", "subscribe", (5, 2), {"type": "monthly"}, ("anna", "Starter"), before)
    entry = JournalEntry(1, NOON, intent, "PUT", "/api/plan/2/user/5", None)
    lines = {line.title: line.text for line in entry_lines(entry, plans=plans)}
    assert lines["Ends"] == f"2026-11-29 10:00:00 → {end}"


def test_a_flag_is_a_word_and_what_stays_as_it_is_is_told_once() -> None:
    intent = WriteIntent(
        "campaigns",
        "update",
        (45,),
        {"name": "A", "public": True},
        before={"name": "A", "public": False},
    )
    lines = shown(JournalEntry(1, NOON, intent, "PUT", "/api/campaign/45/update", Outcome.DONE))
    assert (lines["Name"], lines["Public"]) == ("A", "no → yes")
    assert name_and_what(intent)[1] == "public → yes"


def test_a_row_has_verb_kind_name_and_what_and_a_day_is_told_once() -> None:
    edit = WriteIntent("campaigns", "update", (45,), {"name": "New"}, ("Old",), {"name": "Old"})
    made = JournalEntry(2, NOON, edit, "PUT", "/api/campaign/45/update", Outcome.DONE, requests=1)
    entries = [
        made,
        replace(made, begun=NOON - timedelta(minutes=5)),
        replace(made, begun=NOON - timedelta(days=1)),
    ]
    rows = entry_rows(entries, NOON.astimezone().date())
    assert (rows[0].verb, rows[0].kind, rows[0].name) == ("edit", "campaign", "Old (45)")
    assert rows[0].what == "name → New"
    renamed = replace(edit, names=("New",))
    assert name_and_what(renamed) == ("New (45)", "name was Old"), "the new name is not told twice"
    assert [row.when.split()[0] for row in rows] == [
        "Today",
        f"{entries[1].begun.astimezone():%H:%M}",
        f"{entries[2].begun.astimezone():%a}",
    ]
    joined = [
        WriteIntent("channels", "assign", (29, 12), {"type": "links"}, ("Way to go",)),
        WriteIntent("users", "subscribe", (7, 4), {"type": "monthly"}, ("anna", "Pro")),
        WriteIntent("users", "subscribe", (7, 4), {}, told="subscribe user anna to plan 4 (Pro)"),
    ]
    told = [entry_rows([replace(made, intent=intent)], NOON.date())[0] for intent in joined]
    assert [(row.name, row.what) for row in told] == [
        ("Way to go (29)", "link 12"),
        ("anna (7)", "to plan Pro (4), monthly"),
        ("subscribe user anna to plan 4 (Pro)", ""),
    ]
    back = replace(edit, names=("New",), undoes="a1")
    undone = entry_rows([replace(made, intent=back)], NOON.date())[0]
    assert (undone.verb, undone.kind, undone.name) == ("undo", "campaign", "New (45)")
    created = entry_rows([replace(made, intent=CREATE)], NOON.date())[0]
    assert (created.verb, created.kind) == ("create", "user")


def test_what_was_not_just_done_says_first_how_it_ended() -> None:
    sent = JournalEntry(1, NOON, RENAME, "PUT", "/api/channel/29/update", None)
    settled = Settlement(NOON, True, "Found so.")
    ends = {
        "sending · name → New, color → #AA3355": sent,
        "name → New, color → #AA3355": replace(sent, outcome=Outcome.DONE, message="Channel updated."),
        "rejected · No such color. · name → New, color → #AA3355": replace(
            sent, outcome=Outcome.REJECTED, message="No such color."
        ),
        "confirmed · name → New, color → #AA3355": replace(
            sent, outcome=Outcome.UNKNOWN, message="Lost.", settlement=settled
        ),
    }
    for what, entry in ends.items():
        (row,) = entry_rows([entry], NOON.date())
        assert (row.did, row.what) == ("edit channel", what)


def test_of_a_delete_it_is_told_what_is_lost_and_the_name_once() -> None:
    before = {"type": "bing", "name": "Spring", "tag": "BI-1"}
    lost = WriteIntent("pixels", "delete", (7,), {}, ("Spring",), before)
    entry = JournalEntry(1, NOON, lost, "DELETE", "/api/pixel/7/delete", Outcome.DONE, requests=1)
    (row,) = entry_rows([entry], NOON.date())
    assert (row.name, row.what) == ("Spring (7)", "was Bing, tag BI-1")
    assert [line.title for line in below_its_row(entry_lines(entry), lost)] == [
        *("Type", "Tag", "Outcome", "When", "Request")
    ]


async def test_what_was_changed_is_whole_at_140_columns(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="pixels", size=(140, 40)) as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.open("e")
        await hand.fill({"tag": "A-tag-of-thirty-characters-000"})
        await hand.save()
        await hand.press("w")
        await hand.see("tag → A-tag-of-thirty-characters-000 ")


async def test_who_and_cost_are_columns_only_where_they_tell_something(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="pixels", size=(200, 50)) as driver:
        hand = Hand(driver)
        await driver.settled()
        for tag in ("first", "second"):
            await hand.open("e")
            await hand.fill({"tag": tag})
            await hand.save()
        asked = len(driver.asked)
        await hand.press("w")
        await hand.see("tag → second")
        assert len(driver.asked) == asked
        await resize(driver.pilot, 140, 40)
        heads = next(line for line in driver.lines if "When " in line and "Name" in line)
        assert "Name and what" in heads
        assert "By" not in heads.split()
        assert "Requests" not in heads
        await hand.press("escape", "space", "d")
        await hand.press("y")
        await hand.press("w")
        await hand.see("delete pixel")
        assert re.search(r"Tag +second", driver.text), "of a deleted record all that is kept of it"


async def test_it_is_read_by_keys_without_a_request_or_a_secret_and_leads_to_the_record(
    demo: Running, tmp_path: Path, run_app: RunApp
) -> None:
    store = Store(tmp_path / "state", tmp_path / "cache", "tests")
    recolor = WriteIntent("channels", "update", (28,), {"color": "#AA3355"}, before={})
    done = ((recolor, Outcome.UNKNOWN), (RENAME, Outcome.DONE), (CREATE, Outcome.REJECTED))
    for task, outcome in done:
        written = await store.journal.open_entry(task, "PUT", "/api/somewhere")
        await store.journal.close_entry(written, outcome, "It is said so.")
    await store.close()
    async with run_app(demo, place="channels") as driver:
        hand = Hand(driver)
        await driver.settled()
        asked = driver.asked
        await hand.press("w")
        await hand.see("3 changes")
        await hand.see("rejected")
        assert MASK in driver.text
        assert "geheim" not in driver.text
        assert "Channels › Journal" in driver.lines[0], "what it lies over"
        assert "▌6 Chan" in driver.lines[1]
        await hand.press("space")
        assert driver.toasts[-1].startswith("space works in lists: Select 6 goes to the list")
        await hand.press("f")
        assert driver.toasts[-1] == "The outcome of this change is known: rejected."
        journal = driver.app.screen
        assert isinstance(journal, JournalScreen)
        for key, is_unknown in (("g", False), ("G", True), ("k", False), ("g", False)):
            await hand.press(key)
            assert (journal.standing_of(CHECK.binding) is not None) == is_unknown, key
        await hand.press("j", "enter")
        await hand.see("kept in memory only")
        assert "Old → New" in driver.text, "of an earlier run, what the journal has"
        await hand.press("escape", "y")
        assert await copied(driver, "As a command") == "linkdash update channels 29 name=New 'color=#AA3355'"
        await hand.press("y")
        assert (await copied(driver, "As curl")).endswith(f"{demo.base_url}/api/channel/29/update")
        await hand.press("o")
        await wait_until(lambda: driver.app.current_mode == "channels")
        assert driver.table.cursor_key == 29, "o goes to the record that was changed"
        await hand.press("u")
        assert driver.toasts[-1].endswith("The old color is not known.")
        await hand.press("j", "u")
        assert driver.toasts[-1].endswith("no change to undo.")
        assert driver.asked == asked


async def test_a_change_that_is_on_its_way_ends_where_one_looks(demo: Running, run_app: RunApp) -> None:
    comes = threading.Event()
    demo.service.faults.next("PUT", "/api/pixel/130/update", Fault(meanwhile=lambda: comes.wait(DEADLINE)))
    async with run_app(demo, place="pixels") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.open("e")
        await hand.fill({"name": "Another"})
        await hand.press("ctrl+s", "ctrl+s")
        await wait_until(lambda: len(hand.writes) == 1)
        await hand.press("ctrl+p", *"journal", "enter")
        await hand.see("▶ sending")
        assert "Requests" not in driver.text, "no column for what is not known yet"
        await hand.press("tab")
        details = driver.app.screen.focused
        assert isinstance(details, Details)
        comes.set()
        await hand.see("✓ done")
        assert driver.app.screen.focused is details, "who reads them goes on there"


async def test_u_undoes_the_very_edit_under_the_cursor_and_what_was_edited_since_stays(
    demo: Running, service: Visitor, run_app: RunApp
) -> None:
    before = stored(service, "/api/pixels", 130)
    async with run_app(demo, place="pixels") as driver:
        hand = Hand(driver)
        for texts in ({"tag": "first"}, {"name": "Another"}):
            await driver.settled()
            await hand.open("e")
            await hand.fill(texts)
            await hand.save()
        await hand.press("w")
        await hand.see("2 changes")
        await hand.press("j")
        asked = len(driver.asked)
        question = await hand.ask("u")
        assert "Undo an earlier edit of pixel" in question
        assert "It was changed again since, changed by" in " ".join(question.split())
        assert hand.listed == [f"    Tag: first → {before['tag']}"]
        await hand.press("y")
        await hand.see("3 changes")
        await hand.see("undo")
        assert len(driver.asked) - asked == 2, "one is read and changed"
        after = stored(service, "/api/pixels", 130)
        assert (after["tag"], after["name"]) == (before["tag"], "Another")
        assert driver.toasts[-1].startswith("Undone Another, Tag: first → ")
        asked = len(driver.asked)
        await hand.press("G", "u")
        await wait_until(lambda: driver.toasts[-1].startswith("Nothing to undo"), lambda: repr(driver.toasts))
        assert len(driver.asked) == asked


async def test_what_cannot_be_undone_says_why(demo: Running, run_app: RunApp) -> None:
    whys = {
        "create": "Only a delete undoes it: o goes to the record.",
        "delete": "A delete cannot be undone.",
        "assign": "The service cannot undo an assignment.",
    }
    async with run_app(demo, place="channels") as driver:
        hand = Hand(driver)
        await driver.settled()
        journal = driver.app.session.store.journal
        for action in whys:
            id = await journal.open_entry(WriteIntent("channels", action, (29,), {}), "PUT", "/api/x")
            await journal.close_entry(id, Outcome.DONE)
        refused = await journal.open_entry(RENAME, "PUT", "/api/x")
        await journal.close_entry(refused, Outcome.REJECTED)
        unknown = await journal.open_entry(RENAME, "PUT", "/api/x")
        await journal.close_entry(unknown, Outcome.UNKNOWN)
        await journal.open_entry(RENAME, "PUT", "/api/x")
        await hand.press("w")
        await hand.see("6 changes")
        told = []
        for _ in range(6):
            await hand.press("u", "j")
            told.append(driver.toasts[-1])
        assert told == [
            "It is still being sent.",
            "It is not known whether this was done: f checks.",
            "There is nothing to undo: rejected.",
            *reversed(whys.values()),
        ]
