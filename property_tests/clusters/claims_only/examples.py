"""Plans for stores without leases that are always played, each named for its mechanism.

Decides nothing but which.
"""

from dataclasses import replace

from property_tests.clusters.plans import (
    RUNNER,
    Conduct,
    Copies,
    Crash,
    CutOff,
    Deed,
    Freeze,
    JobPlan,
    Kind,
    LostReplies,
    Machine,
    Plan,
    Slow,
    Stop,
    StoreClock,
    WrongClock,
)

THREE = (Machine(), Machine(), Machine())
TIMED_OUT = JobPlan(
    name="one", period=30, seconds=100, conduct=Conduct.IGNORES, stubborn=30, timeout=20
)
LONG = JobPlan(name="one", period=30, seconds=40)


def _plan(job: JobPlan, *deeds: Deed, store: Kind = Kind.CLAIMS) -> Plan:
    return Plan(machines=THREE, jobs=(job,), deeds=deeds, store=store)


# for five minutes every slot is older than the newest that was granted
THE_STORE_SET_BACK = _plan(LONG, Deed(26, "A", 60, StoreClock(300.0)))
# what is asked is granted, and nobody hears of it before it is too late
WON_UNHEARD = _plan(
    LONG,
    *(Deed(25, who, 60, LostReplies(silent=False)) for who in "ABC"),
)
WON_UNHEARD_WITHOUT_TIME = _plan(
    LONG,
    *(Deed(25, who, 7, LostReplies(silent=True)) for who in "ABC"),
    store=Kind.TIMELESS,
)
WON_UNHEARD_THEN_CUT_OFF = _plan(
    LONG,
    *(Deed(25, who, 10, LostReplies(silent=False)) for who in "ABC"),
    *(Deed(34, who, 36, CutOff(silent=False)) for who in "ABC"),
)
WON_UNHEARD_BEFORE_A_STOP = replace(
    _plan(
        LONG,
        *(Deed(25, who, 8, LostReplies(silent=False)) for who in "ABC"),
        *(Deed(31.5, who, 20, Stop()) for who in "ABC"),
    ),
    stop_timeout=20,
)
STOPPED_WHILE_ASKING = _plan(
    LONG,
    *(Deed(25, who, 20, Slow(0.0, 2.0)) for who in "ABC"),
    *(Deed(31.5, who, 20, Stop()) for who in "ABC"),
)
ALL_FROZEN = _plan(
    LONG,
    *(Deed(25, who, 40, Freeze(suspended=False)) for who in "ABC"),
    store=Kind.TIMELESS,
)
A_CLOCK_SET_BACK = _plan(
    LONG, Deed(40, "A", 30, WrongClock(300.0)), store=Kind.TIMELESS
)
ASKED_TOO_EARLY = _plan(LONG, Deed(20, "A", 60, StoreClock(-10.0)))
# a copy of the claim that was early arrives before the next one, when the slot is due
ASKED_TOO_EARLY_TWICE = Plan(
    machines=(Machine(),),
    jobs=(JobPlan(name="one", period=30, seconds=10),),
    deeds=(
        Deed(58, "A", 5, Slow(2.0, 0.0)),
        Deed(58, "A", 5, Copies(20.0)),
        Deed(61.5, "A", 100, StoreClock(-20.0)),
        Deed(79, "A", 5, Slow(2.0, 0.0)),
    ),
    store=Kind.CLAIMS,
)
STOPPED_IN_ITS_MIDST = _plan(
    LONG, Deed(45, RUNNER, 20, Stop()), Deed(110, RUNNER, 20, Freeze(suspended=True))
)
STUBBORN = _plan(TIMED_OUT, Deed(70, RUNNER, 5, Stop()), Deed(130, RUNNER, 20, Crash()))
CUT_OFF_AT_ITS_END = _plan(
    LONG,
    Deed(65, RUNNER, 40, CutOff(silent=True)),
    Deed(125, RUNNER, 20, Copies(after=20.0)),
    Deed(155, "A", 20, Slow(2.0, 2.0)),
    store=Kind.TIMELESS,
)

KEPT = {
    "THE_STORE_SET_BACK": THE_STORE_SET_BACK,
    "WON_UNHEARD": WON_UNHEARD,
    "WON_UNHEARD_WITHOUT_TIME": WON_UNHEARD_WITHOUT_TIME,
    "WON_UNHEARD_THEN_CUT_OFF": WON_UNHEARD_THEN_CUT_OFF,
    "WON_UNHEARD_BEFORE_A_STOP": WON_UNHEARD_BEFORE_A_STOP,
    "STOPPED_WHILE_ASKING": STOPPED_WHILE_ASKING,
    "ALL_FROZEN": ALL_FROZEN,
    "A_CLOCK_SET_BACK": A_CLOCK_SET_BACK,
    "ASKED_TOO_EARLY": ASKED_TOO_EARLY,
    "ASKED_TOO_EARLY_TWICE": ASKED_TOO_EARLY_TWICE,
    "STOPPED_IN_ITS_MIDST": STOPPED_IN_ITS_MIDST,
    "STUBBORN": STUBBORN,
    "CUT_OFF_AT_ITS_END": CUT_OFF_AT_ITS_END,
}
