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
def reachable(folder: Path, program: str) -> Path:
    """Return where that user can start this program: here, or in a copy of the folder.

    A copy stays for all servers of this process; the leash removes it.
    """
    user = unprivileged()
    command = [str(folder / program), "--version"]
    try:
        subprocess.run(
            command,
            user=user.uid,
            group=user.gid,
            extra_groups=user.groups,
            check=True,
            capture_output=True,
            cwd="/",
        )
    except PermissionError:
        return _copy(folder)
    return folder


def _copy(folder: Path) -> Path:
    from tests.servers.leash import LEASH

    home = Path(tempfile.mkdtemp(prefix="anarchon-programs-"))
    LEASH.hold_folder(home)
    home.chmod(0o755)
    shutil.copytree(folder.parent, home / "install", symlinks=True)
    return home / "install" / folder.name
