"""What the figures were measured on, and with which versions.

Decides what is told of it.
"""

import os
import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("anarchon", "anyio", "trio", "redis", "asyncpg", "aiosqlite", "nats-py")


def machine() -> list[str]:
    """Return the processor, how many of it there are, memory and system."""
    return list(_machine())


def versions() -> dict[str, str]:
    """Return the versions of Python, the drivers and the loops."""
    found = {"Python": platform.python_version()}
    for name in (*PACKAGES, "aio-pika"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
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
