"""The ways to claim a slot.

Decides what each of them remembers and which server it needs. Must not know how it is
done: that is in the scripts.
"""

from enum import StrEnum

from anarchon.errors import InvalidOption

DAY = 86_400.0


class Strategy(StrEnum):
    """How a slot is claimed; all but the first are claim-only."""

    LEASE = "lease"
    SCRIPT = "script"
    STREAM_ID = "stream-id"
    IDMP = "idmp"

    @property
    def remembers(self) -> float | None:
        """For how many seconds a claim is surely remembered; ``None``: for ever."""
        match self:
            case Strategy.LEASE | Strategy.STREAM_ID:
                return None
            case Strategy.SCRIPT | Strategy.IDMP:
                return DAY


def strategy_from(name: str) -> Strategy:
    """Return the strategy of this name.

    Raises:
        InvalidOption: there is none.
    """
    try:
        return Strategy(name)
    except ValueError:
        known = ", ".join(repr(str(strategy)) for strategy in Strategy)
        raise InvalidOption(
            f"a strategy of a Redis store is one of {known}, not {name!r}"
        ) from None
