"""Names of jobs in keys: none shares a key with another, all fit."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anarchon.backends.names import escaped

LEGAL = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1
)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("sync-1_a", "sync-1_a"),
        ("a.b", "a=2Eb"),
        ("=2E", "=3D2E"),
        ("é", "=C3=A9"),
        ("", ""),
    ],
)
def test_plain_names_stay(name: str, key: str) -> None:
    """Letters, digits, underscores and dashes stay, the rest is written as bytes."""
    assert key == escaped(name, 100)


@given(LEGAL, LEGAL)
def test_two_names_have_two_keys(one: str, other: str) -> None:
    """Escaped or hashed, a key tells which name it is of."""
    assert (one == other) == (escaped(one, 80) == escaped(other, 80))


@given(LEGAL, st.integers(66, 300))
def test_keys_fit(name: str, longest: int) -> None:
    """A key has few kinds of characters, and no more of them than asked for."""
    assert re.fullmatch(rf"[A-Za-z0-9_=-]{{1,{longest}}}", escaped(name, longest))
