"""What the demo promises, and with which instances, jobs and bounds.

Decides the numbers. Must not know how the show goes.
"""

import math

from anarchon.cli.setup import Work

INSTANCES = ("A", "B", "C")

SYNC = "sync"
REPORT = "report"
JOBS = (REPORT, SYNC)

LEASE = 1.8
HEARTBEAT = 0.3
TAKEOVER_WITHIN = LEASE + 2 * HEARTBEAT
HAND_OVER_WITHIN = 2 * HEARTBEAT

# of a run's work, when its runner is killed or stopped
HALF = 0.5

# seconds, to the last report; then the processes are ended and the verdict is given
LONGEST = 40.0

# Before the first report's slot the instances start, and share a few slots of sync.
# A report that is killed halfway and taken over ends before its next slot, even if the
# takeover is late.
BEFORE_REPORT = 4.0
REPORT_EVERY = 8.0


def about(loop: str) -> str:
    """Return what is about to be seen, in a line."""
    return (
        f"three processes on {loop}, one SQLite file; "
        f"lease {LEASE:g} s, heartbeat {HEARTBEAT:g} s"
    )


def works(now: float) -> tuple[Work, ...]:
    """Return the jobs, the first report due soon after ``now``, s since 1970 UTC."""
    first = math.ceil(now + BEFORE_REPORT)
    sync = Work(job=SYNC, every=0.5, takes=0.12, jitter=0.25)
    report = Work(
        job=REPORT,
        every=REPORT_EVERY,
        takes=3.0,
        offset=first % REPORT_EVERY,
        jitter=0.25,
    )
    return (sync, report)
