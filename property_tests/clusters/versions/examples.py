"""Plans whose instances differ that are always played, each named for its mechanism.

Decides nothing but which.
"""

from anarchon.model import Overlap
from property_tests.clusters.draws import CHANGES
from property_tests.clusters.plans import (
    RUNNER,
    Crash,
    Deed,
    JobPlan,
    Machine,
    Plan,
    Version,
)

LONG = JobPlan(name="one", period=30, seconds=100)
SKIPS, ALLOWS = Version(overlap=Overlap.SKIP), Version(overlap=Overlap.ALLOW)
SHORT = Version(lease=9.0, heartbeat=3.0, max_attempts=1)
BEARS = Version(lease=30.0, heartbeat=3.0, max_attempts=3)
LACKS = Version(lacks="one")


def _plan(job: JobPlan, *versions: Version, deeds: tuple[Deed, ...] = ()) -> Plan:
    machines = tuple(Machine(version=version) for version in versions)
    return Plan(machines=machines, jobs=(job,), deeds=deeds)


def _changing(zone: str, change: int) -> Plan:
    hourly = JobPlan(name="one", period=30, seconds=10, cron="*/2 1-4 * * *", zone=zone)
    fixed = JobPlan(name="two", period=30, seconds=10, cron="30 3 * * *", zone=zone)
    machines, epoch = (Machine(), Machine(offset=90.0)), CHANGES[zone][change]
    deeds = (Deed(150, RUNNER, 20, Crash()),)
    return Plan(machines=machines, jobs=(hourly, fixed), deeds=deeds, epoch=epoch)


SOME_SKIP = _plan(LONG, SKIPS, ALLOWS, SKIPS)
CRASHED_AMONG_LIMITS = _plan(
    LONG,
    SHORT,
    BEARS,
    BEARS,
    deeds=tuple(Deed(at, RUNNER, 30, Crash()) for at in (40, 75, 110, 145)),
)
ONLY_SOME_HAVE_IT = _plan(
    LONG, LACKS, SHORT, BEARS, deeds=(Deed(45, RUNNER, 20, Crash()),)
)
SPRING = _changing("Europe/Athens", 0)
AUTUMN = _changing("America/New_York", 1)

KEPT = {
    "SOME_SKIP": SOME_SKIP,
    "CRASHED_AMONG_LIMITS": CRASHED_AMONG_LIMITS,
    "ONLY_SOME_HAVE_IT": ONLY_SOME_HAVE_IT,
    "SPRING": SPRING,
    "AUTUMN": AUTUMN,
}
