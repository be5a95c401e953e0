"""From a URL, or an object, to a backend."""

from importlib import metadata
from pathlib import Path

import pytest

from anarchon import backends
from anarchon.backends import backend_from
from anarchon.backends.memory import MemoryBackend
from anarchon.backends.sqlite import SqliteBackend
from anarchon.errors import InvalidOption


def test_object_is_handed_back() -> None:
    """A backend object stands for itself."""
    backend = MemoryBackend()
    assert backend is backend_from(backend)


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("sqlite:///data/jobs.db", Path.cwd() / "data" / "jobs.db"),
        ("sqlite:////var/lib/jobs.db", Path("/var/lib/jobs.db")),
        ("SQLite:////var/lib/jobs.db", Path("/var/lib/jobs.db")),
        ("sqlite:////var/a%20b%3F.db", Path("/var/a b?.db")),
    ],
)
def test_sqlite_url_names_a_file(url: str, path: Path) -> None:
    """Three slashes lead to a relative path, four to an absolute one."""
    backend = backend_from(url)
    assert isinstance(backend, SqliteBackend)
    assert (path, "anarchon") == (backend.path, backend.namespace)


def test_sqlite_url_names_a_namespace() -> None:
    """The namespace is the one option of a SQLite URL."""
    backend = backend_from("sqlite:///jobs.db?namespace=billing")
    assert isinstance(backend, SqliteBackend)
    assert "billing" == backend.namespace


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("sqlite://jobs.db", "this one has the host 'jobs.db'$"),
        ("sqlite:///jobs.db?mode=ro&a=1", "this one has the option 'a, mode'$"),
        ("sqlite://tom@/jobs.db", "this one has a user$"),
        ("sqlite:///jobs.db?namespace=", "namespace must be"),
        ("sqlite://", "memory://"),
        ("sqlite:///:memory:", "MemoryBackend"),
    ],
)
def test_odd_sqlite_url_is_refused(url: str, problem: str) -> None:
    """What a SQLite URL can't mean is an error that says what it can."""
    with pytest.raises(InvalidOption, match=problem):
        backend_from(url)


def test_unknown_scheme_is_refused() -> None:
    """The error names the scheme and those that are known."""
    with pytest.raises(InvalidOption, match=r"mongodb://; .* memory://, .*sqlite://"):
        backend_from("mongodb://localhost")


@pytest.mark.parametrize("thing", [None, 7, b"memory://", MemoryBackend, object()])
def test_other_things_are_refused(thing: object) -> None:
    """Neither a URL nor a backend: a class isn't one, an object of it is."""
    with pytest.raises(InvalidOption, match="a URL or a backend object"):
        backend_from(thing)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "url", ["tom:secret@host/jobs", "redis//tom:secret@host", "host?password=secret"]
)
def test_password_is_not_repeated(url: str) -> None:
    """A URL without a scheme is shown in the error, but for its secrets."""
    with pytest.raises(InvalidOption, match="starts with a scheme") as caught:
        backend_from(url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("url", ["nope://u:secret@host", "sqlite://u:secret@host/x"])
def test_password_is_not_shown_with_a_scheme(url: str) -> None:
    """Nor does a wrong URL's error tell the password that is in it."""
    with pytest.raises(InvalidOption) as caught:
        backend_from(url)
    assert "secret" not in str(caught.value)


def test_entry_point_adds_a_scheme(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another package's backend is found by the scheme that it is registered for."""
    _register(monkeypatch, "tests.backends.test_urls:from_other_url")
    backend = backend_from("other://here")
    assert isinstance(backend, MemoryBackend)
    assert "other" == backend.namespace


@pytest.mark.parametrize(
    ("target", "missing"),
    [("no_such_driver:from_url", "no_such_driver"), ("json:from_url", "from_url")],
)
def test_entry_point_that_is_broken_is_told(
    monkeypatch: pytest.MonkeyPatch, target: str, missing: str
) -> None:
    """A backend whose driver or function is missing is an error that names it."""
    _register(monkeypatch, target)
    with pytest.raises(InvalidOption, match=f"other://.*{missing}"):
        backend_from("other://here")


def test_entry_point_that_makes_no_backend_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What another package returns is looked at before it is used."""
    _register(monkeypatch, "builtins:len")
    with pytest.raises(InvalidOption, match="other:// made no backend"):
        backend_from("other://here")


def test_built_in_schemes_need_no_metadata(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package's metadata the built-in backends are found all the same."""
    monkeypatch.setattr(metadata, "entry_points", lambda **_: ())
    assert isinstance(backend_from("memory://"), MemoryBackend)
    assert isinstance(backend_from("sqlite:///x.db"), SqliteBackend)


def from_other_url(url: str) -> MemoryBackend:
    """Make a backend as another package would."""
    return MemoryBackend(namespace=url.partition("://")[0])


def _register(monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    entry = metadata.EntryPoint("other", target, backends.GROUP)

    def entry_points(**params: str) -> tuple[metadata.EntryPoint, ...]:
        return (entry,) if params.get("name", "other") == "other" else ()

    monkeypatch.setattr(metadata, "entry_points", entry_points)
