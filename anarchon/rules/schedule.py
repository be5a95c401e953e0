"""What a schedule is: two questions about its slots, and how they are asked.

Decides which answers make sense. Must not know any particular schedule.
"""

from typing import Protocol, runtime_checkable

from anarchon.errors import InvalidSchedule


@runtime_checkable
class Schedule(Protocol):
    """When a job is due; ``Every``, ``Cron``, or anything with these two methods.

    Slots are whole milliseconds since 1970 UTC and depend on nothing but the schedule,
    so that every instance computes the same ones. Both answers must come in time that
    doesn't grow with the distance, and must be safe to ask from any thread.
    """

    def next_after(self, ms: int) -> int:
        """Return the first slot strictly after this instant."""
        ...

    def latest_at(self, ms: int) -> int | None:
        """Return the last slot at or before this instant, ``None`` if there is none."""
        ...


def first_after(schedule: Schedule, ms: int) -> int:
    """Return the first slot after an instant; the schedule may be a user's.

    Raises:
        InvalidSchedule: the answer isn't a later instant. Whatever the schedule itself
            raises comes out too.
    """
    slot = schedule.next_after(ms)
    if not _is_whole(slot) or slot <= ms:
        raise InvalidSchedule(
            f"the first slot after {ms} must be a later whole number, not {slot!r}"
        )
    return slot


def last_at(schedule: Schedule, ms: int) -> int | None:
    """Return the last slot at or before an instant; the schedule may be a user's.

    Raises:
        InvalidSchedule: the answer is neither that nor ``None``. Whatever the schedule
            itself raises comes out too.
    """
    slot = schedule.latest_at(ms)
    if slot is None or (_is_whole(slot) and slot <= ms):
        return slot
    raise InvalidSchedule(
        f"the last slot at {ms} must be a whole number up to that, not {slot!r}"
    )


def _is_whole(slot: object) -> bool:
    return isinstance(slot, int)
