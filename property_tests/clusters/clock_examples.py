"""Plans in which time goes wrong, always played: freezes and clocks that are set.

Decides nothing but which; each is named for the mechanism that it needs.
"""

from property_tests.clusters.plans import (
    RUNNER,
    Copies,
    CutOff,
    Deed,
    Freeze,
    JobPlan,
    Machine,
    Plan,
    Slow,
    StoreClock,
    Storm,
)

FROZEN_FOR_THREE_SLOTS = Plan(
    machines=(Machine(), Machine(), Machine()),
    jobs=(JobPlan(name="one", period=20, seconds=10),),
    deeds=(Deed(50, "A", 70, Freeze(suspended=False)),),
)
# at the thaw it meets a slot and its own run, and no beat has told yet whose that is
FROZEN_BEYOND_ITS_LEASE_AND_A_SLOT = Plan(
    machines=(Machine(),),
    jobs=(JobPlan(name="one", period=30, seconds=40),),
    deeds=(Deed(1, "A", 35, Freeze(suspended=False)),),
)
# its beats have come to the store again meanwhile, which it can't know
FROZEN_WHILE_COPIES_BEAT = Plan(
    machines=(Machine(),),
    jobs=(JobPlan(name="one", period=60, seconds=100),),
    deeds=(Deed(45, "A", 20, Copies(20.0)), Deed(58, "A", 20, Freeze(suspended=False))),
    chance=1,
)
SET_FORWARD_FOR_A_MOMENT = Plan(
    machines=(Machine(), Machine(), Machine()),
    jobs=(JobPlan(name="one", period=30, seconds=10),),
    deeds=(Deed(100, "A", 5, StoreClock(300.0)),),
)
# a call that is under way in the freeze is answered at the thaw, and tells no time
THAWED_IN_A_CALL = Plan(
    machines=(
        Machine(offset=1.5),
        Machine(offset=90.0),
        Machine(offset=-90.0, rate=0.99),
        Machine(rate=1.01),
        Machine(offset=-1.5, rate=0.99),
    ),
    jobs=(JobPlan(name="one", period=60, seconds=10),),
    deeds=(
        Deed(45, RUNNER, 70, Freeze(suspended=False)),
        Deed(44, RUNNER, 70, Storm(158)),
        Deed(45, RUNNER, 5, Storm(0)),
    ),
    stop_timeout=5,
)
# its wall clock would hand slots on that its monotonic one has handed on already
SUSPENDED_WITH_A_CLOCK_THAT_IS_BEHIND = Plan(
    machines=(Machine(offset=-90.0), Machine()),
    jobs=(JobPlan(name="one", period=30, seconds=10),),
    deeds=(Deed(75, "A", 20, Freeze(suspended=True)),),
)
# it meets a slot again that it was told the end of, and nobody hears what it asks
ALONE_WITH_A_CLOCK_THAT_IS_BEHIND = Plan(
    machines=(Machine(), Machine(offset=-50.0)),
    jobs=(JobPlan(name="one", period=30, seconds=10),),
    deeds=(
        Deed(59, "B", 3, Slow(2.0, 0.0)),
        Deed(80, "B", 20, Freeze(suspended=True)),
        Deed(99, "B", 45, CutOff(silent=False)),
    ),
)

KEPT = {name: plan for name, plan in globals().items() if isinstance(plan, Plan)}
