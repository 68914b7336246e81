"""How a server is found and trusted: services, password files, certificates, several hosts; and a disk that is full."""

from __future__ import annotations

import contextlib
import grp
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from conftest import URL, socket_folder
from cormorant import Column, Database, Error, Model, column


class Note(Model):
    id: Column[int] = column(primary_key=True)
    text: Column[str]


def fails(url: str, *words: str, code: str = "CORM_E_CONNECTION") -> None:
    """Opening fails, and says what to do without saying the password."""
    with pytest.raises(Error) as caught:
        Database(url)
    assert caught.value.code == code, caught.value
    said = f"{caught.value.message} | {caught.value.hint}"
    for word in words:
        assert word in said, said
    assert "secret" not in said


def user(url: str) -> str:
    with Database(url) as db:
        return str(db.query("SELECT current_user").fetch_all()[0][0])


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    def write(user: str) -> None:
        file = tmp_path / "services"
        file.write_text(f"[shop]\nhost={socket_folder(URL)}\nuser={user}\ndbname=cormorant\n")
        monkeypatch.setenv("PGSERVICEFILE", str(file))

    return write


def test_a_service_is_found_by_the_url_and_by_the_environment(
    service: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    service("cormorant")
    assert user("postgresql://?service=shop") == "cormorant"
    fails("postgresql://?service=shopp", "shopp", "pg_service.conf")
    monkeypatch.setenv("PGSERVICE", "shop")
    assert user("postgresql://") == "cormorant"
    assert user("postgresql:///postgres") == "cormorant"


def test_a_password_comes_from_a_file(
    service: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service("locked")
    passwords = tmp_path / "passwords"
    passwords.write_text("*:*:cormorant:locked:secret\n")
    passwords.chmod(0o600)
    fails("postgresql://?service=shop", "password", ".pgpass")
    monkeypatch.setenv("PGPASSFILE", str(passwords))
    assert user("postgresql://?service=shop") == "locked"
    passwords.write_text("*:*:cormorant:locked:wrong\n")
    fails("postgresql://?service=shop", "password")


def test_the_first_of_several_hosts_that_can_be_reached_is_taken(own_server: Callable[..., str]) -> None:
    place = socket_folder(URL).replace("/", "%2F")
    assert user(f"postgresql://cormorant@%2Ftmp%2Fnowhere,{place}/cormorant") == "cormorant"
    fails("postgresql://a:secret@%2Ftmp%2Fnowhere,%2Ftmp%2Fno-other/x", "nowhere", "no-other", "host")
    reading = socket_folder(own_server("--set", "default_transaction_read_only=on")).replace("/", "%2F")
    url = f"postgresql://cormorant@{reading},{place}/cormorant"
    with Database(url) as db:
        assert db.query("SHOW default_transaction_read_only").fetch_all()[0][0] == "on"
    with Database(f"{url}?target_session_attrs=read-write") as db:
        assert db.query("SHOW default_transaction_read_only").fetch_all()[0][0] == "off"
    fails(f"postgresql://cormorant@{reading}/cormorant?target_session_attrs=read-write", "primary")


OPENS = """
import sys
from cormorant import Database, Error
try:
    Database(sys.argv[1])
except Error as error:
    print(error.code, error.message, error.hint)
"""


def said(**environment: str) -> str:
    """What a program of its own is told that opens the server's database."""
    done = subprocess.run(
        [sys.executable, "-c", OPENS, URL], env=os.environ | environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_without_libpq_it_is_said_what_to_install(tmp_path: Path) -> None:
    # One that cannot be loaded stands in the way of the system's.
    (tmp_path / "libpq.so.5").touch()
    # As the wheel of psycopg's is not installed.
    (tmp_path / "psycopg_binary").mkdir()
    (tmp_path / "psycopg_binary" / "__init__.py").touch()
    paths = f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"
    without = said(LD_LIBRARY_PATH=str(tmp_path), PYTHONPATH=paths)
    assert without.startswith("CORM_E_UNSUPPORTED PostgreSQL's client library, libpq, is not there install it"), without
    named = said(CORMORANT_LIBPQ=str(tmp_path / "libpq.so.5"))
    assert "CORM_E_UNSUPPORTED CORMORANT_LIBPQ names" in named
    assert "cannot be loaded" in named
    if compiler := shutil.which("cc"):
        subprocess.run([compiler, "-shared", "-o", tmp_path / "old.so", "-x", "c", "/dev/null"], check=True)
        assert "is too old: it has no PQ" in said(CORMORANT_LIBPQ=str(tmp_path / "old.so"))


def test_psycopg_s_wheel_brings_libpq_where_the_system_has_none(tmp_path: Path) -> None:
    if find_spec("psycopg_binary") is None:
        pytest.skip("psycopg has no binary wheel here")
    (tmp_path / "libpq.so.5").touch()
    assert said(LD_LIBRARY_PATH=str(tmp_path)) == ""
    assert "cannot be loaded" in said(LD_LIBRARY_PATH=str(tmp_path), CORMORANT_LIBPQ=str(tmp_path / "libpq.so.5"))


# TLS ------------------------------------------------------------------------------------------------------------------


class Authority:
    """Signs certificates, with the openssl of this machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.make("authority", "-x509", "-subj", "/CN=authority", "-days", "2")

    def make(self, name: str, *arguments: str) -> None:
        self.run("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{name}.key",
                 "-out", f"{name}.crt" if "-x509" in arguments else f"{name}.csr", *arguments)  # fmt: skip

    def run(self, *arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True)

    def sign(self, name: str, *, host: str, expired: bool = False) -> None:
        """Makes NAME.crt and NAME.key of a server."""
        self.make(name, "-subj", f"/CN={host}")
        (self.folder / "names").write_text(f"subjectAltName=DNS:{host}\n")
        (self.folder / "index").write_text("")
        (self.folder / "ca.conf").write_text(
            "[ca]\ndefault_ca=a\n[a]\ndatabase=index\nnew_certs_dir=.\nrand_serial=yes\ndefault_md=sha256\n"
            "policy=p\nx509_extensions=\nunique_subject=no\n[p]\ncommonName=supplied\n"
        )
        dates = ("200101000000Z", "200201000000Z") if expired else ("200101000000Z", "491231000000Z")
        self.run("ca", "-batch", "-notext", "-config", "ca.conf", "-cert", "authority.crt", "-keyfile", "authority.key",
                 "-in", f"{name}.csr", "-out", f"{name}.crt", "-startdate", dates[0], "-enddate", dates[1],
                 "-extfile", "names")  # fmt: skip


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def authority() -> Iterator[Authority]:
    if shutil.which("openssl") is None:
        pytest.skip("no openssl is installed")
    if URL:
        with Database(URL) as db:
            if not db.fetch_value("SELECT current_setting('ssl_library')"):
                pytest.skip("this server was built without TLS")
    # Not in pytest's folder, which the server's user may not look into.
    folder = Path(tempfile.mkdtemp(prefix="cormorant-tls-", dir="/tmp"))
    folder.chmod(0o755)
    yield Authority(folder)
    shutil.rmtree(folder)


@pytest.fixture
def tls_server(
    authority: Authority, own_server: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., str]:
    """Starts a server that shows a certificate; gives the part of its URL from the host on."""

    def start(**certificate: Any) -> str:
        authority.sign("server", **certificate)
        for name in ("server.key", "server.crt"):
            file = authority.folder / name
            file.chmod(0o640 if os.getuid() == 0 else 0o600)
            if os.getuid() == 0:
                os.chown(file, 0, grp.getgrnam("postgres").gr_gid)
        rules = authority.folder / "hba"
        rules.write_text("local all all trust\nhostssl all all 127.0.0.1/32 trust\n")
        port = free_port()
        monkeypatch.setenv("PGPORT", str(port))
        own_server(
            "--set", "listen_addresses='127.0.0.1'", "--set", f"port={port}", "--set", "ssl=on",
            "--set", f"ssl_cert_file='{authority.folder}/server.crt'",
            "--set", f"ssl_key_file='{authority.folder}/server.key'", "--set", f"hba_file='{rules}'",
        )  # fmt: skip
        return f"localhost:{port}/cormorant?hostaddr=127.0.0.1"

    return start


def verifying(place: str, root: Path) -> str:
    return f"postgresql://cormorant:secret@{place}&sslmode=verify-full&sslrootcert={root}"


def test_a_server_proves_who_it_is(authority: Authority, tls_server: Callable[..., str]) -> None:
    place = tls_server(host="localhost")
    root = authority.folder / "authority.crt"
    with Database(verifying(place, root)) as db:
        assert db.query("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()").fetch_all()[0][0] in (1, True)
    fails(verifying(place, authority.folder / "none.crt"), "none.crt", "sslrootcert")
    (authority.folder / "other").mkdir()
    other = Authority(authority.folder / "other").folder
    fails(verifying(place, other / "authority.crt"), "certificate", "sslrootcert", "expired")
    fails(f"postgresql://cormorant:secret@{place}&sslmode=disable", "pg_hba.conf")


def test_a_certificate_of_another_host_is_refused(authority: Authority, tls_server: Callable[..., str]) -> None:
    place = tls_server(host="db.example.org")
    root = authority.folder / "authority.crt"
    fails(verifying(place, root), "db.example.org", "localhost", "name")
    assert user(verifying(place, root).replace("verify-full", "verify-ca")) == "cormorant"


def test_a_certificate_that_has_expired_is_refused(authority: Authority, tls_server: Callable[..., str]) -> None:
    place = tls_server(host="localhost", expired=True)
    fails(verifying(place, authority.folder / "authority.crt"), "certificate", "expired")


def test_a_server_without_tls(own_server: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    port = free_port()
    monkeypatch.setenv("PGPORT", str(port))
    own_server("--set", "listen_addresses='127.0.0.1'", "--set", f"port={port}")
    fails(f"postgresql://cormorant:secret@127.0.0.1:{port}/cormorant?sslmode=require", "SSL", "ssl = on")


# Poolers --------------------------------------------------------------------------------------------------------------


def test_a_pooler_that_changes_servers_loses_no_statement(pooler: str) -> None:
    """What one server has prepared the other has not, and what is to be prepared is there already: 26000 and 42P05."""
    with Database(pooler) as first, Database(pooler) as second, Database(f"{pooler}?prepare=never") as third:
        first.execute("DROP TABLE IF EXISTS note")
        first.create_tables(Note)
        for number in range(60):
            for place, db in enumerate((first, second, third)):
                key = number * 3 + place
                db.insert(Note(key, f"text {key}"))
                assert db.find(Note, key).text == f"text {key}"
                assert db.count(Note) == key + 1
        first.execute("DROP TABLE note")


# A full disk ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def small_disk() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="cormorant-disk-", dir="/tmp"))
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m,mode=777", "tmpfs", folder], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        folder.rmdir()
        pytest.skip("no file system can be mounted here")
    yield folder
    end = time.monotonic() + 10
    while subprocess.run(["umount", folder], capture_output=True, check=False).returncode and time.monotonic() < end:
        time.sleep(0.2)
    with contextlib.suppress(OSError):
        folder.rmdir()


def test_a_full_disk_is_told_and_loses_nothing(small_disk: Path, own_server: Callable[..., str]) -> None:
    place = small_disk / "space"
    place.mkdir()
    if os.getuid() == 0:
        shutil.chown(place, "postgres", "postgres")
    with Database(own_server()) as db:
        db.execute(f"CREATE TABLESPACE small LOCATION '{place}'")
        db.execute("SET default_tablespace = small")
        db.create_tables(Note)
        text = os.urandom(4000).hex()
        with pytest.raises(Error) as caught:
            for number in range(2000):
                db.insert(Note(number, text))
        assert caught.value.code == "CORM_E_FULL", caught.value
        kept = db.count(Note)
        assert kept == number
        with pytest.raises(Error) as caught:
            db.insert_many([Note(10_000 + index, text) for index in range(500)])
        assert caught.value.code == "CORM_E_FULL", caught.value
        assert db.count(Note) == kept
        db.execute("DROP TABLE note")
        db.create_tables(Note)
        db.insert(Note(1, text))
        assert db.find(Note, 1).text == text
