"""The tools that change something: the user is asked first, in both eras of the protocol, and once each."""

import asyncio
from collections.abc import Callable, Mapping
from typing import cast

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitRequestParams, ElicitResult, ErrorData, InputRequiredResult, InputResponses

from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from tests.commands.mcp.client import Answered, Asked, Era, connected
from tests.service.visitor import Visitor
from tests.service.writes import writes

ERAS: tuple[Era, ...] = ("legacy", "auto")
NO = (
    ElicitResult(action="decline"),
    ElicitResult(action="cancel"),
    ElicitResult(action="accept", content={"send": False}),
    ElicitResult(action="accept", content={}),
    ElicitResult(action="accept"),
)


def outcomes(answer: Answered) -> list[object]:
    return [change["outcome"] for change in cast("list[Mapping[str, object]]", answer["changes"])]


def name_of(service: Running, pixel: int) -> str:
    with Visitor(service, service.api_key) as admin:
        pages = [admin.read(f"/api/pixels?limit=100&page={page}")["data"]["pixels"] for page in (1, 2)]
    return str(next(row["name"] for page in pages for row in page if row["id"] == pixel))


@pytest.mark.parametrize("era", ERAS)
async def test_a_person_is_asked_and_then_it_is_sent_once(service: Running, era: Era) -> None:
    person, before = Asked(), len(writes(service))
    async with connected(service, "--writes", era=era, person=person) as call:
        answer = await call(
            "update_record", resource="pixels", id=5, members={"name": f"Named by a program, {era}"}
        )
    assert (answer["state"], outcomes(answer)) == ("sent", ["done"])
    assert writes(service)[before:] == ["PUT /api/pixel/5/update"]
    (question,) = person.questions
    assert question.startswith("Edit pixel 5 (")
    assert f"→ Named by a program, {era}" in question
    assert "PUT /api/pixel/5/update" in question
    assert "2 requests, now" in question
    assert name_of(service, 5) == f"Named by a program, {era}"


@pytest.mark.parametrize("era", ERAS)
async def test_whatever_is_no_yes_sends_nothing(service: Running, era: Era) -> None:
    person, before = Asked(), len(writes(service))
    async with connected(service, "--writes", era=era, person=person) as call:
        for said in NO:
            person.answers = said
            answer = await call("delete_records", resource="pixels", ids=[8, 9])
            assert (answer["state"], answer["left"], answer["token"]) == ("declined", 2, None)
    assert writes(service)[before:] == []
    assert len(person.questions) == len(NO)
    assert person.questions[0].startswith("Delete 2 pixels\n")


@pytest.mark.parametrize("era", ERAS)
async def test_where_nobody_can_be_asked_a_token_is_good_once(service: Running, era: Era) -> None:
    before = len(writes(service))
    async with connected(service, "--writes", era=era) as call:
        shown = await call("delete_records", resource="pixels", ids=[30 if era == "auto" else 31])
        assert (shown["state"], shown["changes"]) == ("needs_confirmation", [])
        (request,) = cast("list[str]", shown["requests"])
        assert request.startswith("DELETE /api/pixel/3")
        assert writes(service)[before:] == []
        assert "unknown, used up" in await call.refused("confirm_change", token="guessed")
        made = await call("confirm_change", token=shown["token"])
        assert outcomes(made) == ["done"]
        assert "unknown, used up" in await call.refused("confirm_change", token=shown["token"])
    assert writes(service)[before:] == [request]


@pytest.mark.parametrize("era", ERAS)
async def test_no_token_goes_round_a_person_who_can_be_asked(service: Running, era: Era) -> None:
    person, before = Asked(ElicitResult(action="decline")), len(writes(service))
    async with connected(service, "--writes", era=era, person=person) as call:
        answer = await call("delete_records", resource="pixels", ids=[12])
        assert answer["token"] is None
        for guessed in ("", "guessed"):
            await call.refused("confirm_change", token=guessed)
    assert writes(service)[before:] == []


YES: InputResponses = {"agree": ElicitResult(action="accept", content={"send": True})}


async def test_the_newest_protocol_cannot_make_up_what_was_asked(service: Running) -> None:
    person, before = Asked(), len(writes(service))
    async with connected(service, "--writes", person=person) as call:
        for state in ("guessed", ""):
            with pytest.raises(MCPError, match="requestState"):
                await call.client.session.call_tool(
                    "delete_records",
                    {"resource": "pixels", "ids": [13]},
                    request_state=state,
                    input_responses=YES,
                )
    assert writes(service)[before:] == []


async def test_what_a_person_has_said_is_good_once(service: Running) -> None:
    """Also where the client calls again with the same answer because it has heard nothing."""
    wanted: dict[str, object] = {"resource": "pixels", "ids": [64]}
    before = len(writes(service))
    async with connected(service, "--writes", person=Asked()) as call:
        ask = call.client.session.call_tool
        asked = await ask("delete_records", wanted, allow_input_required=True)
        assert isinstance(asked, InputRequiredResult)
        said = [
            ask("delete_records", wanted, request_state=asked.request_state, input_responses=YES)
            for _ in range(3)
        ]
        answers = await asyncio.gather(*said)
    assert sorted(answer.is_error for answer in answers) == [False, True, True]
    assert writes(service)[before:] == ["DELETE /api/pixel/64/delete"]


async def test_no_line_of_a_question_is_long_enough_to_hide_the_next(service: Running) -> None:
    person = Asked(ElicitResult(action="decline"))
    async with connected(service, "--writes", person=person) as call:
        await call(
            "update_record", resource="pixels", id=62, members={"name": "A" * 20_000, "tag": "Hidden?"}
        )
    (question,) = person.questions
    assert "Tag: " in question
    assert max(map(len, question.splitlines())) < 600


async def test_of_calls_at_once_with_one_token_one_is_sent(service: Running) -> None:
    before = len(writes(service))
    async with connected(service, "--writes") as call:
        shown = await call("delete_records", resource="pixels", ids=[63])
        confirmed = [call("confirm_change", token=shown["token"]) for _ in range(5)]
        answers = await asyncio.gather(*confirmed)
    assert sorted(answer.is_error for answer in answers) == [False, True, True, True, True]
    assert writes(service)[before:] == ["DELETE /api/pixel/63/delete"]


async def test_what_is_wrong_is_told_before_anybody_is_asked(service: Running) -> None:
    refused: list[tuple[str, dict[str, object], str]] = [
        ("create_record", {"resource": "pixels", "members": {"type": "bing"}}, "name: required."),
        (
            "create_record",
            {"resource": "qr", "members": {"type": "phone", "data": "call us"}},
            "use a phone number",
        ),
        (
            "update_record",
            {"resource": "qr", "id": 1, "members": {"data": {"ssid": "x"}}},
            "password: an encrypted",
        ),
        ("create_record", {"resource": "plans", "members": {}}, "resource: must be one of"),
        ("create_record", {"resource": "pixels", "members": {"typ": "bing"}}, "required"),
        ("update_record", {"resource": "pixels", "members": {"name": "x"}}, "id is missing."),
        ("update_record", {"resource": "pixels", "id": 1, "members": {}}, "members is empty."),
        ("update_record", {"resource": "pixels", "id": 9_999, "members": {"name": "x"}}, "no pixel 9999"),
        ("delete_records", {"resource": "pixels", "ids": []}, "ids: needs 1 or more."),
        ("delete_records", {"resource": "pixels", "ids": [True]}, "ids.0: must be a whole number."),
        ("delete_records", {"resource": "pixels", "ids": "[" * 100_000}, "ids: must be a list."),
        ("create_record", {"resource": "pixels", "members": '{"a":' * 50_000}, "members: must be"),
        ("delete_records", {"resource": "account", "ids": [1]}, "resource: must be one of"),
        (
            "assign_items",
            {"target": "campaign", "id": 1, "type": "qr", "ids": [1]},
            "type must be links for a campaign.",
        ),
        ("subscribe_user", {"user": 3, "plan": 2, "term": "weekly"}, "term: must be one of 'monthly'"),
    ]
    person, before = Asked(), len(writes(service))
    async with connected(service, "--writes", person=person) as call:
        for tool, given, words in refused:
            assert words in await call.refused(tool, **given)
    assert person.questions == []
    assert writes(service)[before:] == []


async def test_items_are_assigned_and_users_subscribed(service: Running) -> None:
    person, before = Asked(), len(writes(service))
    async with connected(service, "--writes", person=person) as call:
        assigned = await call("assign_items", target="channel", id=1, type="qr", ids=[3, 4, 4])
        linked = await call("assign_items", target="campaign", id=2, type="links", ids=[7])
        subscribed = await call("subscribe_user", user=3, plan=2, term="monthly")
        created = await call(
            "create_record", resource="pixels", members={"type": "bing", "name": "Made", "tag": "12345678"}
        )
    assert [outcomes(answer) for answer in (assigned, linked, subscribed)] == [
        ["done", "done"],
        ["done"],
        ["done"],
    ]
    assert cast("list[dict[str, int]]", created["changes"])[0]["id"] > 130
    assert writes(service)[before:] == [
        "POST /api/channel/1/assign/qr/3",
        "POST /api/channel/1/assign/qr/4",
        "POST /api/campaign/2/assign/7",
        *[path for path in writes(service)[before:] if "/plan/" in path],
        "POST /api/pixel/add",
    ]
    assert len(person.questions) == 4
    plan, *others = person.questions[2].splitlines()[1:]
    assert plan.startswith("Plan: ")
    assert any(line.startswith("Until: ") for line in others), "from and to, before it is agreed to"


async def test_after_an_unknown_outcome_the_rest_is_sent(service: Running) -> None:
    service.service.faults.next("DELETE", "/api/pixel/21/delete", Fault(drop=True))
    async with connected(service, "--writes", person=Asked()) as call:
        answer = await call("delete_records", resource="pixels", ids=[20, 21, 22])
        assert (outcomes(answer), answer["left"]) == (["done", "unknown", "done"], 0)
        unknown = cast("list[dict[str, int]]", (await call("journal", only_unknown=True))["changes"])
        settled = await call("settle_change", id=unknown[0]["id"])
        assert settled["happened"] in (True, None)


class Meanwhile(Asked):
    """A person who takes so long to answer that somebody else changes the record before the first answer."""

    def __init__(self, service: Running, id: int, **members: str) -> None:
        super().__init__()
        self._service, self._id, self._members = service, id, members

    async def __call__(self, context: object, params: ElicitRequestParams) -> ElicitResult | ErrorData:
        if not self.questions:
            set_by_another(self._service, self._id, **self._members)
        return await super().__call__(context, params)


def set_by_another(service: Running, id: int, **members: str) -> None:
    with Visitor(service, service.api_key) as other:
        other.write("PUT", f"/api/pixel/{id}/update", members)


def pixel(service: Running, id: int) -> tuple[str, str]:
    with Visitor(service, service.api_key) as other:
        pages = [other.read(f"/api/pixels?limit=100&page={page}")["data"]["pixels"] for page in (1, 2)]
    return next((row["name"], row["tag"]) for page in pages for row in page if row["id"] == id)


@pytest.mark.parametrize("era", ERAS)
async def test_what_changed_after_the_question_is_asked_about_anew(service: Running, era: Era) -> None:
    id = 71 if era == "auto" else 72
    set_by_another(service, id, name="Was", tag="11111111")
    person = Meanwhile(service, id, name="Theirs", tag="22222222")
    before = len(writes(service))
    async with connected(service, "--writes", era=era, person=person) as call:
        answer = await call("update_record", resource="pixels", id=id, members={"name": "Mine"})
    assert (answer["state"], outcomes(answer)) == ("sent", ["done"])
    first, second = person.questions
    assert "Name: Was → Mine" in first
    assert "changed on the service since" in second
    assert "Name: Was → Theirs → Mine" in second
    assert pixel(service, id) == ("Mine", "22222222")
    assert len(writes(service)) == before + 2, "theirs, and then the one"


@pytest.mark.parametrize("era", ERAS)
async def test_a_token_is_for_what_was_shown_and_for_nothing_else(service: Running, era: Era) -> None:
    id = 73 if era == "auto" else 74
    set_by_another(service, id, name="Was", tag="11111111")
    async with connected(service, "--writes", era=era) as call:
        shown = await call("update_record", resource="pixels", id=id, members={"name": "Mine"})
        assert "    Name: Was → Mine" in cast("list[str]", shown["details"])
        set_by_another(service, id, name="Theirs", tag="22222222")
        again = await call("confirm_change", token=shown["token"])
        assert (again["state"], pixel(service, id)) == ("needs_confirmation", ("Theirs", "22222222"))
        assert "Name: Was → Theirs → Mine" in cast("list[str]", again["details"])
        await call.refused("confirm_change", token=shown["token"])
        assert outcomes(await call("confirm_change", token=again["token"])) == ["done"]
    assert pixel(service, id) == ("Mine", "22222222")


@pytest.mark.parametrize("era", ERAS)
async def test_what_is_deleted_is_what_was_shown(service: Running, era: Era) -> None:
    first, second = (75, 76) if era == "auto" else (77, 78)
    for id in (first, second):
        set_by_another(service, id, name="Was", tag="11111111")
    person = Meanwhile(service, second, name="Needed again", tag="11111111")
    before = len(writes(service))
    async with connected(service, "--writes", era=era, person=person) as call:
        await call("list_records", resource="pixels", limit=100)
        answer = await call("delete_records", resource="pixels", ids=[first, second])
    assert (answer["state"], outcomes(answer)) == ("sent", ["done", "done"])
    assert f"pixel {second} (Was): changed on the service since" in person.questions[1]
    assert "Name Was → Needed again" in person.questions[1]
    assert len(person.questions) == 2
    assert [path.split()[0] for path in writes(service)[before:]] == ["PUT", "DELETE", "DELETE"]


class Slow(Asked):
    """A person who takes so long for each answer that something happens before it."""

    def __init__(self, *happens: Callable[[], object]) -> None:
        super().__init__()
        self._happens = iter(happens)

    async def __call__(self, context: object, params: ElicitRequestParams) -> ElicitResult | ErrorData:
        next(self._happens)()
        return await super().__call__(context, params)


async def test_of_many_only_what_was_asked_about_is_replaced(service: Running) -> None:
    first, second = 81, 82
    for id in (first, second):
        set_by_another(service, id, name="Was", tag="11111111")

    def rename(name: str, *ids: int) -> None:
        for id in ids:
            set_by_another(service, id, name=name, tag="11111111")

    person = Slow(
        lambda: rename("Theirs", first, second), lambda: rename("Theirs, later", first), lambda: None
    )
    async with connected(service, "--writes", person=person) as call:
        await call("list_records", resource="pixels", limit=100)
        answer = await call("delete_records", resource="pixels", ids=[first, second])
    assert (answer["state"], outcomes(answer)) == ("sent", ["done", "done"])
    assert [question.count("Name Was → Theirs.") for question in person.questions] == [0, 2, 0]
    assert person.questions[2].count("Name Was → Theirs, later.") == 1


async def test_nothing_is_asked_about_what_was_cut_short(service: Running) -> None:
    first, second, third = ids = 83, 84, 85
    for id in ids:
        set_by_another(service, id, name="Was", tag="11111111")
    refused = Fault(handled=False, status=401)
    service.service.faults.next("DELETE", f"/api/pixel/{second}/delete", refused)
    person = Meanwhile(service, first, name="Theirs", tag="11111111")
    async with connected(service, "--writes", person=person) as call:
        await call("list_records", resource="pixels", limit=100)
        answer = await call("delete_records", resource="pixels", ids=[*ids])
    assert (answer["state"], answer["left"], len(person.questions)) == ("sent", 3, 1)
    assert pixel(service, third) == ("Was", "11111111")


async def test_of_two_jobs_at_once_the_second_says_that_nothing_of_it_was_sent(service: Running) -> None:
    before = len(writes(service))
    async with connected(service, "--writes") as call:
        asked = [await call("delete_records", resource="pixels", ids=[*ids]) for ids in ((91, 92), (93, 94))]
        answers = [call("confirm_change", token=one["token"]) for one in asked]
        done, refused = sorted(await asyncio.gather(*answers), key=lambda answer: answer.is_error)
    assert outcomes(done) == ["done", "done"]
    assert "Nothing was sent." in refused.text
    assert len(writes(service)) == before + 2


async def test_a_refused_delete_tells_since_when_by_the_look_and_not_by_the_proposal(
    service: Running,
) -> None:
    id = 96
    person = Meanwhile(service, id, name="Theirs", tag="11111111")
    proposed_in_8000 = """
from linkdash.model.session_services import SessionServices as S
read = S.moment
S.moment = lambda self: read(self).replace(year=8000)
"""
    async with connected(service, "--writes", person=person, prepared=proposed_in_8000) as call:
        await call("list_records", resource="pixels", limit=100)
        await call("delete_records", resource="pixels", ids=[id])
    assert "changed on the service since " in person.questions[1]
    assert "since 8000" not in person.questions[1]
