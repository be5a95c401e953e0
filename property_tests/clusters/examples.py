"""Plans that are always played: what chance brings about too seldom.

Decides nothing but which; each is named for the mechanism that it needs.
"""

from dataclasses import replace

from anarchon.model import Overlap
from property_tests.clusters import clock_examples
from property_tests.clusters.plans import (
    RUNNER,
    Conduct,
    Copies,
    Crash,
    CutOff,
    Deed,
    Freeze,
    JobPlan,
    LostFinishes,
    LostReplies,
    Machine,
    Plan,
    Slow,
    Stop,
    StoreClock,
)

THREE = (Machine(), Machine(), Machine())
LONG = JobPlan(name="one", period=90, seconds=60)


def _plan(job: JobPlan, *deeds: Deed, machines: int = 3) -> Plan:
    return Plan(machines=(Machine(),) * machines, jobs=(job,), deeds=deeds)


# --- how a run is lost, and noticed ---

CUT_OFF_FOR_LONG = _plan(LONG, Deed(100, RUNNER, 40, CutOff(silent=True)))
REFUSED_FOR_LONG = _plan(LONG, Deed(100, RUNNER, 40, CutOff(silent=False)))
# replies are slow, so trust that counts from them outlives the lease
SLOW_BEATS_THEN_SILENCE = _plan(
    LONG,
    Deed(95, RUNNER, 13, Slow(0.0, 3.5)),
    Deed(108, RUNNER, 40, CutOff(silent=True)),
)
SLOW_CLAIM_THEN_SILENCE = _plan(
    LONG,
    Deed(89, "A", 3, Slow(0.0, 3.0)),
    Deed(92, "A", 40, CutOff(silent=True)),
    machines=1,
)
# while it is frozen, B comes up and takes the run over
FROZEN_WITH_A_WIN_ON_ITS_WAY = _plan(
    LONG,
    Deed(80, "B", 25, Crash()),
    Deed(89, "A", 3, Slow(0.0, 3.0)),
    Deed(92, "A", 30, Freeze(suspended=False)),
    machines=2,
)
# and once more, with the answer that the run is still its own
FROZEN_WHILE_IT_ASKS_FOR_ITS_WIN = _plan(
    LONG,
    Deed(80, "B", 50, Crash()),
    Deed(89, "A", 40, Slow(0.0, 3.0)),
    Deed(92, "A", 30, Freeze(suspended=False)),
    Deed(123, "A", 30, Freeze(suspended=False)),
    machines=2,
)
SHIELDED_WHEN_REFUSED = _plan(
    JobPlan(name="one", period=90, seconds=60, conduct=Conduct.SHIELDS),
    Deed(91.2, RUNNER, 17, Freeze(suspended=False)),
)
# it beats no more when it could hear of the refusal, and its shield holds longer
GIVEN_UP_WHILE_CUT_OFF = _plan(
    JobPlan(name="one", period=90, seconds=60, conduct=Conduct.SHIELDS),
    Deed(92, RUNNER, 22, CutOff(silent=False)),
)

# --- how a run ends ---

FINISHED_WHILE_CUT_OFF = _plan(LONG, Deed(148, RUNNER, 8, CutOff(silent=False)))
BEATING_WHILE_THE_FINISH_IS_SLOW = _plan(LONG, Deed(140, RUNNER, 20, Slow(0.0, 3.0)))
# for longer than a lease, which the beats keep all the same
FINISHED_UNHEARD = _plan(LONG, Deed(140, RUNNER, 30, LostFinishes()))
THAWED_WITH_AN_OLD_END = _plan(
    JobPlan(name="one", period=90, seconds=25, conduct=Conduct.RAISES),
    Deed(100, RUNNER, 30, Freeze(suspended=True)),
)
THAWED_AFTER_ITS_WORK = _plan(
    JobPlan(name="one", period=90, seconds=25),
    Deed(100, RUNNER, 30, Freeze(suspended=True)),
)
SWALLOWED_TIMEOUT = _plan(
    JobPlan(name="one", period=90, seconds=60, timeout=20, conduct=Conduct.SWALLOWS)
)
STUBBORN_AFTER_A_TIMEOUT = _plan(
    JobPlan(
        name="one",
        period=30,
        seconds=60,
        timeout=20,
        conduct=Conduct.IGNORES,
        stubborn=30,
        overlap=Overlap.ALLOW,
    ),
    machines=1,
)
# its end is written and not heard of, and then the handler ends as well
STUBBORN_WHILE_ITS_END_IS_REPEATED = _plan(
    JobPlan(
        name="one",
        period=90,
        seconds=60,
        timeout=20,
        conduct=Conduct.IGNORES,
        stubborn=10,
    ),
    Deed(114, "A", 12, LostReplies(silent=False)),
    machines=1,
)
STUBBORN_WHEN_LOST = _plan(
    JobPlan(name="one", period=90, seconds=60, conduct=Conduct.IGNORES, stubborn=30),
    Deed(95, "A", 18, CutOff(silent=True)),
    machines=1,
)

# --- who goes on with it ---

DEAD_WHILE_THE_STORE_IS_SET_BACK = _plan(
    LONG, Deed(100, RUNNER, 70, Crash()), Deed(101, "A", 70, StoreClock(-300.0))
)
# and there is nobody who looks at the lease before it has caught up with it
ALONE_AND_DEAD_WHILE_THE_STORE_IS_SET_BACK = _plan(
    JobPlan(name="one", period=300, seconds=150),
    Deed(20, "A", 20, StoreClock(100.0)),
    Deed(30, "A", 100, Crash()),
    machines=1,
)
# its lease was over long ago, and isn't any more
OVER_UNTIL_THE_STORE_IS_SET_BACK = _plan(
    JobPlan(name="one", period=300, seconds=150),
    Deed(10, "A", 40, StoreClock(100.0)),
    Deed(20, "A", 35, Crash()),
    machines=1,
)
# between two sweeps, so that only who watches from the lost claim on finds it
HANDED_OVER_SOON = _plan(LONG, Deed(93, RUNNER, 40, Stop()))
HANDED_OVER_LATER = _plan(LONG, Deed(112, RUNNER, 40, Stop()))
# who came too early for the slot watches it, in case somebody starts it
HANDED_OVER_TO_WHO_CAME_TOO_EARLY = Plan(
    machines=(Machine(), Machine()),
    jobs=(JobPlan(name="one", period=30, seconds=30),),
    deeds=(Deed(33, RUNNER, 40, Stop()),),
    chance=1,
)
# the backup is who has just lost the run
HANDED_OVER_TO_ITS_LOSER = _plan(
    LONG,
    Deed(95, RUNNER, 16, CutOff(silent=False)),
    Deed(112, RUNNER, 40, Stop()),
    machines=2,
)
# the slot passed while A was frozen, so only a sweep tells it of the run
UNWATCHED_AFTER_A_FREEZE = _plan(
    JobPlan(name="one", period=90, seconds=80),
    Deed(85, "A", 40, Freeze(suspended=False)),
    Deed(148, RUNNER, 70, Crash()),
    machines=2,
)
USED_UP = _plan(
    JobPlan(name="one", period=90, seconds=60, max_attempts=1),
    Deed(100, RUNNER, 70, Crash()),
)
REPLACED_AT_A_START = _plan(LONG, Deed(100, "A", 82, Crash()), machines=1)
# too old to be caught up, and a sweep comes too late
LEFT_AT_A_START = _plan(
    JobPlan(name="one", period=90, seconds=100), Deed(245, "A", 12, Crash()), machines=1
)
LEFT_BESIDE_A_NEWER_ONE = _plan(
    JobPlan(name="one", period=30, seconds=100, overlap=Overlap.ALLOW),
    Deed(99, "A", 13, Crash()),
    machines=1,
)
# the claim for the next slot tells of the takeover before its own repetition does
TAKEN_OVER_UNHEARD = _plan(
    JobPlan(name="one", period=30, seconds=100),
    Deed(99, RUNNER, 70, Crash()),
    *(Deed(110, who, 9.5, LostReplies(silent=True)) for who in "ABC"),
)
# the older run's lease ends between a claim, which overlaps it, and its copy
REPLACED_BY_A_COPY = Plan(
    machines=(Machine(), Machine()),
    jobs=(JobPlan(name="one", period=30, seconds=100),),
    deeds=(
        Deed(46, RUNNER, 70, Crash()),
        *(Deed(58, who, 5, Copies(0.5)) for who in "AB"),
    ),
    chance=22,
)

# --- how slots are asked for ---

# a copy of what its watch asks is told of the end, and then handlers are in the way
STUCK_WHEN_ONLY_A_COPY_WAS_TOLD = Plan(
    machines=(Machine(), Machine()),
    jobs=(
        JobPlan(
            name="one",
            period=20,
            seconds=40,
            conduct=Conduct.IGNORES,
            stubborn=30,
            timeout=20,
            overlap=Overlap.ALLOW,
        ),
    ),
    deeds=tuple(Deed(30, who, 40, Copies(20.0)) for who in "AB"),
    stop_timeout=20,
    chance=3,
)

CUT_OFF_FOR_A_MOMENT = _plan(LONG, Deed(89, "A", 3, CutOff(silent=False)), machines=1)
WON_UNHEARD = _plan(
    JobPlan(name="one", period=90, seconds=60, max_attempts=1),
    Deed(89, "A", 23, LostReplies(silent=True)),
    machines=1,
)
# its watch would ask for the older run before the jitter of the newer slot is over
DEAD_UNTIL_A_NEWER_SLOT = Plan(
    machines=(Machine(),),
    jobs=(JobPlan(name="one", period=30, seconds=40),),
    deeds=(Deed(10, "A", 51, Crash()),),
)
# it takes the older run over, and then the next slot comes due
DEAD_UNTIL_JUST_BEFORE_A_SLOT = _plan(
    JobPlan(name="one", period=30, seconds=25), Deed(35, "A", 24.5, Crash()), machines=1
)

# --- how a scheduler stops ---

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
STOPPED_WHILE_IT_ASKS = _plan(
    LONG, Deed(88, "A", 40, CutOff(silent=False)), Deed(93, "A", 20, Stop())
)
STOPPED_WHILE_CUT_OFF = _plan(
    LONG, Deed(100, RUNNER, 40, CutOff(silent=True)), Deed(105, RUNNER, 20, Stop())
)
STOPPED_WITH_A_WIN_ON_ITS_WAY = _plan(
    LONG,
    Deed(89, "A", 3, Slow(0.0, 3.0)),
    Deed(92, "A", 20, Stop()),
    machines=1,
)
STOPPED_AFTER_A_WIN_UNHEARD = _plan(
    LONG,
    Deed(89, "A", 10, LostReplies(silent=True)),
    Deed(92, "A", 20, Stop()),
    machines=1,
)
# the stop's time is over while it still waits for the answer
STOPPED_BEFORE_A_WIN_IS_MISSED = replace(STOPPED_AFTER_A_WIN_UNHEARD, stop_timeout=1)
# it waits for a handler, while there are runs of others to watch
STOPPED_AMONG_RUNS = _plan(
    JobPlan(
        name="one",
        period=30,
        seconds=80,
        conduct=Conduct.IGNORES,
        stubborn=30,
        overlap=Overlap.ALLOW,
    ),
    Deed(100, RUNNER, 20, Stop()),
)

KEPT = clock_examples.KEPT | {
    name: plan for name, plan in globals().items() if isinstance(plan, Plan)
}
