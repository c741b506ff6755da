"""Fixtures of the whole program's tests: folders of its own, the embedded service, the app."""

import gc
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypedDict, Unpack

import pytest
from hypothesis import HealthCheck, settings
from pydantic import SecretStr

from linkdash import garbage_collection
from linkdash.app import LinkdashApp
from linkdash.demo import DemoSettings
from linkdash.demo.server import Running, serve_in_thread
from linkdash.model.configuration_file import CommandSetting
from linkdash.model.session import Session
from linkdash.model.settings import Settings
from linkdash.store.journal_entry import Author
from linkdash.store.store import Store
from tests.headless import parse_styles_once, send_nothing
from tests.nightly import begin, is_nightly
from tests.records import Records
from tests.screens.clock import HoldingClock
from tests.screens.driver import Driver
from tests.terminal.terminal import heed_signals
from tests.waiting import Idleness, wait_until

if TYPE_CHECKING:
    from tests.postgres import PostgresServer

PLENTY = 1_000
"""Requests a minute that no test can use up."""

# Programs that tests start are compiled once, and what tests leave behind is not looked for all the time.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
gc.set_threshold(1_000_000, 10, 50)

# How busy the machine is decides no test. Laws are tried on a few examples, and on many where there is time.
_BUSY = settings(settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", _BUSY, max_examples=15)
settings.register_profile("thorough", _BUSY, max_examples=250)
settings.load_profile("quick")

heed_signals()

StartDemo = Callable[[DemoSettings], Running]


class Chosen(TypedDict, total=False):
    """The settings that a test chooses."""

    read_only: bool
    color: str
    keys: Mapping[str, str]
    commands: Mapping[str, CommandSetting]
    notices: tuple[str, ...]
    ascii: bool
    keeps_state: bool


class RunApp(Protocol):
    """A runner of the app on a service until the block ends; `place` is asked for while it opens.

    `team` is the address of a team's database, and `machine` the name of one with files of its own.
    """

    def __call__(
        self,
        running: Running,
        *,
        key: str = "",
        size: tuple[int, int] = (80, 24),
        place: str = "account",
        team: str = "",
        machine: str = "",
        **chosen: Unpack[Chosen],
    ) -> AbstractAsyncContextManager[Driver]: ...


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the run of everything."""
    help = "run what takes long, too, and try laws on very many examples"
    parser.addoption("--nightly", action="store_true", help=help)


def pytest_configure(config: pytest.Config) -> None:
    """Tell the tests which run this is: those that take long, and the examples of laws, follow from it."""
    begin(nightly=config.getoption("--nightly"))
    if is_nightly():
        settings.load_profile("thorough")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return two workers more than there are cores, as some tests wait; none for a single file."""
    files = {argument.partition("::")[0] for argument in config.args}
    if len(files) == 1 and Path(*files).is_file():
        return 0
    cores = os.sched_getaffinity(0) if sys.platform == "linux" else range(os.cpu_count() or 1)
    return len(cores) + 2


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what takes long unless all is run; what needs a database server does."""
    left_out: list[pytest.Item] = []
    kept: list[pytest.Item] = []
    for item in items:
        if isinstance(item, pytest.Function) and "postgresql" in item.fixturenames:
            item.add_marker(pytest.mark.nightly)
        is_left_out = not is_nightly() and item.get_closest_marker("nightly") is not None
        (left_out if is_left_out else kept).append(item)
    config.hook.pytest_deselected(items=left_out)
    items[:] = kept


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    """Keep what was imported and collected from every collection of garbage: it stays to the end."""
    gc.freeze()


@pytest.fixture(scope="session")
def free_paths(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return paths at which there is nothing yet, below one folder: to make thousands takes long."""
    root = tmp_path_factory.mktemp("tests")
    return (root / str(number) for number in count())


@pytest.fixture
def own_folder(free_paths: Iterator[Path]) -> Path:
    """Return the path of the test's own folder, which is made when something is put there."""
    return next(free_paths)


@pytest.fixture
def tmp_path(own_folder: Path) -> Path:
    """Return the test's own folder; pytest's looks through those of all tests before it for a free name."""
    own_folder.mkdir()
    return own_folder


@pytest.fixture(autouse=True)
def own_folders(own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Configuration, state and cache of the person who runs the tests are neither read nor written."""
    for name in ("CONFIG", "STATE", "CACHE", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(own_folder / name.lower()))
    for name in ("LINKDASH_BASE_URL", "LINKDASH_API_KEY", "LINKDASH_PROFILE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def prompt_pilot(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pilot waits for what is at work and not for a time, and for no style sheet twice."""
    Idleness(monkeypatch)
    parse_styles_once(monkeypatch)
    monkeypatch.setattr(garbage_collection, "look_from_now_on", lambda: None)  # that is for a run of one app


@pytest.fixture
def app_clock() -> HoldingClock:
    """The wall clock of the app and of its service, which only the test moves."""
    return HoldingClock()


@pytest.fixture(scope="session")
def records() -> Records:
    """Return what services begin with."""
    return Records()


@pytest.fixture
def start_demo(records: Records) -> Iterator[StartDemo]:
    """Start services that run until the test ends."""
    with ExitStack() as services:
        yield lambda settings: services.enter_context(serve_in_thread(records.known(settings)))


@pytest.fixture
def demo(start_demo: StartDemo, app_clock: HoldingClock) -> Running:
    """A service of the test's own, with requests in plenty."""
    return start_demo(DemoSettings(rate=PLENTY, clock=app_clock))


@pytest.fixture(scope="session")
def one_postgresql() -> "Iterator[PostgresServer]":
    from tests.postgres import PostgresServer

    server = PostgresServer()
    yield server
    server.remove()


@pytest.fixture
def postgresql(one_postgresql: "PostgresServer") -> "Iterator[PostgresServer]":
    """A real PostgreSQL server, which a test may end: it runs again for the next."""
    yield one_postgresql
    if not one_postgresql.is_running:
        one_postgresql.start()


@pytest.fixture
def run_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunApp:
    """Run the app. What it stores outlives the block: a second run in a test finds it."""
    send_nothing(monkeypatch)

    @asynccontextmanager
    async def run(
        running: Running,
        *,
        key: str = "",
        size: tuple[int, int] = (80, 24),
        place: str = "account",
        team: str = "",
        machine: str = "",
        **chosen: Unpack[Chosen],
    ) -> AsyncIterator[Driver]:
        secret = SecretStr(key or running.api_key)
        chosen_settings = Settings("tests", running.base_url, secret, **chosen)
        folder = tmp_path / machine
        author = Author(machine, machine) if machine else Author.here()
        store = Store(folder / "state", folder / "cache", "tests", team=team or None, author=author)
        session = Session(chosen_settings, store, clock=running.service.settings.clock, retries=0)
        app = LinkdashApp(chosen_settings, lambda: session)
        await app.action_go(place)
        async with app.run_test(size=size) as pilot:
            await wait_until(lambda: app.is_open)
            yield Driver(app, pilot, running)

    return run
