"""Where a file lives: SQLite's locks can't be trusted across a network.

Decides which file systems are warned of. Must not know SQLite.
"""

import re
from pathlib import Path

_MOUNTS = Path("/proc/mounts")

_OF_A_NETWORK = frozenset(
    {
        "9p",
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "fuse.glusterfs",
        "fuse.s3fs",
        "fuse.sshfs",
        "glusterfs",
        "gpfs",
        "lustre",
        "nfs",
        "nfs4",
        "smb3",
        "smbfs",
    }
)

_OCTAL = re.compile(r"\\([0-7]{3})")


def network_of(path: Path, mounts: Path = _MOUNTS) -> str | None:
    """Return the kind of the network file system that a path is on, if it is on one.

    ``None`` as well where the system has no list of its mounts.
    """
    try:
        lines = mounts.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return None
    kind = _kind(path.resolve(), lines)
    return kind if kind in _OF_A_NETWORK else None


def _kind(path: Path, lines: list[str]) -> str | None:
    # later lines cover earlier ones, and deeper mounts those above them
    deepest, kind = -1, None
    for line in lines:
        _, mounted, found, *_ = line.split(" ")
        place = Path(_unescaped(mounted))
        if path.is_relative_to(place) and len(place.parts) >= deepest:
            deepest, kind = len(place.parts), found
    return kind


def _unescaped(text: str) -> str:
    return _OCTAL.sub(lambda match: chr(int(match[1], 8)), text)
