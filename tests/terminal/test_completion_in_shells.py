"""Completion in the real shells, in a terminal: words, ids by number and by name, values, profiles."""

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from linkdash.demo import DemoSettings
from linkdash.demo.server import Running, serve_in_thread
from linkdash.model.configuration_file import configuration_path
from tests import prestarted
from tests.commands.shell import environment, run
from tests.service.visitor import Visitor
from tests.terminal.terminal import Terminal

SHELLS: Mapping[str, Sequence[str]] = {
    "bash": ("bash", "--norc", "--noprofile", "-i"),
    "zsh": ("zsh", "-f", "-i"),
    "fish": ("fish", "--no-config", "-i"),
}
READY = "ready>"
_AS_TYPED = "rea''dy> "
PREPARED: Mapping[str, str] = {
    "bash": f"PS1='{_AS_TYPED}'; bind 'set enable-bracketed-paste off'; eval \"$(linkdash completion bash)\"",
    "zsh": f"autoload -U compinit; compinit -u -D; PS1='{_AS_TYPED}'; eval \"$(linkdash completion zsh)\"",
    "fish": f"function fish_prompt; echo '{_AS_TYPED}'; end; linkdash completion fish | source",
}
TYPED: Mapping[str, str] = {
    "linkdash jour": "linkdash journal",
    "linkdash get chan": "linkdash get channels",
    "linkdash get qr 40": "linkdash get qr 400",
    "linkdash delete pixels zebr": "linkdash delete pixels 131",
    "linkdash create pixels type=bi": "linkdash create pixels type=bing",
    "linkdash --profile wor": "linkdash --profile work",
    "linkdash list qr --for": "linkdash list qr --format",
}
"""A line, and what tab makes of it."""
CLEAR = "\x15"


@pytest.fixture(scope="module")
def service() -> Iterator[Running]:
    with serve_in_thread(DemoSettings(rate=1_000)) as running:
        with Visitor(running, running.api_key) as visitor:
            visitor.write("POST", "/api/pixel/add", {"type": "bing", "name": "Zebra crossing", "tag": "1"})
        yield running


@pytest.mark.nightly
@pytest.mark.parametrize("shell", SHELLS)
def test_tab_completes(service: Running, tmp_path: Path, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell}")
    path = configuration_path()
    path.parent.mkdir(parents=True)
    path.write_text(f'[profiles.default]\nbase_url = "{service.base_url}"\n[profiles.work]\n')
    path.chmod(0o600)
    for resource in ("qr", "pixels"):
        assert run(service, "list", resource).status == 0
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "linkdash").symlink_to(prestarted.program())
    own = environment(service, PATH=f"{programs}:{os.environ['PATH']}", HOME=str(tmp_path))
    with Terminal(program=SHELLS[shell], environment=own, columns=120) as terminal:
        terminal.press(PREPARED[shell] + "\r")
        terminal.wait_for(READY)
        for typed, completed in TYPED.items():
            terminal.press(typed + "\t")
            terminal.wait_for(completed)
            terminal.press(CLEAR)
