"""Standard input: tables in any form that spreadsheets write; secrets without marks, and in UTF-8."""

import subprocess

import pytest

from linkdash.demo.server import Running
from tests import prestarted
from tests.commands.shell import Ran, environment
from tests.service.writes import writes


def piped(service: Running, data: bytes, *arguments: str, **more: str) -> Ran:
    """Run linkdash with these bytes on its standard input."""
    command, own = [prestarted.program(), *arguments], environment(service, **more)
    ran = subprocess.run(command, env=own, input=data, capture_output=True, timeout=60, check=False)
    return Ran(ran.returncode, ran.stdout.decode(), ran.stderr.decode())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_table_is_read_in_any_form_that_a_spreadsheet_writes(service: Running, encoding: str) -> None:
    table = "\r\nsep=;\r\ntype; name; tag;;\r\nbing; Frühjahr ;123456\u00a0;;\r\n;;;;\r\n"
    ran = piped(service, table.encode(encoding), "import", "pixels", "-", "--dry-run")
    sent = 'POST /api/pixel/add {"type": "bing", "name": "Frühjahr", "tag": "123456"}'
    assert ran.out.splitlines() == [sent], ran.told
    assert ("read as Windows-1252, as in Frühjahr" in ran.told) == (encoding == "cp1252")


USER = ["create", "users", "username=marked", "email=marked@example.org", "password=-"]


def test_a_mark_is_no_part_of_a_secret(service: Running) -> None:
    before = writes(service)
    ran = piped(service, b"\xef\xbb\xbf1234\n", *USER)
    assert (ran.status, writes(service)) == (3, before), "a password needs 5 characters"
    assert piped(service, b"\xef\xbb\xbfsecret99\r\n", *USER).status == 0


@pytest.mark.parametrize("locale", ["C.UTF-8", "POSIX"])
def test_a_secret_that_is_not_utf_8_is_refused_before_it_is_sent(service: Running, locale: str) -> None:
    before = writes(service)
    ran = piped(service, b"secr\xe9t99\n", *USER, LC_ALL=locale)
    assert (ran.status, writes(service)) == (2, before)
    assert "What is on standard input is not UTF-8. Nothing was sent." in ran.told
    assert "secr" not in ran.told
