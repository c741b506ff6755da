"""Completions of records: ids by id or by name, and values, from what is kept; no request is sent."""

import os
import shlex
import shutil
import subprocess

import pytest

from linkdash.commands.completion import candidates
from linkdash.demo.server import Running
from linkdash.model.configuration_file import configuration_path
from tests import prestarted
from tests.commands.shell import Here, environment


@pytest.fixture
def here(service: Running, capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(service, capsys)


def own(service: Running) -> dict[str, str]:
    return {"LINKDASH_BASE_URL": service.base_url, "LINKDASH_API_KEY": service.api_key}


def test_ids_and_names_come_from_what_is_kept(here: Here, service: Running) -> None:
    assert candidates(["get", "qr", "4"], own(service)) == []
    for resource in ("qr", "channels", "users", "plans"):
        here("list", resource)
    before = len(service.service.log)
    found = candidates(["get", "qr", "40"], own(service))
    assert [line.partition("\t")[0] for line in found] == ["400"]
    (name,) = [line.partition("\t")[2] for line in found]
    by_name = candidates(["stats", "301", name[:6].lower()], own(service))
    assert found[0] in by_name
    for words, first in (
        (["update", "channels", ""], "1"),
        (["delete", "channels", "1", ""], "2"),
        (["assign", "channel", ""], "1"),
        (["subscribe", ""], "1"),
        (["subscribe", "3", ""], "1"),
        (["collect", "--qr", ""], "301"),
        (["report", ""], "301"),
    ):
        ids = {line.partition("\t")[0] for line in candidates(words, own(service))}
        assert first in ids, words
    assert len(service.service.log) == before


def test_no_key_is_asked_for_by_a_tab(service: Running) -> None:
    path = configuration_path()
    path.parent.mkdir(parents=True)
    marker = path.parent / "was-run"
    path.write_text(
        f'[profiles.default]\nbase_url = "{service.base_url}"\nkey_command = ["touch", "{marker}"]\n'
    )
    assert candidates(["get", "qr", ""], {}) == []
    assert not marker.exists()


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["create", "pixels", "type=b"], ["type=bing"]),
        (["create", "pixels", "type", "=", "b"], ["bing"]),
        (["create", "pixels", "type", "="], None),
        (["update", "channels", "3", "starred=t"], ["starred=true"]),
        (["update", "channels", "3", "starred", "=", "f"], ["false"]),
        (["create", "pixels", "nosuch=b"], []),
        (["--profile", ""], []),
        (
            ["list", "users", "--view", "exp"],
            ["expired, still pro", "expires within 7 days", "expires within 30 days"],
        ),
    ],
)
def test_values_are_those_of_the_request(words: list[str], wanted: list[str] | None) -> None:
    found = candidates(words, {})
    assert found == wanted if wanted is not None else "bing" in found


def test_bash_takes_the_id_for_a_name(here: Here, service: Running) -> None:
    if shutil.which("bash") is None:
        pytest.skip("no bash")
    here("list", "qr")
    (line,) = candidates(["get", "qr", "400"], own(service))
    name = line.partition("\t")[2]
    script = (
        'eval "$(linkdash completion bash)"; compopt() { :; }\n'
        f"COMP_WORDS=(linkdash get qr {shlex.quote(name)}); COMP_CWORD=3; _linkdash; "
        'echo "${COMPREPLY[*]}"'
    )
    path = f"{os.path.dirname(prestarted.program())}:{os.environ['PATH']}"
    ran = subprocess.run(
        ["bash", "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env=environment(service, PATH=path),
    )
    assert ran.stdout.split() == ["400"]
