"""How plans are drawn.

Decides which figures are worth drawing: few, and such that what belongs together meets.
The simplest comes first everywhere, since failing examples shrink towards it.
"""

from dataclasses import replace
from math import inf

from hypothesis import strategies as st

from anarchon.model import LostContact, Overlap
from property_tests.clusters.plans import (
    NAMES,
    RUNNER,
    Ask,
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
    Storm,
    Trouble,
    Version,
    WrongClock,
)

SCENES_BEGIN_WITHIN = 150

machines = st.builds(
    Machine,
    offset=st.sampled_from([0.0, 0.0, 1.5, -1.5, 90.0, -90.0, 3600.0]),
    rate=st.sampled_from([1.0, 1.0, 1.01, 0.99]),
)


def jobs_named(name: str) -> st.SearchStrategy[JobPlan]:
    """Draw a job of this name."""
    return st.builds(
        JobPlan,
        name=st.just(name),
        period=st.sampled_from([30, 60, 20, 90]),
        seconds=st.sampled_from([40, 100, 25, 10]),
        conduct=st.sampled_from(Conduct),
        stubborn=st.sampled_from([5, 30]),
        overlap=st.sampled_from(Overlap),
        timeout=st.sampled_from([None, None, 20]),
        max_attempts=st.sampled_from([3, 1, 2]),
    )


silences = st.booleans()
troubles: st.SearchStrategy[Trouble] = st.one_of(
    st.just(Crash()),
    st.builds(Freeze, silences),
    st.just(Stop()),
    # what sends late writes meets what ends runs more often than chance would have it
    st.builds(Freeze, silences),
    st.just(Stop()),
    st.builds(CutOff, silences),
    st.builds(
        Slow, st.sampled_from([0.0, 0.3, 2.0, 6.0]), st.sampled_from([0.3, 2.0, 6.0])
    ),
    st.builds(LostReplies, silences),
    st.builds(Copies, st.sampled_from([0.5, 8.0, 20.0, 40.0])),
    st.builds(Storm, st.integers(0, 1_000)),
    st.builds(WrongClock, st.sampled_from([1.5, -1.5, 20.0, -20.0, 300.0, -300.0])),
    st.builds(StoreClock, st.sampled_from([1.5, -1.5, 20.0, -20.0, 300.0, -300.0])),
)


lengths = st.sampled_from([20, 40, 70, 5, 1])


@st.composite
def scenes(draw: st.DrawFn, names: str) -> list[Deed]:
    """Draw what befalls one instance within a few seconds: troubles that meet."""
    begin = draw(st.integers(1, SCENES_BEGIN_WITHIN))
    who = draw(st.just(RUNNER) | st.sampled_from(names))
    delays = draw(st.lists(st.integers(0, 25), min_size=1, max_size=3))
    return [Deed(begin + d, who, draw(lengths), draw(troubles)) for d in delays]


@st.composite
def plans(draw: st.DrawFn, store: Kind = Kind.LEASES) -> Plan:
    """Draw a whole plan, for a store of this kind."""
    present = draw(st.lists(machines, min_size=2, max_size=5))
    names = ("one", "two", "three")[: draw(st.integers(1, 3))]
    befallings = draw(st.lists(scenes(NAMES[: len(present)]), min_size=1, max_size=5))
    return Plan(
        machines=tuple(present),
        jobs=tuple(draw(jobs_named(name)) for name in names),
        deeds=tuple(deed for scene in befallings for deed in scene),
        stop_timeout=draw(st.sampled_from([5, 1, 20])),
        chance=draw(st.integers(0, 1_000)),
        store=store,
    )


@st.composite
def claim_plans(draw: st.DrawFn) -> Plan:
    """Draw a plan for a store without leases; who has a wrong clock is named there."""
    plan = draw(plans(draw(st.sampled_from([Kind.CLAIMS, Kind.TIMELESS]))))
    return replace(plan, deeds=tuple(map(_of_somebody, plan.deeds)))


def _of_somebody(deed: Deed) -> Deed:
    by_runner = deed.who == RUNNER and isinstance(deed.trouble, WrongClock)
    return replace(deed, who=NAMES[0]) if by_runner else deed


@st.composite
def asked_plans(draw: st.DrawFn) -> Plan:
    """Draw a plan with runs by hand, on any store, and jobs that bear lost contact."""
    plan = draw(plans() | claim_plans())
    asks = draw(st.lists(_asks(plan), min_size=1, max_size=4))
    twice = draw(st.sampled_from([asks[:0], asks[:1]]))
    jobs = tuple(replace(job, on_lost_contact=draw(contacts)) for job in plan.jobs)
    return replace(plan, jobs=jobs, asks=(*asks, *twice))


contacts = st.sampled_from([LostContact.CONTINUE, LostContact.CANCEL])


def _asks(plan: Plan) -> st.SearchStrategy[Ask]:
    return st.builds(
        Ask,
        st.integers(2, SCENES_BEGIN_WITHIN + 25),
        st.just(RUNNER) | st.sampled_from(plan.names),
        st.sampled_from([job.name for job in plan.jobs]),
        st.sampled_from([inf, inf, 5.0, 30.0]),
    )


# two minutes before a zone's clocks are set forward, and set back
CHANGES = {
    "Europe/Athens": (1774745880.0, 1792889880.0),
    "America/New_York": (1772953080.0, 1793512680.0),
}
versions = st.builds(
    Version,
    lease=st.sampled_from([15.0, 9.0, 30.0]),
    heartbeat=st.sampled_from([3.0, 1.0]),
    overlap=st.sampled_from([None, *Overlap]),
    max_attempts=st.sampled_from([None, 1, 3]),
    lacks=st.sampled_from(["", "", "one"]),
)
crons = st.sampled_from(["", "* * * * *", "*/2 1-4 * * *", "30 0 3 * * *", "1 4 * * *"])


@st.composite
def mixed_plans(draw: st.DrawFn) -> Plan:
    """Draw a plan whose instances differ in options, while some zone changes time."""
    plan = draw(plans())
    zone = draw(st.sampled_from(sorted(CHANGES)))
    return replace(
        plan,
        machines=tuple(replace(m, version=draw(versions)) for m in plan.machines),
        jobs=tuple(replace(job, cron=draw(crons), zone=zone) for job in plan.jobs),
        epoch=draw(st.sampled_from(CHANGES[zone])),
    )
