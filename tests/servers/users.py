"""The user that a server runs as where root isn't allowed to.

Decides who that is, and sees to it that this user can reach what it needs.
"""

import functools
import os
import pwd
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.servers.leash import LEASH


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A user by number, or whoever runs the tests if there are no numbers."""

    uid: int | None = None
    gid: int | None = None

    @property
    def groups(self) -> list[int] | None:
        """The further groups that it gets: none, instead of those of root."""
        return None if self.uid is None else []

    def own(self, path: Path) -> None:
        """Give it a file or a folder."""
        if self.uid is not None and self.gid is not None:
            os.chown(path, self.uid, self.gid)


MYSELF = User()


def unprivileged() -> User:
    """Return who runs the tests, or ``nobody`` if that is root."""
    if os.geteuid() != 0:
        return MYSELF
    nobody = pwd.getpwnam("nobody")
    return User(uid=nobody.pw_uid, gid=nobody.pw_gid)


@functools.cache
def reachable(home: Path, parts: tuple[str, ...], program: str) -> Path:
    """Return where that user can start this program of a folder, home or a copy of it.

    A copy has these parts of the folder, and stays for all servers of this process.
    """
    user = unprivileged()
    try:
        subprocess.run(
            [home / program, "--version"],
            user=user.uid,
            group=user.gid,
            extra_groups=user.groups,
            check=True,
            capture_output=True,
            cwd="/",
        )
    except PermissionError:
        return _copy(home, parts)
    return home


def _copy(home: Path, parts: tuple[str, ...]) -> Path:
    copy = Path(tempfile.mkdtemp(prefix="anarchon-programs-"))
    LEASH.hold_folder(copy)
    copy.chmod(0o755)
    for part in parts:
        shutil.copytree(home / part, copy / part, symlinks=True)
    return copy
