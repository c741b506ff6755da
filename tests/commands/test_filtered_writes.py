"""`update` and `delete` with --filter: quoted, counted, asked, and sent once each."""

import pytest

from linkdash.commands.completion import candidates
from linkdash.demo.server import Running
from tests.commands.shell import Here
from tests.commands.test_completion import own
from tests.service.writes import writes


@pytest.fixture
def here(service: Running, capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(service, capsys)


def test_every_match_is_changed_and_counted_before(here: Here, service: Running) -> None:
    before = writes(service)
    there = [row["type"] for row in here("list", "pixels", "--all", "--format", "jsonl").lines]
    count = there.count("bing")
    many = here("delete", "pixels", "--filter", "!type:bing")
    named = many.told.partition("match: ")[2].partition(" and ")
    assert len(named[0].split("), pixel ")) == 10
    assert named[2].startswith(f"{len(there) - count - 10} more.")
    asked = here("update", "pixels", "--filter", "type:bing", "name=By a filter")
    assert asked.status == 2
    assert f"{count} of {len(there)} pixels match: pixel " in asked.told
    assert f"Confirmation is needed to edit {count} pixels. Add --yes" in asked.told
    dry = here("update", "pixels", "--filter", "type:bing", "name=By a filter", "--dry-run")
    assert len(dry.out.splitlines()) == count
    assert writes(service) == before
    ran = here("update", "pixels", "name=By a filter", "--filter", "type:bing", "--yes")
    assert (ran.status, len(ran.lines)) == (0, count)
    assert ran.told.endswith(f"Finished: {count} done.\n")
    assert len(writes(service)) == len(before) + count
    again = here("update", "pixels", "--filter", "type:bing", "name=By a filter", "--yes")
    assert "All of them have this already." in again.told
    assert len(writes(service)) == len(before) + count


def test_every_match_is_deleted(here: Here, service: Running) -> None:
    before = len(writes(service))
    assert here("delete", "pixels", "--filter", "type:reddit").status == 2
    assert len(writes(service)) == before
    ran = here("delete", "pixels", "--filter", "type:reddit", "--yes")
    assert ran.status == 0
    assert len(writes(service)) == before + len(ran.lines) > before
    none = here("delete", "pixels", "--filter", "type:reddit", "--yes")
    assert (none.status, none.out) == (0, "")
    assert "No pixel matches" in none.told


def test_what_names_nothing_or_too_much_is_refused(here: Here, service: Running) -> None:
    before = len(service.service.log)
    for line in (
        "delete pixels",
        "delete pixels 1 --filter type:bing --yes",
        "delete pixels --filter= --yes",
        "delete pixels --filter ! --yes",
        'delete pixels --filter "" --yes',
        "delete pixels --filter ~ --yes",
        "delete pixels --filter !date:12/31/24 --yes",
        "delete pixels --filter !name=x --yes",
        "delete plans --filter x --yes",
        "update pixels --filter type:bing",
        "update pixels --filter nosuch:x name=y --yes",
        "update account --filter x email=a@b.example",
        "update pixels",
    ):
        ran = here(*line.split())
        assert ran.status == 2, (line, ran.told)
    assert len(service.service.log) == before


def test_a_name_is_found_however_its_letters_are_put_together(here: Here, service: Running) -> None:
    apart = "Tre\N{COMBINING ACUTE ACCENT}sor West"
    assert here("create", "channels", f"name={apart}").status == 0
    for asked in ("trésor", "name:TRÉSOR"):
        found = here("list", "channels", "--filter", asked, "--format", "jsonl").lines
        assert [line["name"] for line in found] == [apart]
    assert apart not in here("delete", "channels", "--filter", "!trésor", "--dry-run").told
    typed = ["delete", "channels", "tr\N{LATIN SMALL LETTER E WITH ACUTE}s"]
    assert [line.partition("\t")[2] for line in candidates(typed, own(service))] == [apart]


def test_a_password_that_many_are_to_get_is_refused_in_a_sentence(here: Here, service: Running) -> None:
    before = len(writes(service))
    wifi = 'data={"ssid": "Guests", "encryption": "WPA", "password": "correct horse"}'
    ran = here("update", "qr", "--filter", "id<4", wifi, "--yes")
    assert (ran.status, len(writes(service))) == (3, before)
    assert "A password cannot be sent to several records as one job" in ran.told


@pytest.mark.parametrize("spelling", ["true", "yes", "on", "1"])
def test_a_switch_is_read_alike_for_one_and_for_many(here: Here, spelling: str) -> None:
    for which in (["3"], ["--filter", "id:3"]):
        ran = here("update", "channels", *which, f"starred={spelling}", "--dry-run")
        assert (ran.status, '"starred": true' in ran.out) == (0, True), ran.told
