"""What users see of the package: its names, docs, words, and the cost of an import."""

import importlib
import inspect
import json
import pkgutil
import re
import statistics
import subprocess
import sys
from collections.abc import Iterator

import pytest

import anarchon

PUBLIC = {
    "AnarchonError",
    "BackendTooOld",
    "BackendUnavailable",
    "Bridge",
    "CancelReason",
    "Clock",
    "Cron",
    "DuplicateJob",
    "Every",
    "InvalidOption",
    "InvalidSchedule",
    "Job",
    "Jobs",
    "MemoryBackend",
    "NatsBackend",
    "PostgresBackend",
    "RabbitMQBackend",
    "Reason",
    "RedisBackend",
    "RunContext",
    "RunRecord",
    "Scheduler",
    "SchedulerNotRunning",
    "SqliteBackend",
    "State",
    "Status",
    "SystemClock",
    "UnknownJob",
    "open_bridge",
    "open_scheduler",
}

FORBIDDEN_WORDS = {
    "acquire",
    "driver",
    "execution",
    "follower",
    "lock",
    "node",
    "ping",
    "renewal",
    "resign",
    "retry",
    "splay",
    "standby",
    "steal",
    "task",
    "tick",
    "worker",
}

OPTIONAL = {"aio_pika", "aiosqlite", "asyncpg", "nats", "redis", "rich", "trio"}


def test_exports_are_the_public_names() -> None:
    """The package exports the documented names, and each of them is there."""
    assert PUBLIC == set(anarchon.__all__)
    assert PUBLIC <= set(dir(anarchon))
    for name in PUBLIC:
        assert getattr(anarchon, name) is not None


def test_unknown_name_is_an_attribute_error() -> None:
    """A name that doesn't exist fails as in any other module."""
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = anarchon.no_such_name  # type: ignore[attr-defined]


def _documented() -> Iterator[tuple[str, object]]:
    for name in sorted(PUBLIC):
        thing = getattr(anarchon, name)
        yield name, thing
        if inspect.isclass(thing):
            for member in inspect.classify_class_attrs(thing):
                if _is_ours(member):
                    yield f"{name}.{member.name}", member.object


def _is_ours(member: inspect.Attribute) -> bool:
    ours = member.defining_class.__module__.startswith("anarchon")
    return ours and member.kind != "data" and not member.name.startswith("_")


def test_every_public_name_has_a_docstring() -> None:
    """Help on any public class, function, method or property says something."""
    assert [] == [name for name, thing in _documented() if not inspect.getdoc(thing)]


def test_every_module_has_a_docstring() -> None:
    """Each file says what it decides."""
    walk = pkgutil.walk_packages(anarchon.__path__, "anarchon.")
    names = [module.name for module in walk if not module.name.endswith("__main__")]
    modules = [importlib.import_module(name) for name in names]
    assert [] == [module.__name__ for module in modules if not module.__doc__]


def _words() -> Iterator[tuple[str, str]]:
    for name, thing in _documented():
        names = [name]
        if callable(thing) and not _is_error(thing):
            names += inspect.signature(thing).parameters
        for part in names:
            for word in re.findall(r"[A-Z]?[a-z]+", part):
                yield name, word.lower()


def _is_error(thing: object) -> bool:
    return inspect.isclass(thing) and issubclass(thing, Exception)


def test_public_names_use_the_projects_words() -> None:
    """No public name or parameter uses a synonym that the vocabulary rules out."""
    assert [] == [(name, word) for name, word in _words() if word in FORBIDDEN_WORDS]


def _fresh(code: str) -> str:
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    return done.stdout


def _loaded_by(module: str) -> set[str]:
    code = f"import json, sys, {module}; print(json.dumps(list(sys.modules)))"
    return set(json.loads(_fresh(code)))


def test_import_loads_no_loop_and_nothing_optional() -> None:
    """Importing the package loads no driver, no Trio, and no asyncio beyond anyio's."""
    added = {name.partition(".")[0] for name in _loaded_by("anarchon")}
    allowed = {name.partition(".")[0] for name in _loaded_by("anyio")}
    assert set() == (added - allowed) & (OPTIONAL | {"asyncio"})


def _import_time(module: str) -> float:
    code = (
        "from time import perf_counter as now; start = now();"
        f"import {module}; print(now() - start)"
    )
    return float(_fresh(code))


def test_import_costs_at_most_twice_that_of_anyio() -> None:
    """Importing the package, anyio included, takes at most twice as long as anyio."""
    pairs = [(_import_time("anarchon"), _import_time("anyio")) for _ in range(9)]
    ours, floor = (statistics.median(times) for times in zip(*pairs, strict=True))
    print(f"import anarchon: {ours * 1e3:.1f} ms, import anyio: {floor * 1e3:.1f} ms")
    assert ours <= 2 * floor + 0.005, "5 ms is the noise of a busy machine"
