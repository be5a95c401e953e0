"""What the figures were measured on, and with which versions.

Decides what is told of it.
"""

import os
import platform
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from tests.servers.fleet import Fleet

PACKAGES = (
    "anarchon",
    "anyio",
    "trio",
    "redis",
    "asyncpg",
    "aiosqlite",
    "nats-py",
    "aio-pika",
)
SERVERS = {
    "Redis": "redis8",
    "Valkey": "valkey9",
    "PostgreSQL": "postgres18",
    "NATS": "nats215",
    "RabbitMQ": "rabbitmq310",
}


def machine() -> list[str]:
    """Return the processor, how many of it there are, memory and system."""
    return list(_machine())


def versions() -> dict[str, str]:
    """Return the versions of Python, the drivers, the loops and the stores."""
    found = {"Python": platform.python_version()}
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    found["SQLite"] = sqlite3.sqlite_version
    for name, server in SERVERS.items():
        # tests are skipped for want of a server
        with suppress(pytest.skip.Exception), closing(Fleet().fresh(server)) as there:
            found[name] = there.version
    return found


def _machine() -> Iterator[str]:
    yield f"{os.cpu_count()} x {_value('/proc/cpuinfo', 'model name') or 'a processor'}"
    kilobytes = _value("/proc/meminfo", "MemTotal").partition(" ")[0]
    if kilobytes:
        yield f"{int(kilobytes) / 2**20:.0f} GB of memory"
    yield f"{platform.system()} {platform.release()}"


def _value(file: str, key: str) -> str:
    if not Path(file).exists():
        return ""
    for line in Path(file).read_text(encoding="ascii").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == key:
            return value.strip()
    return ""
