"""Faults in when slots are asked for, and in what is made of the answers."""

from property_tests.mutants.mutant import Mutant
from property_tests.mutants.suites import CLAIM_ONLY_CLUSTERS

ASKING = "anarchon/engine/asking.py"
CALLS = "anarchon/engine/calls.py"
TIMERS = "anarchon/engine/timers.py"

MUTANTS = (
    Mutant(
        name="a claim whose answer was lost counts as lost",
        breaks="L2: an unanswered claim is asked again",
        file=ASKING,
        find="reply = await session.calls.claim(claim)",
        put=(
            "from anarchon.protocol import Late\n"
            "                reply = await session.calls.claim(claim) or Late(now=None)"
        ),
    ),
    Mutant(
        name="a claim that was given up is forgotten",
        breaks="T5: an unheard claim may have won",
        file="anarchon/engine/lease_runner.py",
        find="watch.keep(claim, unheard=True)",
        put="",
    ),
    Mutant(
        name="what was early is asked for under a fresh token",
        breaks="T5: one token for one wanted attempt",
        file="anarchon/engine/claims.py",
        find="if early is None or early.slot != slot:",
        put="if slot:",
        only=CLAIM_ONLY_CLUSTERS,
    ),
    Mutant(
        name="after an overlap nobody watches the slot",
        breaks="a backup also watches the newest skipped slot",
        file="anarchon/engine/lease_runner.py",
        find="watch.keep(claim)",
        put="",
    ),
    Mutant(
        name="a store call may take for ever",
        breaks="every store call is bounded",
        file=CALLS,
        find="self._bridge.call(call, *args, bound=bound, keep=keep)",
        put="self._bridge.call(call, *args, bound=1e9, keep=keep)",
    ),
    Mutant(
        name="a store that fails ends the scheduler",
        breaks="the scheduler never dies of the store",
        file=CALLS,
        find="except Exception as error:",
        put="except TimeoutError as error:",
    ),
    Mutant(
        name="slots are told by the local clock",
        breaks="L4: one wrong clock takes and misses no slot",
        file="anarchon/engine/store_time.py",
        find="if not self._samples or self._drifted(monotonic, wall):",
        put="if self._clock is not None:",
    ),
    Mutant(
        name="all slots that a frozen host missed are made up",
        breaks="no catch-up of all slots",
        file=TIMERS,
        find="self.arm(state, now if slot is None else max(now, slot))",
        put="self.arm(state, now if slot is None else slot)",
    ),
    Mutant(
        name="a clock that was set back stops the timers",
        breaks="every due slot ends as run, or as skipped",
        file=TIMERS,
        find="if now < self._seen - STEP_BACK:",
        put="if self._seen is None:",
    ),
    Mutant(
        name="after a slot the next one is left out",
        breaks="every due slot ends as run, or as skipped",
        file=TIMERS,
        find="slot = first_after(schedule, after)",
        put="slot = first_after(schedule, first_after(schedule, after))",
    ),
    Mutant(
        name="without leases, a claim whose answer was lost is left to itself",
        breaks="what was won unheard never reads 'running' for ever",
        file="anarchon/engine/claim_runner.py",
        find="session.release_unknown(claim)",
        put="assert claim",
    ),
)
