"""A database of its own for each test, on the server of $CORMORANT_POSTGRES; without one the tests are skipped. Where
they run in several processes, each but the first starts a server of its own: what is committed is told in the order of
the whole server."""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "bindings" / "python" / "src"
sys.path.insert(0, str(SOURCES))
# Of the programs that tests start.
os.environ["PYTHONPATH"] = str(SOURCES)

from accounts import Account  # noqa: E402
from cormorant import Database  # noqa: E402

SCRIPT = ROOT / "scripts" / "postgres-server"
_numbers = itertools.count()
# Servers that die and disks that fill up, each for ten seconds, of which a shorter test has the kin: ./dev soak.
soak = pytest.mark.skipif("CORMORANT_SOAK" not in os.environ, reason="run by ./dev soak")


def call(*arguments: str) -> str:
    """What scripts/postgres-server prints."""
    return subprocess.run([SCRIPT, *arguments], check=True, capture_output=True, text=True).stdout.strip()


URL = os.environ.get("CORMORANT_POSTGRES", "")
if URL and os.environ.get("PYTEST_XDIST_WORKER", "gw0") != "gw0":
    URL = call("start", "--while", str(os.getpid()))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not URL:
        for item in items:
            item.add_marker(pytest.mark.skip(reason="no server: scripts/postgres-server run pytest Tests/Postgres"))


def with_database(url: str, name: str) -> str:
    return url[: url.rindex("/") + 1] + name


def socket_folder(url: str) -> str:
    return url.split("@")[1].split("/")[0].replace("%2F", "/")


@contextmanager
def new_database(name: str) -> Iterator[str]:
    """The URL of a database of the server that is there for so long."""
    with Database(URL) as server:
        server.execute(f"CREATE DATABASE {name}")
    try:
        yield with_database(URL, name)
    finally:
        with Database(URL) as server:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def url() -> Iterator[str]:
    with new_database(f"test_{os.getpid()}_{next(_numbers)}") as place:
        yield place


@pytest.fixture
def own_server() -> Iterator[Callable[..., str]]:
    """Starts servers that a test may crash."""
    yield from _start("start")


@pytest.fixture
def own_standby() -> Iterator[Callable[..., str]]:
    """Starts standbys, each of the server whose URL is given."""
    yield from _start("standby")


def _start(command: str) -> Iterator[Callable[..., str]]:
    started: list[str] = []

    def start(*arguments: str) -> str:
        started.append(call(command, "--while", str(os.getpid()), *arguments))
        return started[-1]

    yield start
    for server in started:
        call("stop", server)


def hosts(*urls: str, **parameters: object) -> str:
    """One URL of several servers."""
    start, rest = urls[0].split("@")
    places = ",".join(url.split("@")[1].split("/")[0] for url in urls)
    given = "&".join(f"{name}={value}" for name, value in parameters.items())
    return f"{start}@{places}/{rest.split('/')[1]}" + (f"?{given}" if given else "")


@pytest.fixture
def own_pooler() -> Iterator[Callable[..., str]]:
    """Starts pgbouncers, each of a server whose URL is given, which give each transaction one of two connections, or
    each session its own."""
    folders: list[Path] = []

    def start(server: str, mode: str = "transaction") -> str:
        folders.append(Path(tempfile.mkdtemp(prefix="cormorant-bouncer-", dir="/tmp")))
        folders[-1].chmod(0o777)
        (folders[-1] / "ini").write_text(
            f"[databases]\ncormorant = host={socket_folder(server)} dbname=cormorant user=cormorant\n[pgbouncer]\n"
            f"unix_socket_dir = {folders[-1]}\nlisten_addr =\nlisten_port = 6432\nauth_type = any\npool_mode = {mode}\n"
            f"default_pool_size = {2 if mode == 'transaction' else 20}\nserver_round_robin = 1\n"
            f"server_login_retry = 1\npidfile = {folders[-1]}/pid\nlogfile = {folders[-1]}/log\n"
        )
        launch_pooler(folders[-1])
        return f"postgresql://cormorant@{str(folders[-1]).replace('/', '%2F')}:6432/cormorant"

    yield start
    for folder in folders:
        stop_pooler(folder)
        shutil.rmtree(folder, ignore_errors=True)


def launch_pooler(folder: Path) -> None:
    program = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        pytest.skip("no pgbouncer is installed")
    owner = "postgres" if "postgres" in {entry.pw_name for entry in pwd.getpwall()} else "nobody"
    runner = ["runuser", "-u", owner, "--"] if os.getuid() == 0 else []
    subprocess.run([*runner, program, "-q", "-d", folder / "ini"], check=True)
    while not (folder / ".s.PGSQL.6432").exists() or not (folder / "pid").exists():
        time.sleep(0.05)


def stop_pooler(folder: Path) -> None:
    """At once, whatever it is in the middle of."""
    if not (folder / "pid").exists():
        return
    process = int((folder / "pid").read_text())
    os.kill(process, 15)
    while Path(f"/proc/{process}").exists():
        time.sleep(0.02)
    for left in ("pid", ".s.PGSQL.6432"):
        (folder / left).unlink(missing_ok=True)


@pytest.fixture
def pooler(own_pooler: Callable[..., str]) -> str:
    """The URL of a pgbouncer that gives each transaction one of two connections."""
    return own_pooler(URL)


@pytest.fixture
def accounts(url: str) -> str:
    with Database(url) as db:
        db.create_tables(Account)
        db.insert(Account(1, "Ann", 10))
    return url
