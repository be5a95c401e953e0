"""The file of a SQLite store: what is done with it, and what is said if that fails."""

import logging
import os
import sqlite3
import sys
import tempfile
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from anarchon.backends.sqlite import SqliteBackend, connection, file, store
from anarchon.backends.sqlite.file import check_version
from anarchon.backends.sqlite.mounts import network_of
from anarchon.backends.sqlite.schema import VERSION
from anarchon.errors import BackendTooOld, BackendUnavailable, InvalidOption
from anarchon.testing.conformance import ManualClock
from anarchon.testing.conformance.probe import LeaseProbe, linked

pytestmark = pytest.mark.anyio


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Name a file that isn't there yet."""
    return tmp_path / "jobs.db"


@contextmanager
def raw(path: Path) -> Generator[sqlite3.Connection]:
    """Look into the file past the store."""
    with closing(sqlite3.connect(path, timeout=5, isolation_level=None)) as connection:
        yield connection


async def opened(path: Path, namespace: str = "anarchon") -> None:
    """Open a store and close it."""
    async with linked(SqliteBackend(path, namespace=namespace)):
        pass


@pytest.mark.parametrize("path", ["", ":memory:"])
def test_memory_is_no_file(path: str) -> None:
    """What SQLite keeps in memory can't be shared; the error names what can."""
    with pytest.raises(InvalidOption, match="MemoryBackend"):
        SqliteBackend(path)


def test_path_must_be_one() -> None:
    """The error shows what was given in place of a path."""
    with pytest.raises(InvalidOption, match="not by 7"):
        SqliteBackend(7)  # type: ignore[arg-type]


@pytest.mark.parametrize("namespace", ["Jobs", "sqlite", "sqlite_jobs"])
def test_namespace_must_make_table_names(path: Path, namespace: str) -> None:
    """Names that SQLite would mix up or refuse are refused first."""
    with pytest.raises(InvalidOption, match=namespace):
        SqliteBackend(path, namespace=namespace)


def test_missing_driver_names_the_extra(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without aiosqlite the error says what to install."""
    monkeypatch.setitem(sys.modules, "aiosqlite", None)
    with pytest.raises(InvalidOption, match=r"anarchon\[sqlite\]"):
        SqliteBackend(path)


def test_backend_is_a_description(path: Path) -> None:
    """Nothing is opened before ``open``, and the repr says which file it will be."""
    backend = SqliteBackend(path, namespace="mine")
    assert f"SqliteBackend({str(path)!r}, namespace='mine')" == repr(backend)
    assert not path.exists()


def test_relative_path_is_taken_from_where_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that changes its folder later keeps its store."""
    monkeypatch.chdir(tmp_path)
    backend = SqliteBackend("jobs.db")
    monkeypatch.chdir("/")
    assert tmp_path / "jobs.db" == backend.path


def test_old_library_is_refused() -> None:
    """The error has the version that was found and the one that is needed."""
    with pytest.raises(BackendTooOld, match=r"3\.31\.1 is too old: 3\.37\.0"):
        check_version((3, 31, 1))


async def test_missing_folder_is_told(tmp_path: Path) -> None:
    """Folders aren't made; the error names the one that is missing."""
    with pytest.raises(BackendUnavailable, match=f"no folder {tmp_path}/missing"):
        await opened(tmp_path / "missing" / "jobs.db")


async def test_folder_is_no_file(tmp_path: Path) -> None:
    """The path of a folder is told to be one."""
    with pytest.raises(BackendUnavailable, match=f"{tmp_path} .*it is a folder"):
        await opened(tmp_path)


@pytest.fixture
def letter(path: Path) -> Generator[Path]:
    """Write a file that is no database; afterwards it must be the same."""
    text = "something else, and long enough to have a header " * 10
    path.write_text(text)
    yield path
    assert text == path.read_text()


async def test_other_file_is_no_store(letter: Path) -> None:
    """A file of another kind is an error, and is left as it is."""
    with pytest.raises(BackendUnavailable, match=r"jobs\.db .*not a database"):
        await opened(letter)


@pytest.fixture
def forbidden() -> Generator[Path]:
    """Name a folder in which the test's user may write nothing."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o555)
        user = os.geteuid()
        if user == 0:  # who may do anything
            os.seteuid(65534)
        yield Path(folder)
        os.seteuid(user)


async def test_missing_permission_is_told(forbidden: Path) -> None:
    """A file that can't be written is an error that names it and what is needed."""
    with pytest.raises(BackendUnavailable, match=r"jobs\.db .*right to the file"):
        await opened(forbidden / "jobs.db")


async def test_refused_wal_is_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where SQLite can't give WAL the store isn't used: its locks would block."""
    connect = sqlite3.connect

    def unshared(path: Path, timeout: float, isolation_level: None) -> object:
        uri = f"file:{path}?vfs=unix-dotfile"
        return connect(uri, timeout=timeout, isolation_level=isolation_level, uri=True)

    monkeypatch.setattr(sqlite3, "connect", unshared)
    with pytest.raises(BackendUnavailable, match=r"jobs\.db .*stays 'delete'"):
        await opened(path)


async def test_locked_file_is_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that somebody else keeps locked is waited for, but not for ever."""
    monkeypatch.setattr(connection, "WAIT_FOR_LOCK", 0.05)
    with raw(path) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(BackendUnavailable, match=r"jobs\.db .*locked"):
            await opened(path)


def test_durable_settings(path: Path) -> None:
    """A claim that was granted outlives a power cut: WAL, each commit synced."""
    with closing(file.connect(path)) as connection:
        settings = [
            connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous")
        ]
    assert ["wal", 2] == settings


async def test_history_outlives_the_process(path: Path) -> None:
    """What was recorded is there when the file is opened again."""
    clock = ManualClock()
    backend = SqliteBackend(path, clock=clock)
    async with linked(backend) as link:
        await LeaseProbe(link, clock).run("a")
    async with linked(backend) as link:
        job = LeaseProbe(link, clock)
        assert [job.success_of("a")] == await job.history()


async def test_namespaces_are_apart(path: Path) -> None:
    """Two clusters in one file don't see each other."""
    clock = ManualClock()
    async with (
        linked(SqliteBackend(path, clock=clock)) as one,
        linked(SqliteBackend(path, clock=clock, namespace="other-1")) as other,
    ):
        await LeaseProbe(one, clock).run("a")
        assert [] == await LeaseProbe(other, clock).history()
        await LeaseProbe(other, clock).run("b")


async def test_tables_of_the_user_are_left_alone(path: Path) -> None:
    """The store lives beside other tables in one file."""
    with raw(path) as other:
        other.execute("CREATE TABLE jobs (name TEXT)")
        other.execute("INSERT INTO jobs VALUES ('mine')")
    await opened(path)
    with raw(path) as other:
        assert [("mine",)] == other.execute("SELECT * FROM jobs").fetchall()


async def test_foreign_table_is_told(path: Path) -> None:
    """A table of our name with other columns is an error, and is left as it is."""
    with raw(path) as other:
        other.execute("CREATE TABLE anarchon_runs (name TEXT)")
    with pytest.raises(BackendUnavailable, match=r"jobs\.db are somebody else's"):
        await opened(path)
    with raw(path) as other:
        tables = other.execute("SELECT name FROM sqlite_schema").fetchall()
    assert [("anarchon_runs",)] == tables


async def test_newer_tables_are_refused(path: Path) -> None:
    """Tables that a newer version made are an error with both versions."""
    await opened(path)
    with raw(path) as other:
        other.execute("UPDATE anarchon_schema SET version = 7")
    with pytest.raises(BackendTooOld, match=rf"version 7, .* version {VERSION}"):
        await opened(path)


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        ("/srv/share/jobs.db", "nfs4"),
        ("/srv/share/local/jobs.db", None),
        ("/srv/my share/jobs.db", "cifs"),
        ("/srv/jobs.db", None),
    ],
)
def test_network_file_systems_are_known(
    tmp_path: Path, place: str, kind: str | None
) -> None:
    """The deepest mount above a file tells its file system."""
    mounts = tmp_path / "mounts"
    mounts.write_text(
        "/dev/vda / ext4 rw 0 0\n"
        "server:/export /srv/share nfs4 rw 0 0\n"
        "/dev/vdb /srv/share/local xfs rw 0 0\n"
        "//server/x /srv/my\\040share cifs rw 0 0\n"
    )
    assert kind == network_of(Path(place), mounts)


def test_system_without_a_list_of_mounts(tmp_path: Path) -> None:
    """Where mounts aren't listed nothing is warned of."""
    assert network_of(Path("/srv/jobs.db"), tmp_path / "missing") is None


async def test_network_file_system_is_warned_of(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The store works there as far as its locks do, and says so once."""
    monkeypatch.setattr(store, "network_of", lambda path: "nfs4")
    await opened(path)
    [record] = [r for r in caplog.records if r.name == "anarchon"]
    assert ("anarchon", logging.WARNING) == (record.name, record.levelno)
    assert f"not to be trusted on nfs4, where {path} is" in record.message
