"""How numbers and counts are written, in tables and in sentences.

Decides how many digits can be meant. Must not know what is counted.
"""

from collections.abc import Sequence

# with all digits up to here
DIGITS = 3
LARGE = 1_000


def number(value: float) -> str:
    """Return a number with as many digits as can be meant."""
    if abs(value) >= LARGE:
        return f"{value:,.0f}"
    if value == int(value):
        return f"{value:.0f}"
    return f"{value:.{DIGITS}g}"


def counted(count: float, word: str) -> str:
    """Return so many of what the word is one of."""
    return f"{number(count)} {word}{'' if count == 1 else 's'}"


def listed(words: Sequence[str]) -> str:
    """Return words as a sentence lists them."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
