"""The page about handlers is true: its fence keeps a replaced attempt out."""

import sqlite3
from collections.abc import Callable
from typing import cast

import pytest

from tests.pages import ROOT, blocks

SaveTotal = Callable[[sqlite3.Connection, int, tuple[int, int]], None]


@pytest.fixture
def save_total() -> SaveTotal:
    """Return the function of the example."""
    names: dict[str, object] = {}
    fence, *_ = blocks(ROOT / "docs" / "handlers.md", "python")
    exec(compile(fence, "handlers.md", "exec"), names)
    return cast("SaveTotal", names["save_total"])


def test_a_fence_lets_later_attempts_write_and_no_earlier_one(
    save_total: SaveTotal,
) -> None:
    """Of two attempts, and of two slots, the later one's total stands."""
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE report (total INTEGER, slot INTEGER, attempt INTEGER)")
    db.execute("INSERT INTO report VALUES (0, 0, 0)")

    save_total(db, 10, (60_000, 1))
    save_total(db, 11, (60_000, 1))
    save_total(db, 20, (60_000, 2))
    for replaced in ((60_000, 1), (0, 3)):
        with pytest.raises(RuntimeError, match="was replaced"):
            save_total(db, 99, replaced)
    assert [(20, 60_000, 2)] == db.execute("SELECT * FROM report").fetchall()

    save_total(db, 30, (120_000, 1))
    assert [(30, 120_000, 1)] == db.execute("SELECT * FROM report").fetchall()
    db.close()
