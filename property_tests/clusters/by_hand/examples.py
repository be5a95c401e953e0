"""Plans with runs by hand that are always played, each named for its mechanism.

Decides nothing but which.
"""

from anarchon.model import LostContact
from property_tests.clusters.plans import (
    RUNNER,
    Ask,
    Conduct,
    CutOff,
    Deed,
    JobPlan,
    Kind,
    LostReplies,
    Machine,
    Plan,
    Stop,
)

THREE = (Machine(), Machine(), Machine())
LONG = JobPlan(name="one", period=90, seconds=60)
STUBBORN = JobPlan(
    name="one", period=60, seconds=100, conduct=Conduct.IGNORES, stubborn=30, timeout=20
)
CONTINUES = JobPlan(
    name="one", period=90, seconds=60, on_lost_contact=LostContact.CONTINUE
)

TWICE_BESIDE_A_RUN = Plan(
    machines=THREE,
    jobs=(LONG,),
    asks=(
        Ask(100, RUNNER, "one"),
        Ask(100, RUNNER, "one"),
        Ask(101, RUNNER, "one", gives_up=5),
    ),
)
STUCK = Plan(
    machines=THREE, jobs=(STUBBORN,), asks=tuple(Ask(25, who, "one") for who in "ABC")
)
STUCK_WITHOUT_LEASES = Plan(
    machines=THREE,
    jobs=(STUBBORN,),
    asks=tuple(Ask(25, who, "one") for who in "ABC"),
    store=Kind.CLAIMS,
)
UNHEARD = Plan(
    machines=THREE,
    jobs=(LONG,),
    deeds=(Deed(40, "A", 40, LostReplies(silent=False)),),
    asks=(Ask(10, "A", "one"), Ask(12, "A", "one")),
)
CUT_OFF = Plan(
    machines=THREE,
    jobs=(LONG,),
    deeds=(Deed(40, "A", 40, CutOff(silent=False)),),
    asks=(Ask(10, "A", "one"),),
)
STOPPED = Plan(
    machines=THREE,
    jobs=(STUBBORN,),
    deeds=(Deed(40, "A", 20, Stop()),),
    asks=(Ask(35, "A", "one"), Ask(41, "A", "one"), Ask(36, "A", "one", gives_up=2)),
    stop_timeout=20,
)
CONTINUES_CUT_OFF = Plan(
    machines=THREE,
    jobs=(CONTINUES,),
    deeds=(
        Deed(100, RUNNER, 40, CutOff(silent=True)),
        Deed(190, RUNNER, 17, CutOff(silent=False)),
    ),
)

KEPT = {
    "TWICE_BESIDE_A_RUN": TWICE_BESIDE_A_RUN,
    "STUCK": STUCK,
    "STUCK_WITHOUT_LEASES": STUCK_WITHOUT_LEASES,
    "UNHEARD": UNHEARD,
    "CUT_OFF": CUT_OFF,
    "STOPPED": STOPPED,
    "CONTINUES_CUT_OFF": CONTINUES_CUT_OFF,
}
