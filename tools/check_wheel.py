"""Check what a wheel carries: the package with its types and SQL, and nothing else."""

import sys
from pathlib import Path
from zipfile import ZipFile

KINDS = {".py", ".sql", ".lua", ".typed"}


def main(wheel: Path, package: Path) -> int:
    """Compare a wheel with the package's folder; return 1 if they differ."""
    with ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" not in name]
    packed = set(names)
    source = {
        file.relative_to(package.parent).as_posix()
        for file in package.rglob("*")
        if file.suffix in KINDS
    }
    for name in sorted(packed ^ source):
        print(f"{name}: {'stray' if name in packed else 'missing'}")
    return 1 if packed != source or "anarchon/py.typed" not in packed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
