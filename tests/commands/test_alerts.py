"""`alerts`: raised once, told once, and status 5."""

import pytest

from linkdash.demo.server import Running
from linkdash.model.configuration_file import configuration_path
from tests.commands.past import daily, keep
from tests.commands.shell import Here

QUIET = [5, *[0] * 8]
BUSY = [5] * 9


@pytest.fixture
def here(service: Running, capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(service, capsys)


def configure(text: str) -> None:
    path = configuration_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_a_rule_about_no_known_code_is_told(here: Here, service: Running) -> None:
    configure('[alerts.quiet]\nwhen = "silent 7d"\ncodes = [1, 77, "Flier"]\n')
    assert here("alerts", "--check").told == "", "where no code is known, none is missed"
    keep(service, {1: daily(BUSY)})
    ran = here("alerts", "--check")
    assert (ran.status, ran.told) == (0, "linkdash: Alert quiet: no loaded QR code matches 77, Flier.\n")


def test_an_alert_is_told_once_and_again_after_it_ceased(here: Here, service: Running) -> None:
    configure('[alerts.quiet]\nwhen = "silent 7d"\n')
    keep(service, {1: daily(QUIET), 2: daily(BUSY)})
    before = len(service.service.log)
    ran = here("alerts", "--check", "--format", "jsonl")
    assert (ran.status, [line["subject"] for line in ran.lines]) == (5, ["qr 1"])
    assert ran.told == "linkdash: Alert quiet: QR code 1: no scans in the last 7 days\n"
    again = here("alerts", "--check", "--format", "jsonl")
    assert (again.status, again.out, again.told) == (5, ran.out, "")
    assert here("alerts", "--format", "jsonl").out == ran.out
    configure('[alerts.quiet]\nwhen = "silent 7d"\ncodes = [2]\n')
    ceased = here("alerts", "--check", "--format", "jsonl")
    assert (ceased.status, ceased.out, ceased.told) == (0, "", "")
    configure('[alerts.quiet]\nwhen = "silent 7d"\n')
    assert "Alert quiet" in here("alerts", "--check").told
    assert len(service.service.log) == before


def test_users_cost_a_request_and_only_where_a_rule_is_about_them(here: Here, service: Running) -> None:
    configure('[alerts]\nsoon.when = "user expires 52w"\n')
    before = len(service.service.log)
    ran = here("alerts", "--check", "--format", "jsonl")
    assert ran.status == 5
    assert {str(line["subject"]).split()[0] for line in ran.lines} == {"user"}
    assert len(service.service.log) == before + 1


def test_a_view_that_finds_something_raises_one_alert(here: Here, service: Running) -> None:
    configure('[alerts]\nover.when = "view expired, still pro"\ntypo.when = "view expired"\n')
    before = len(service.service.log)
    ran = here("alerts", "--check", "--format", "jsonl")
    (line,) = ran.lines
    assert (ran.status, line["rule"], line["subject"]) == (5, "over", "users")
    assert "users expired, still pro: " in str(line["message"])
    assert "Alert typo: no list has a view expired." in ran.told
    assert len(service.service.log) == before + 1
    configure('[alerts]\nover.when = "view twins"\n')
    assert here("alerts", "--check").status == 0, "nothing is kept of pixels"


def test_what_is_left_is_known_without_a_request(here: Here, service: Running) -> None:
    configure('[alerts]\nfew.when = "requests left < 100000"\n')
    assert here("alerts", "--check").status == 0
    here("list", "pixels")
    before = len(service.service.log)
    ran = here("alerts", "--check", "--format", "jsonl")
    assert (ran.status, [line["subject"] for line in ran.lines]) == (5, ["requests"])
    assert len(service.service.log) == before


def test_collect_raises_what_it_finds(here: Here, service: Running) -> None:
    configure('[alerts]\nquiet.when = "silent 7d"\n')
    keep(service, {399: daily(QUIET)})
    ran = here("collect", "--qr", "10")
    assert ran.status == 0
    assert "linkdash: Alert quiet: QR code 399: no scans in the last 7 days\n" in ran.told
    assert here("alerts").status == 5


def test_a_wrong_rule_is_told_by_its_line_and_the_others_work(here: Here, service: Running) -> None:
    configure('[alerts.bad]\nwhen = "scans drop a lot"\n\n[alerts.quiet]\nwhen = "silent 7d"\n')
    keep(service, {1: daily(QUIET)})
    ran = here("alerts", "--check", "--format", "jsonl")
    assert (ran.status, [line["rule"] for line in ran.lines]) == (5, ["quiet"])
    assert "config.toml, line 2: alerts.bad" in ran.told
    assert "is not a rule; use one of: scans drop 50% in 7d" in ran.told
    configure('[alerts.few]\nwhen = "requests left < 5"\ncodes = [1]\n')
    assert "codes work only with rules about QR codes" in here("alerts", "--check").told


def test_no_rule_says_how_to_write_one(here: Here) -> None:
    ran = here("alerts", "--check")
    assert (ran.status, ran.out) == (1, "")
    assert 'alerts.quiet.when = "silent 7d"' in ran.told
