"""A team's store from the command line: machines that share nothing but a database, and one that is away."""

import json
import tomllib
from subprocess import DEVNULL

import pytest

from linkdash.commands import standard_streams
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.model.configuration_file import configuration_path
from linkdash.store import postgresql as postgresql_module
from tests.commands.machines import Machines
from tests.commands.shell import PROGRAM, Here, start
from tests.postgres import PASSWORD, PostgresServer
from tests.waiting import wait_here_until


@pytest.fixture(autouse=True)
def no_secrets_of_other_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the secrets of other tests: one could be a word of what is told."""
    monkeypatch.setattr(standard_streams, "_SECRETS", [])


def test_what_one_machine_changes_the_other_has_in_its_journal(
    machines: Machines, postgresql: PostgresServer
) -> None:
    url = postgresql.url(postgresql.new_database())
    desk, laptop = machines.open("desk", url), machines.open("laptop", url)
    assert desk("update", "pixels", "1", "name=From the desk", "--yes").status == 0
    told = laptop("journal", "--format", "jsonl")
    assert (told.status, told.told) == (0, "")
    assert [(line["outcome"], "pixel" in str(line["what"])) for line in told.lines] == [("done", True)]
    (line,) = told.lines
    for flag, name, other in (("--person", line["person"], "nobody"), ("--machine", line["machine"], "x")):
        assert len(laptop("journal", "--format", "jsonl", flag, str(name)).lines) == 1
        assert laptop("journal", "--format", "jsonl", flag, other).lines == []
    found = laptop("doctor")
    assert found.status == 0
    assert "ok  team      team store local/" in found.out
    assert "every linkdash with this key and this team store shares the budget" in found.out


def test_what_is_left_is_known_on_each_machine(machines: Machines, postgresql: PostgresServer) -> None:
    url = postgresql.url(postgresql.new_database())
    desk, laptop = machines.open("desk", url), machines.open("laptop", url)
    assert "Nothing is known of the budget" in laptop("budget").told
    assert desk("get", "account").status == 0
    for machine in (desk, laptop):
        told = json.loads(machine("budget", "--format", "json").out)
        assert 0 < told["left"] < told["limit"]
    assert "\nlinkdash_budget_left " in laptop("metrics").out


def test_what_is_changed_while_it_is_away_is_handed_in_by_the_next_run(
    machines: Machines, postgresql: PostgresServer
) -> None:
    url = postgresql.url(postgresql.new_database())
    desk, laptop = machines.open("desk", url), machines.open("laptop", url)
    assert desk("journal").status == 0
    postgresql.kill()
    changed = desk("update", "pixels", "1", "name=Alone", "--yes")
    away = desk("journal", "--format", "jsonl")
    table, unknown = desk("journal"), desk("journal", "--unknown", "--format", "jsonl")
    refused = [desk("journal", "show", "1"), desk("undo", "1", "--dry-run"), desk("journal", "--check")]
    found = desk("doctor", "--offline")
    postgresql.start()
    assert changed.status == 0
    assert "it cannot be reached. What is written meanwhile is kept here." in changed.told
    assert away.status == 1, "it is not all of the journal"
    assert [(line["outcome"], line["id"], line["waits"]) for line in away.lines] == [("done", None, True)]
    assert [line["path"] for line in away.lines] == ["/api/pixel/1/update"]
    assert table.out.startswith("Waiting to be handed in to the team's store:\n")
    assert (unknown.lines, len(table.out.splitlines())) == ([], 3)
    assert all(ran.status == 1 and "it cannot be reached" in ran.told for ran in refused)
    assert "!!  team " in found.out
    assert "!!  waiting   1 entry kept here for the team's store" in found.out
    desk("journal")
    assert [line["outcome"] for line in laptop("journal", "--format", "jsonl").lines] == ["done"]
    assert "waiting" not in desk("doctor", "--offline").out


def test_what_was_killed_on_one_machine_is_settled_on_the_one_that_takes_over(
    machines: Machines, service: Running, postgresql: PostgresServer
) -> None:
    database = postgresql.new_database()
    desk, laptop = (machines.open(name, postgresql.url(database)) for name in ("desk", "laptop"))
    channel = str(desk("create", "channels", "name=Taken over").lines[0]["id"])
    command = ("assign", "channel", channel, *(f"qr:{id}" for id in range(1, 5)), "--yes")
    third = f"/api/channel/{channel}/assign/qr/3"
    service.service.faults.next("POST", third, Fault(delay=3600))
    process = start(service, *command, program=PROGRAM, stdin=DEVNULL, LOGNAME="ada", **desk.folders)
    wait_here_until(lambda: any(entry.path == third for entry in service.service.log))
    process.kill()
    process.communicate(timeout=60)
    held = laptop(*command, LOGNAME="ben")
    assert (held.status, "runs this job" in held.told) == (1, True)
    with postgresql.connect(database) as session:
        session.execute("UPDATE linkdash.jobs SET runner_seen = runner_seen - 31")
    taken_over = laptop(*command, LOGNAME="ben")
    assert (taken_over.status, [line["outcome"] for line in taken_over.lines].count("unknown")) == (4, 1)
    unknown = laptop("journal", "--unknown", "--format", "jsonl", LOGNAME="ben")
    assert [line["person"] for line in unknown.lines] == ["ada"]
    checked = laptop("journal", "--check", "--format", "jsonl", LOGNAME="ben")
    assert [line["outcome"] for line in checked.lines] == ["confirmed"]
    assert laptop(*command, LOGNAME="ben").status == 0
    paths = [entry.path for entry in service.service.log]
    assert [paths.count(f"/api/channel/{channel}/assign/qr/{id}") for id in range(1, 5)] == [1, 1, 1, 1]


def test_what_is_collected_while_it_is_away_is_handed_in_when_it_is_back(
    machines: Machines, postgresql: PostgresServer
) -> None:
    url = postgresql.url(postgresql.new_database())
    desk, laptop = machines.open("desk", url), machines.open("laptop", url)
    assert desk("collect", "--qr", "1").status == 0
    postgresql.kill()
    first = desk("collect", "--qr", "10", "20", "--budget", "1")
    second = desk("collect", "--qr", "10", "20", "--budget", "1")
    swept = desk("collect", "--budget", "5")
    postgresql.start()
    assert [ran.status for ran in (first, second, swept)] == [0, 0, 0], first.told + second.told + swept.told
    assert "1 entry kept here, to be handed in when the team's store is back." in first.told
    assert [ran.out.partition(":")[0] for ran in (first, second)] == ["10", "20"], "it goes on from here"
    assert "2 entries kept here" in second.told
    back = desk("collect", "--qr", "30")
    assert (back.status, "Handed in to the team's store: " in back.told) == (0, True)
    told = [
        line["id"] for line in laptop("stats", "1", "10", "20", "30", "--cached", "--format", "jsonl").lines
    ]
    assert told == [1, 10, 20, 30]


REFUSALS = [
    ("plain", "postgres", "", 'store_password = "swordfish"', "its password is wrong."),
    ("plain", "postgres", "", "", "it asks for a password."),
    ("plain", "postgres", "", f'store_password = "{PASSWORD}"', "this user has no rights there."),
    ("plain", "nowhere", "", f'store_password = "{PASSWORD}"', "there is no such database."),
    ("tlsonly", "postgres", "", f'store_password = "{PASSWORD}"', "it takes TLS connections only."),
    ("plain", "postgres", "?sslmode=require", f'store_password = "{PASSWORD}"', "it does not support TLS."),
]


@pytest.mark.parametrize(("user", "database", "query", "setting", "cause"), REFUSALS)
def test_why_the_store_cannot_be_used_is_one_line(
    machines: Machines,
    postgresql: PostgresServer,
    user: str,
    database: str,
    query: str,
    setting: str,
    cause: str,
) -> None:
    desk = machines.open("desk", postgresql.tcp_url(user, database, query), setting)
    ran = desk("journal")
    (line,) = [line for line in ran.told.splitlines() if "team store" in line]
    assert cause in line
    found = desk("doctor", "--offline").out
    (line,) = [line for line in found.splitlines() if line.startswith("!!  team ")]
    assert cause in line
    assert PASSWORD not in ran.out + ran.told + found


def test_a_newer_store_is_left_alone(machines: Machines, postgresql: PostgresServer) -> None:
    database = postgresql.new_database()
    desk = machines.open("desk", postgresql.url(database))
    desk("journal")
    with postgresql.connect(database) as session:
        session.execute("UPDATE linkdash.parts SET version = 1000")
    assert "was written by a newer linkdash and is left untouched. Upgrade" in desk("doctor", "--offline").out
    assert "was written by a newer linkdash and is left untouched. Upgrade" in desk("journal").told


def test_a_server_that_is_too_old_is_named(
    machines: Machines, postgresql: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql_module, "_OLDEST", 99)
    ran = machines.open("desk", postgresql.url())("journal")
    assert "it is PostgreSQL 18. linkdash needs 99 or newer." in ran.told


@pytest.mark.parametrize(
    ("setting", "variables"),
    [
        (f'store_password = "{PASSWORD}"', {}),
        (f'store_password_command = ["echo", "{PASSWORD}"]', {}),
        ('store_password = "another"', {"LINKDASH_STORE_PASSWORD": PASSWORD}),
    ],
)
def test_the_password_comes_by_the_ways_of_the_key(
    machines: Machines, postgresql: PostgresServer, setting: str, variables: dict[str, str]
) -> None:
    database = postgresql.new_database()
    with postgresql.connect(database) as session:
        session.execute(f"GRANT CREATE ON DATABASE {database} TO plain".encode())
    desk = machines.open("desk", postgresql.tcp_url("plain", database), setting)
    ran = desk("journal", **variables)
    assert (ran.status, ran.told) == (0, "")


def test_setup_asks_for_a_store_and_keeps_what_works(
    service: Running, capsys: pytest.CaptureFixture[str], postgresql: PostgresServer
) -> None:
    here, database = Here(service, capsys), postgresql.new_database()
    with postgresql.connect(database) as session:
        session.execute(f"GRANT CREATE ON DATABASE {database} TO plain".encode())
    url, nothing = postgresql.tcp_url("plain", database), {"LINKDASH_BASE_URL": "", "LINKDASH_API_KEY": ""}
    profile = f"\n{service.base_url}\n{service.api_key}\nfile\n\n"
    for typed, cause in (
        (f"{url}\nwrong-password\nfile\n", "its password is wrong"),
        (f"{url}\n{PASSWORD}\nattic\n", "Secrets cannot be stored there."),
        ("db.example.org\n", "The address of the team store is not a database address"),
        (f"{postgresql.tcp_url('plain:secret')}\n", "contains a password"),
    ):
        ran = here("setup", typed=profile + typed, set=nothing)
        assert (ran.status in (1, 2), ran.out, "wrong-password" in ran.told) == (True, "", False)
        assert cause in ran.told
        assert not configuration_path().exists()
    ran = here("setup", typed=f"{profile}{url}\n{PASSWORD}\nfile\n", set=nothing)
    assert (ran.status, PASSWORD in ran.told) == (0, False), ran.told
    assert "It works: PostgreSQL" in ran.told
    kept = tomllib.loads(configuration_path().read_text())["profiles"]["default"]
    assert (kept["store"], kept["store_password"]) == (url, PASSWORD)
    assert here("journal", set=nothing).status == 0
    again = here("setup", typed=f"{profile}{url}\n\necho {PASSWORD}\n", set=nothing)
    assert again.status == 0
    kept = tomllib.loads(configuration_path().read_text())["profiles"]["default"]
    assert ("store_password" in kept, kept["store_password_command"]) == (False, ["echo", PASSWORD])
    assert here("setup", typed=profile, set=nothing).status == 0
    assert tomllib.loads(configuration_path().read_text())["profiles"]["default"] == kept, "it stays"


def test_a_store_is_copied_to_a_team_and_back_and_the_counts_are_told(
    machines: Machines, postgresql: PostgresServer
) -> None:
    url = postgresql.url(postgresql.new_database())
    desk, laptop = machines.open("desk", url), machines.open("laptop", url)
    alone = desk("update", "pixels", "1", "name=Alone", "--yes", LINKDASH_PROFILE="alone")
    assert alone.status == 0
    for _ in range(2):
        copied = desk("store", "copy", "files", "team")
        assert (copied.status, copied.told) == (0, "linkdash: Everything was copied.\n")
        assert ["journal", "entries", "1", "1"] in [line.split() for line in copied.out.splitlines()]
    counts = json.loads(desk("store", "copy", "files", "team", "--format", "json").out)
    assert counts[0] == {"kind": "journal entries", "there": 1, "here": 1}
    assert len(laptop("journal", "--format", "jsonl").lines) == 1
    back = laptop("store", "copy", url, str(laptop.folder / "back"))
    assert (back.status, (laptop.folder / "back" / "state.db").exists()) == (0, True)
    looked = [line.split()[1] for line in desk("doctor", "--offline").out.splitlines()]
    assert {"state", "spool", "history", "cache", "team"} <= {*looked}, (
        "the files of before, and the database"
    )


@pytest.mark.parametrize(
    ("arguments", "cause"),
    [
        (("files", "files"), "FROM and TO are the same store."),
        (("files", "postgresql://me:secret@localhost/linkdash"), "A password among the arguments"),
        (("/nowhere", "team"), "/nowhere contains no store."),
        (("files", "team"), "The profile has no team store."),
    ],
)
def test_what_cannot_be_copied_is_told(machines: Machines, arguments: tuple[str, str], cause: str) -> None:
    desk = machines.open("desk", "postgresql:///linkdash")
    ran = desk("store", "copy", *arguments, LINKDASH_PROFILE="alone" if "files" in arguments else "default")
    assert ran.status in (1, 2)
    assert cause in ran.told
    assert "secret" not in ran.told
