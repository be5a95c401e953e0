"""Where Ctrl+C may strike: on Trio it is raised in whatever function runs just then.

Decides that this is a user's function and none of ours, in which it would tear groups
and wake-ups apart. Must not know what the functions do.

Struck in a spared function, or in what that calls, Trio raises it in the main task
instead, where this one waits. On asyncio it always is the main task that learns of it.
"""

import sys
from types import FunctionType
from typing import TypeVar

F = TypeVar("F")

_marks: list[tuple[object, bool]] = []


def spared(function: F) -> F:
    """Mark a function, and what it calls, as one that Ctrl+C doesn't strike."""
    return _marked(function, True)


def struck(function: F) -> F:
    """Mark a function that a spared one calls as one that Ctrl+C may strike."""
    return _marked(function, False)


def _marked(function: F, spare: bool) -> F:
    _marks.append((function, spare))
    return function


def tell_trio() -> None:
    """Let Trio know of all marks, if it is there."""
    if "trio" not in sys.modules:
        return
    from trio.lowlevel import disable_ki_protection, enable_ki_protection

    while _marks:
        function, spare = _marks.pop()
        assert isinstance(function, FunctionType)
        (enable_ki_protection if spare else disable_ki_protection)(function)
