"""`metrics`: what is kept, as Prometheus' own parser reads it; a whole file; a scrape that asks nobody."""

import json
import os
import re
import signal
import socket
import stat
import urllib.request
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

import linkdash
from linkdash.api.budget.scheduler import BudgetState
from linkdash.demo.server import Running
from linkdash.model.insight.metrics import MOST_CODES, Kept, metrics_text
from linkdash.store.alerts import Alert
from linkdash.store.reading import Reading
from tests.commands.past import daily, keep
from tests.commands.shell import Here, start
from tests.commands.test_alerts import configure

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
BUDGET = BudgetState(30, 24, 24, False, 42.0, 60.0, 0, (), 8.0, None, 2)
Samples = dict[tuple[str, tuple[str, ...]], float]


@pytest.fixture
def here(service: Running, capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(service, capsys)


def samples(text: str) -> Samples:
    """Every sample, by its name and the values of its labels."""
    return {
        (sample.name, tuple(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def kept(
    codes: dict[int, Reading], names: dict[int, str] | None = None, budget: BudgetState = BUDGET
) -> Kept:
    alerts = [Alert("quiet", f"qr {id}", "", NOW) for id in (1, 2)]
    return Kept(NOW.timestamp(), {"profile": "p"}, codes, names or {}, budget, alerts, [], NOW)


def test_numbers_are_those_that_are_kept_and_cost_nothing(here: Here, service: Running) -> None:
    listed = here("list", "users", "--format", "jsonl").lines
    keep(service, {1: daily([5] * 9), 2: daily([7] * 9)})
    before = len(service.service.log)
    ran = here("metrics")
    assert (ran.status, ran.told) == (0, "")
    found = samples(ran.out)
    assert found["linkdash_qr_scans", ("1", "")] == 45
    assert found["linkdash_qr_clicks", ("2", "")] == 63
    assert found["linkdash_codes", ()] == 2
    assert 0 < found["linkdash_qr_reading_age_seconds", ("1", "")] < 2 * 86_400
    states = {labels[0]: value for (name, labels), value in found.items() if name == "linkdash_users"}
    assert sum(states.values()) == len(listed)
    assert found["linkdash_budget_limit", ()] == 100_000
    assert len(service.service.log) == before
    assert service.api_key not in ran.out


def test_what_is_not_known_is_no_zero() -> None:
    unknown = BudgetState(None, None, None, True, None, None, 0, (), None, None)
    found = samples(metrics_text(kept({1: Reading(NOW, scans=3)}, budget=unknown)))
    assert ("linkdash_qr_scans", ("1", "")) in found
    assert ("linkdash_qr_clicks", ("1", "")) not in found
    assert ("linkdash_budget_left", ()) not in found
    assert not [name for name, _ in found if name.startswith("linkdash_users")]


def test_refusals_and_alerts_are_told() -> None:
    found = samples(metrics_text(kept({})))
    assert found["linkdash_budget_refused", ()] == 2
    assert found["linkdash_budget_paused_seconds", ()] == 8
    assert found["linkdash_alerts_raised", ("quiet",)] == 2


def test_labels_are_bounded_and_no_name_breaks_the_format() -> None:
    codes = {id: Reading(NOW - timedelta(hours=1), scans=id) for id in range(1, MOST_CODES + 51)}
    hostile = '" } 1\n# TYPE x\u202e \\ ' + "x" * 10_000
    found = samples(metrics_text(kept(codes, {MOST_CODES + 50: hostile})))
    scans = {labels: value for (name, labels), value in found.items() if name == "linkdash_qr_scans"}
    assert len(scans) == MOST_CODES
    assert min(scans.values()) == 51, "those with the most have rows"
    assert found["linkdash_codes_left_out", ()] == 50
    (name,) = [labels[1] for labels in scans if labels[1]]
    assert len(name) <= 80
    assert "\u202e" not in name


def test_a_file_is_whole_and_node_exporter_may_read_it(here: Here, service: Running, tmp_path: Path) -> None:
    keep(service, {1: daily([5] * 9)})
    path = tmp_path / "textfiles" / "linkdash.prom"
    path.parent.mkdir()
    path.write_text("old")
    assert here("metrics", "--textfile", str(path)).status == 0
    assert samples(path.read_text())["linkdash_qr_scans", ("1", "")] == 45
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert [one.name for one in path.parent.iterdir()] == ["linkdash.prom"], "nothing is left beside it"
    ran = here("metrics", "--textfile", str(tmp_path / "nowhere" / "x.prom"))
    assert ran.status == 1
    assert "could not be written" in ran.told


@pytest.mark.parametrize("wrong", ["", "host", ":x", "127.0.0.1:99999", "127.0.0.1"])
def test_an_address_that_is_none(wrong: str, here: Here) -> None:
    ran = here("metrics", f"--listen={wrong}")
    assert (ran.status, ran.out) == (2, "")
    assert "is not an address" in ran.told


def test_an_address_that_is_taken(here: Here) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        ran = here("metrics", "--listen", address)
    assert (ran.status, ran.out) == (1, "")
    assert f"{address} cannot be used: Address already in use." in ran.told


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
def test_a_scrape_has_what_is_kept_by_then_and_asks_nobody(service: Running) -> None:
    keep(service, {1: daily([5] * 9)})
    before = len(service.service.log)
    process = start(service, "metrics", "--listen", "0")
    try:
        assert process.stderr is not None
        told = process.stderr.readline()
        address = re.search(r"http://127\.0\.0\.1:[0-9]+/metrics", told)
        assert address, told
        assert samples(_scraped(address[0]))["linkdash_codes", ()] == 1
        keep(service, {2: daily([7] * 9)})
        assert samples(_scraped(address[0]))["linkdash_qr_scans", ("2", "")] == 63
        assert len(service.service.log) == before
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 128 + signal.SIGTERM
    finally:
        process.kill()
        process.communicate()


def _scraped(address: str) -> str:
    with urllib.request.urlopen(address, timeout=20) as answer:
        text: str = answer.read().decode()
        return text


def test_the_dashboard_asks_for_metrics_that_exist(here: Here, service: Running) -> None:
    configure('[alerts.quiet]\nwhen = "silent 7d"\n')
    keep(service, {1: daily([5, *[0] * 9])})
    here("alerts", "--check")
    here("list", "users")
    text = here("metrics").out
    known = {family.name for family in text_string_to_metric_families(text)}
    path = Path(linkdash.__file__).parent / "guide" / "grafana.json"
    told = json.loads(path.read_text())
    asked = {
        name
        for panel in told["panels"]
        for target in panel["targets"]
        for name in re.findall("linkdash_[a-z_]+", target["expr"])
    }
    assert asked
    assert asked <= known
    assert "not loaded" in told["description"]
    ranked = [panel for panel in told["panels"] if panel["type"] == "bargauge"]
    assert all(target["instant"] for panel in ranked for target in panel["targets"])  # not who led once
