"""Standard input of the server: whatever comes on it, and its end in the midst of a change."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from linkdash.commands.mcp.server import MOST_CALLS
from linkdash.commands.mcp.streams import LONGEST_MESSAGE, BoundedLines
from linkdash.demo import DemoSettings
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running, serve_in_thread
from tests.commands.shell import run, start
from tests.test_secrets import HELLO

A_WHILE = 1.0
"""Seconds after which a program that does not wait has ended."""


class Server:
    """A server as a program without the SDK speaks to it, line by line."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self.process = process
        self.stdin, self.stdout, self.stderr = process.stdin, process.stdout, process.stderr

    def send(self, *messages: object) -> None:
        self.stdin.write("".join(f"{json.dumps(message)}\n" for message in messages))
        self.stdin.flush()

    def result(self, id: int) -> dict[str, object]:
        """The result of a request; answers before it are passed over."""
        while True:
            line = self.stdout.readline()
            assert line, "it has ended"
            answer: dict[str, object] = json.loads(line)
            if answer.get("id") == id:
                result = answer["result"]
                assert isinstance(result, dict)
                return result


def call(number: int, name: str, /, **arguments: object) -> dict[str, object]:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


@contextmanager
def server(service: Running, *flags: str) -> Iterator[Server]:
    """A server that a client of the 2025 handshake has greeted."""
    with start(service, "mcp", *flags, stdin=subprocess.PIPE) as process:
        made = Server(process)
        made.send(HELLO, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        made.result(1)
        yield made


def test_of_a_line_without_an_end_only_the_beginning_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    lines = BoundedLines(10)
    assert lines.kept(b"1234567890\nab") == b"1234567890\nab"
    assert lines.kept(b"c" * 20) == b"c" * 8
    assert lines.kept(b"d" * 20) == b""
    assert lines.kept(b"d\n\nwhole\n") == b"\n\nwhole\n"
    assert capsys.readouterr().err.count("was left out") == 1


def test_a_message_without_measure_costs_only_itself(service: Running) -> None:
    with server(service) as made:
        made.stdin.write("x" * (LONGEST_MESSAGE + 1) + "\n")
        made.send(call(2, "budget"))
        assert made.result(2)["isError"] is False
        made.stdin.close()
        assert "A message of more than 4,000,000 bytes was left out." in made.stderr.read()


def test_more_calls_than_anybody_waits_for_are_refused() -> None:
    with serve_in_thread(DemoSettings(rate=1)) as slow, server(slow) as made:
        last = 2 * MOST_CALLS
        made.send(*(call(id, "get_record", resource="qr", id=id) for id in range(2, last + 1)))
        assert "More than 100 calls are under way." in str(made.result(last)["content"])
        made.process.terminate()


def test_what_is_under_way_is_answered_also_when_the_input_ends(service: Running) -> None:
    """Reads and a change, of a program that writes all of them and closes."""
    with server(service, "--writes") as made:
        members = {"type": "bing", "name": "Last one", "tag": "12345678"}
        made.send(call(2, "create_record", resource="pixels", members=members))
        structure = made.result(2)["structuredContent"]
        assert isinstance(structure, dict)
        service.service.faults.next("POST", "/api/pixel/add", Fault(meanwhile=made.stdin.close))
        reads = [call(id, "get_record", resource="qr", id=id) for id in range(4, 12)]
        made.send(*reads, call(3, "confirm_change", token=structure["token"]))
        answers = {one["id"]: one["result"] for one in map(json.loads, made.stdout) if "result" in one}
        assert made.process.wait() == 0
    assert answers.keys() == {*range(3, 12)}
    assert not any(answer["isError"] for answer in answers.values())
    assert answers[3]["structuredContent"]["changes"][0]["outcome"] == "done"
    (entry,) = run(service, "journal", "--format", "jsonl").lines
    assert entry["outcome"] == "done"


def test_a_question_that_nobody_can_answer_any_more_holds_nothing_up(service: Running) -> None:
    can_ask = json.loads(
        json.dumps(HELLO).replace('"capabilities": {}', '"capabilities": {"elicitation": {}}')
    )
    with start(service, "mcp", "--writes", stdin=subprocess.PIPE) as process:
        made = Server(process)
        made.send(can_ask, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        made.result(1)
        made.send(call(2, "delete_records", resource="pixels", ids=[40]))
        assert "elicitation/create" in made.stdout.readline()
        made.stdin.close()
        assert process.wait(A_WHILE * 10) == 0
    assert run(service, "journal", "--format", "jsonl").lines == []


def test_a_signal_waits_for_no_answer_but_for_a_change_that_was_sent(service: Running) -> None:
    with server(service, "--writes") as made:
        members = {"type": "bing", "name": "Last one", "tag": "12345678"}
        made.send(call(2, "create_record", resource="pixels", members=members))
        structure = made.result(2)["structuredContent"]
        assert isinstance(structure, dict)

        def end_it() -> None:
            made.process.terminate()
            assert "Waiting for the answer" in made.stderr.readline()

        service.service.faults.next("POST", "/api/pixel/add", Fault(meanwhile=end_it))
        made.send(call(3, "confirm_change", token=structure["token"]))
        assert made.process.wait() == 143
    (entry,) = run(service, "journal", "--format", "jsonl").lines
    assert entry["outcome"] == "done"
