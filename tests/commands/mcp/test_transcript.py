"""Ten tasks as an agent does them, from the first call to the answer.

With LINKDASH_TRANSCRIPT=FILE the calls and answers are written there, to be read.
"""

import asyncio
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pytest

from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from tests.commands.mcp.client import Answered, Asked, Caller, connected
from tests.commands.past import daily, keep

_SHOWN = 1_200
"""Characters of an answer in the transcript."""


class Transcript:
    """A caller of tools that notes what was said."""

    def __init__(self, call: Caller, person: Asked) -> None:
        self._call = call
        self._person = person
        self._lines = [f"instructions:\n{call.client.instructions}\n"]

    def task(self, words: str) -> None:
        """The task that the agent was given."""
        self._lines.append(f"\n## {words}\n")

    async def __call__(self, tool: str, **arguments: object) -> Answered:
        """Call a tool."""
        asked = len(self._person.questions)
        answer = await self._call(tool, **arguments)
        self._lines.append(f"-> {tool} {json.dumps(arguments)}")
        self._lines += [f"   the person is asked: {said!r}" for said in self._person.questions[asked:]]
        more = f"… ({len(answer.text):,} characters)" if len(answer.text) > _SHOWN else ""
        self._lines.append(f"<- {'ERROR ' if answer.is_error else ''}{answer.text[:_SHOWN]}{more}")
        return answer

    def write(self) -> None:
        """Write it where it is wanted."""
        if path := os.environ.get("LINKDASH_TRANSCRIPT"):
            Path(path).write_text("\n".join(self._lines) + "\n")


def rows(value: object) -> list[dict[str, object]]:
    return cast("list[dict[str, object]]", value)


@pytest.fixture
def person() -> Asked:
    return Asked()


async def test_ten_tasks(service: Running, person: Asked) -> None:
    countries = [{"Norway": 5 * day, "Peru": 2 * day} for day in range(1, 8)]
    countries += [{"Norway": 35, "Peru": 14 + 2 * day} for day in range(1, 8)]
    past = {7: daily([40] * 7 + [12] * 7, countries), 9: daily([10] * 14), 11: daily([5] * 7 + [25] * 7)}
    await asyncio.to_thread(keep, service, past)
    async with connected(service, "--writes", person=person) as call:
        say = Transcript(call, person)
        await _read(say)
        await _change(say, service)
        say.write()


async def _read(say: Transcript) -> None:
    say.task("1. How much of the budget is left?")
    assert not (await say("budget")).is_error

    say.task("2. Which codes fell this week, and why?")
    fell = await say("report", days=7, order="fell")
    assert [code["id"] for code in rows(fell["codes"])] == [7]
    totals = cast("Mapping[str, Mapping[str, int]]", rows(fell["codes"])[0]["totals"])
    assert totals["scans"]["percent"] == -70

    say.task("3. Read codes 7 and 9 anew.")
    assert len(rows((await say("statistics", ids=[7, 9, 99_999]))["codes"])) == 2

    say.task("4. Find pixels of Bing, in two pieces.")
    first = await say("list_records", resource="pixels", filter="type:bing", limit=3, max_requests=2)
    then = await say(
        "list_records", resource="pixels", filter="type:bing", limit=3, cursor=first["next_cursor"]
    )
    assert not {row["id"] for row in rows(first["records"])} & {row["id"] for row in rows(then["records"])}

    say.task("5. Who expires within a month?")
    findings = rows((await say("review_users", limit=3))["findings"])
    assert {row["finding"] for row in findings} >= {"expired, still pro", "expires within 30 days"}


async def _change(say: Transcript, service: Running) -> None:
    say.task("6. Renew user 31 for a month.")
    renewed = await say("subscribe_user", user=31, plan=2, term="monthly")
    assert renewed["state"] == "sent"

    say.task("7. Rename pixel 5, its tag stays.")
    before = cast("dict[str, object]", (await say("get_record", resource="pixels", id=5))["record"])
    await say("update_record", resource="pixels", id=5, members={"name": "Renamed by an agent"})
    after = cast("dict[str, object]", (await say("get_record", resource="pixels", id=5))["record"])
    assert (after["name"], after["tag"]) == ("Renamed by an agent", before["tag"])

    say.task("8. Put codes 7 and 9 into channel 2.")
    await say("assign_items", target="channel", id=2, type="qr", ids=[7, 9])
    items = rows((await say("list_channel_items", channel=2, limit=100))["records"])
    assert {7, 9} <= {item["id"] for item in items if item["type"] == "qr"}

    say.task("9. Delete two pixels; the answer to the second is lost.")
    service.service.faults.next("DELETE", "/api/pixel/15/delete", Fault(drop=True))
    deleted = await say("delete_records", resource="pixels", ids=[14, 15])
    assert [change["outcome"] for change in rows(deleted["changes"])] == ["done", "unknown"]
    (unknown,) = rows((await say("journal", only_unknown=True))["changes"])
    await say("settle_change", id=unknown["id"])

    say.task("10. A mistake is told in plain words, and corrected.")
    wrong = await say("list_records", resource="qrs", limt=1)
    assert wrong.is_error
    assert "limt: unknown (did you mean limit?)" in wrong.text
    assert len(rows((await say("list_records", resource="qr", limit=1))["records"])) == 1
