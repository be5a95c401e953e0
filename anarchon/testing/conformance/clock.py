"""The clock that the suite gives to the store.

Decides nothing: it stands still until a test moves it. Must not know any store.
"""

from datetime import UTC, datetime

SLOT = 1_800_000_000_000
"""The slot that tests start with, in ms since 1970 UTC; a full minute of 2027."""

MINUTE = 60_000


class ManualClock:
    """A store's clock that stands still until it is moved; at first it shows ``SLOT``.

    ``ms`` is its time in milliseconds since 1970 UTC.
    """

    def __init__(self) -> None:
        self.ms: int = SLOT

    def time(self) -> float:
        """Return its time in seconds since 1970 UTC, as a backend reads it."""
        return self.ms / 1000

    @property
    def at(self) -> datetime:
        """Its time as an aware UTC instant, as records have it."""
        return datetime.fromtimestamp(self.ms / 1000, UTC)

    def move(self, seconds: float) -> None:
        """Move it forward, or back when ``seconds`` is negative."""
        self.ms += round(seconds * 1000)
