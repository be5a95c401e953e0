"""The peers: schedulers of other packages, and what is known of each.

Decides what stands beside anarchon in the tables. What happens after a kill is said
here as their documentation and code have it, and measured elsewhere.
"""

from dataclasses import dataclass

from benchmarks.peers.environment import python_of, version_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """A package: its program, its dependency group, its store and that one's server.

    ``driven`` says how it is set up, ``spares`` what it needn't do for a run that
    anarchon does, ``after_kill`` whether, when and by what another instance runs again
    what a killed one was running. One that needs its tables made is to ``prepare``.
    """

    package: str
    program: str
    group: str
    store: str
    server: str | None
    driven: str
    spares: str
    after_kill: str
    prepare: bool = False

    @property
    def name(self) -> str:
        """The package with its version and its store."""
        return f"{self.package} {version_of(self.group, self.package)}, {self.store}"

    @property
    def command(self) -> list[str]:
        """The command of its program, without options."""
        return [python_of(self.group), "-m", f"benchmarks.peers.{self.program}"]


APSCHEDULER_MEMORY = Peer(
    package="APScheduler",
    program="apscheduler",
    group="peers-apscheduler",
    store="memory",
    server=None,
    driven="an interval schedule and a task for each job, in its memory store",
    spares="A run is an entry of a dictionary, put in and taken out by one scheduler:"
    " it is not competed for, and no task of its own beats for it.",
    after_kill="Never: what is in memory ends with the process.",
)

APSCHEDULER = Peer(
    package="APScheduler",
    program="apscheduler",
    group="peers-apscheduler",
    store="PostgreSQL",
    server="postgres18",
    driven="an interval schedule and a task for each job, in its SQLAlchemy store by"
    " asyncpg, with the broker of the same server; results are kept for an hour",
    spares="An instance takes up to a hundred runs in one statement, and passes over"
    " what another has locked; here, each instance asks for each slot.",
    after_kill="Never: the lease of a run is 30 s, but the lost run still uses up its"
    " task's limit of running jobs, which is one. A clean-up, when an instance starts"
    " and every 15 minutes, records the run as abandoned.",
    prepare=True,
)

PROCRASTINATE = Peer(
    package="procrastinate",
    program="procrastinate",
    group="peers",
    store="PostgreSQL",
    server="postgres18",
    driven="a periodic task for each job; rows of finished jobs are kept",
    spares="All workers take from one queue; here, each instance asks for each slot.",
    after_kill="Never by itself: the job stays `doing`. The documentation has a"
    " periodic task to add, which retries the jobs of workers that were silent for"
    " 30 s. It is due every ten minutes there, and every five seconds here."
    " A worker that was asked to stop is silent as well while it waits for its runs to"
    " end, so that these are begun a second time.",
    prepare=True,
)

PGQUEUER = Peer(
    package="PgQueuer",
    program="pgqueuer",
    group="peers",
    store="PostgreSQL",
    server="postgres18",
    driven="a schedule for each job, by a pool of asyncpg; it keeps when each ran last,"
    " and no history",
    spares="One instance takes all schedules that are due in one statement, so a start"
    " costs no round trip of its own, and nothing is kept of a run but its time.",
    after_kill="By any instance that looks: a schedule that was picked, and whose"
    " heartbeat (every second) is older than 30 s, is picked again. It looks whenever"
    " any schedule is due.",
    prepare=True,
)

STREAQ = Peer(
    package="streaQ",
    program="streaq",
    group="peers",
    store="Redis",
    server="redis8",
    driven="a cron job for each job; results are kept for five minutes",
    spares="Runs are read from a stream, up to a hundred at once; here, each instance"
    " asks for each slot.",
    after_kill="By another worker that reads the stream: a message that was idle for"
    " `idle_timeout`, 60 s, is claimed again, up to three tries.",
)

ARQ = Peer(
    package="arq",
    program="arq",
    group="peers-arq",
    store="Redis",
    server="redis8",
    driven="a cron job for each job; results are kept for an hour",
    spares="The queue is filled in the second before the slot, so that only the start"
    " is left to do when it comes; a run has no heartbeat.",
    after_kill="Never by default: a cron job has one try. With more, when the mark of"
    " its progress expires, ten seconds after the longest `timeout`: 310 s.",
)

TASKIQ = Peer(
    package="taskiq",
    program="taskiq",
    group="peers",
    store="Redis",
    server="redis8",
    driven="a task with a time for each job, since its cron is to the minute; a Redis"
    " stream as broker; results are kept for an hour. It wants one scheduler only:"
    " it's in the first instance",
    spares="One scheduler decides alone, so that no slot is competed for; the workers"
    " read the stream in batches of a hundred, and a run has no heartbeat.",
    after_kill="By another worker: a message that wasn't acknowledged within"
    " `idle_timeout`, ten minutes, is claimed once a later message was read. If the"
    " instance had the scheduler, no job is sent any more.",
)

PEERS = (
    APSCHEDULER_MEMORY,
    APSCHEDULER,
    PROCRASTINATE,
    PGQUEUER,
    STREAQ,
    ARQ,
    TASKIQ,
)
