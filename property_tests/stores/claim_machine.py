"""Random programs for claim-only stores; what is right is in ``claim_model``.

Decides what of a reply the laws speak about. Must not know any store.
"""

from dataclasses import replace
from typing import ClassVar

from anarchon.model import Reason
from anarchon.protocol import Claim, ClaimReply, Won
from property_tests.stores.brief_model import BriefJob
from property_tests.stores.claim_model import ClaimOnlyJob
from property_tests.stores.machine import StoreMachine


class ClaimMachine(StoreMachine[ClaimOnlyJob]):
    """What instances may ask of a claim-only store, in any order.

    The store keeps an order of slots, tells its time, and trims its history exactly.
    """

    in_order: ClassVar[bool] = True
    tells_time: ClassVar[bool] = True
    kind: ClassVar[type[ClaimOnlyJob]] = ClaimOnlyJob

    def new_model(self, name: str) -> ClaimOnlyJob:
        """Return a job that nothing was asked about."""
        return self.kind(in_order=self.in_order, tells_time=self.tells_time)

    def adapted(self, claim: Claim) -> Claim:
        """Ask as for a slot that is due."""
        return replace(claim, mode=Reason.SCHEDULED)

    def told(self, reply: ClaimReply) -> ClaimReply:
        """Leave out what a lease has left, since there is none."""
        return replace(reply, left=0.0) if isinstance(reply, Won) else reply


class UnorderedMachine(ClaimMachine):
    """The same for a store that grants older slots after newer ones."""

    in_order = False


class BriefMachine(UnorderedMachine):
    """The same for a store that shows the newest records alone."""

    kind: ClassVar[type[ClaimOnlyJob]] = BriefJob


class TimelessMachine(BriefMachine):
    """The same for a store that tells no time, so refuses none, and is slow to read."""

    tells_time = False
    reads_each_step = False
