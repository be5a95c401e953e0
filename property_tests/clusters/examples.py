"""Plans that are always played: what chance brings about too seldom.

Decides nothing but which; each is named for the mechanism that it needs.
"""

from property_tests.clusters.plans import (
    RUNNER,
    Conduct,
    Crash,
    CutOff,
    Deed,
    Freeze,
    JobPlan,
    Machine,
    Plan,
    Slow,
    Stop,
    StoreClock,
    Storm,
)

THREE = (Machine(), Machine(), Machine())


def _plan(job: JobPlan, *deeds: Deed) -> Plan:
    return Plan(machines=THREE, jobs=(job,), deeds=deeds)


LONG = JobPlan(name="one", period=90, seconds=60)

CUT_OFF_FOR_LONG = _plan(LONG, Deed(100, RUNNER, 40, CutOff(silent=True)))
REFUSED_FOR_LONG = _plan(LONG, Deed(100, RUNNER, 40, CutOff(silent=False)))
DEAD_WHILE_THE_STORE_IS_SET_BACK = _plan(
    LONG, Deed(100, RUNNER, 70, Crash()), Deed(101, "A", 70, StoreClock(-300.0))
)
THAWED_WITH_AN_OLD_END = _plan(
    JobPlan(name="one", period=90, seconds=25, conduct=Conduct.RAISES),
    Deed(100, RUNNER, 30, Freeze(suspended=True)),
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
STOPPED_WHILE_IT_STARTS = Plan(
    machines=(Machine(), Machine()),
    jobs=(JobPlan(name="one", period=30, seconds=40),),
    deeds=(
        Deed(1, RUNNER, 20, Crash()),
        Deed(71, RUNNER, 40, Crash()),
        Deed(112, RUNNER, 20, Stop()),
        Deed(108, RUNNER, 20, Slow(0.0, 0.3)),
        Deed(108, RUNNER, 20, Crash()),
    ),
)
