"""The kinds of stores that are raced on.

Decides which model each kind is held against, and how much a race on it must have seen.
"""

from collections.abc import Callable
from dataclasses import dataclass

from property_tests.races.laws import AnyJob
from property_tests.races.plans import Askable
from property_tests.stores.claim_model import ClaimOnlyJob
from property_tests.stores.lease_model import Job


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of store, and how many different outcomes races on it have at least."""

    new_job: Callable[[str], AnyJob]
    askable: Askable
    outcomes: int


def _leases(*, trims: bool) -> Kind:
    return Kind(new_job=Job, askable=Askable(leases=True, trims=trims), outcomes=12)


def _claims(askable: Askable, *, in_order: bool, tells_time: bool = True) -> Kind:
    return Kind(
        new_job=lambda _: ClaimOnlyJob(in_order=in_order, tells_time=tells_time),
        askable=askable,
        outcomes=4,
    )


LEASES = _leases(trims=True)
UNTRIMMED = _leases(trims=False)
ORDERED = _claims(Askable(), in_order=True)
UNORDERED = _claims(Askable(), in_order=False)
# claims and ends are in two streams
STREAMS = _claims(Askable(snapshots=False), in_order=False)
# and each instance reads them at its own pace
TIMELESS = _claims(
    Askable(snapshots=False, one_step=False, strict=False),
    in_order=False,
    tells_time=False,
)
