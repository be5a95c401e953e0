"""Files that are read while others append to them.

Decides what counts as written: a line is there once its end is.
"""

from pathlib import Path


def whole_lines(path: Path) -> list[str]:
    """Return the lines that are whole, without their ends, oldest first.

    A write is seen bit by bit on some file systems, so the last line may be half there.
    """
    *lines, _unfinished = path.read_text().split("\n")
    return lines
