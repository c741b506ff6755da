"""`review` and `list --view`: the findings of the lists, as the service and the history tell them."""

import pytest

from linkdash.demo.server import Running
from linkdash.model.declaration import declarations
from tests.commands.shell import Here


@pytest.fixture
def here(service: Running, capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(service, capsys)


def counts(here: Here, *arguments: str) -> dict[object, object]:
    ran = here("review", *arguments, "--format", "jsonl")
    return {(line["list"], line["finding"]): line["count"] for line in ran.lines}


def test_a_list_is_loaded_and_nothing_else_and_then_all_is_told_of_what_is_kept(
    here: Here, service: Running
) -> None:
    assert here("review").status == 1, "nothing is kept"
    before = len(service.service.log)
    here("list", "plans")
    ran = here("review", "users", "--format", "jsonl")
    assert len(service.service.log) == before + 2
    assert service.plain_key not in ran.out
    told = {line["finding"]: line for line in ran.lines}
    for name, filter in (
        ("expired, still pro", "status:pro expires<0d"),
        ("pro, never expires", "status:pro"),
    ):
        ids = {row["id"] for row in here("list", "users", "--filter", filter, "--format", "jsonl").lines}
        found = told[name]["ids"]
        assert isinstance(found, list)
        assert told[name]["count"] == len(found)
        assert ids.issuperset(found)
    before = len(service.service.log)
    again = here("review")
    assert "Users: stored" in again.told
    assert len(service.service.log) == before
    assert "expired, still pro" in again.out


def test_findings_of_what_was_planted(here: Here) -> None:
    for name in ("Twin", "Another"):
        here("create", "pixels", "type=bing", f"name={name}", "tag=61239999")
    assert counts(here, "pixels")["pixels", "twins"] == 2
    shown = here("list", "pixels", "--view", "twins", "--format", "jsonl")
    assert {row["name"] for row in shown.lines} == {"Twin", "Another"}
    here("create", "domains", "domain=https://bare.example.org")
    named = here("list", "domains", "--view", "no redirect", "--format", "jsonl").lines
    assert "https://bare.example.org" in {row["domain"] for row in named}
    rotators = here("list", "campaigns", "--filter", 'rotator:""', "--format", "jsonl").lines
    empty = counts(here, "campaigns")["campaigns", "empty"]
    assert empty == len(rotators)
    here("assign", "campaign", str(rotators[0]["id"]), "1")
    assert counts(here, "campaigns")["campaigns", "empty"] == len(rotators) - 1
    made = here(
        "create",
        "qr",
        "type=link",
        "data=https://a.example/",
        "foreground=#777777",
        "background=#888888",
        "--yes",
    )
    assert made.status == 0, made.told
    assert counts(here, "qr")["qr", "weak contrast"] == 1


def test_what_lies_in_other_lists_is_known_once_these_are_loaded(here: Here) -> None:
    here("list", "channels", "--limit", "1")
    assert counts(here, "qr")["qr", "in no channel"] is None
    assert counts(here, "channels")["channels", "empty"] is None


def test_a_view_that_there_is_not(here: Here) -> None:
    ran = here("list", "users", "--view", "expired")
    assert ran.status == 2
    assert "expired, still pro" in ran.told


def test_every_finding_has_a_meaning_in_its_list(here: Here) -> None:
    wrong = [
        (resource.id, one.filter)
        for resource in declarations()
        for one in resource.findings
        if here("list", resource.id, "--view", one.name, "--cached").status == 2
    ]
    assert wrong == []
