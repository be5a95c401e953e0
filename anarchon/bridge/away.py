"""Whether code runs behind a bridge to another loop than the host's.

Decides how that is marked. A client that the user made elsewhere can't be used there.
"""

from contextvars import ContextVar

away: ContextVar[bool] = ContextVar("away", default=False)


def is_away() -> bool:
    """Tell whether this runs in a loop that a bridge made, not in the host's."""
    return away.get()
