"""What is to happen to a cluster: who is there, what they run, and what befalls them.

A plan is a value: it is drawn as a whole, played as a whole, and printed as it is. Must
not know how it is drawn, played or judged. Durations are in seconds; instants are too,
counted from the start of the play.
"""

from dataclasses import dataclass, fields
from enum import StrEnum
from math import inf

from anarchon import Cron, Every
from anarchon.model import LostContact, Overlap
from anarchon.rules.schedule import Schedule
from anarchon.testing.clocks import EPOCH

LEASE = 15.0
HEARTBEAT = 3.0
JITTER = 1.0
MAX_LATE = 20.0
CATCH_UP = 60.0
# of a handler's work, so much is done under the context's shield, in this time
SHIELDED = 30
SHIELD = 35.0
# the longest that a storm delays what it doesn't lose
STORM = 6.0

NAMES = "ABCDE"
# whoever has a handler in progress just then, the first instance if nobody has
RUNNER = "*"


class Kind(StrEnum):
    """What a store can do."""

    LEASES = "keeps leases"
    CLAIMS = "grants each slot once"
    TIMELESS = "grants each slot once, and tells no time"


class Conduct(StrEnum):
    """How a handler behaves: in the end, or when it is cancelled."""

    RETURNS = "returns"
    RAISES = "raises"
    RAISES_GROUP = "raises a group"
    CANCELS_ITSELF = "raises CancelledError where the loop is asyncio's"
    IGNORES = "ignores cancellation for a while"
    SWALLOWS = "returns when cancelled"
    SHIELDS = "shields its work by the context"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPlan:
    """A job; its handler takes ``seconds``, and ``stubborn`` more when it ignores."""

    name: str
    period: int
    seconds: int
    conduct: Conduct = Conduct.RETURNS
    stubborn: int = 5
    overlap: Overlap = Overlap.SKIP
    timeout: int | None = None
    max_attempts: int = 3
    on_lost_contact: LostContact = LostContact.CANCEL
    cron: str = ""
    zone: str = "UTC"

    @property
    def schedule(self) -> Schedule:
        """When it is due: by ``cron``, if there is any, else by ``period``."""
        return Cron(self.cron, timezone=self.zone) if self.cron else Every(self.period)


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """What the program of an instance says of all its jobs; it lacks one of them.

    Where it says ``None``, what the job says counts.
    """

    lease: float = LEASE
    heartbeat: float = HEARTBEAT
    overlap: Overlap | None = None
    max_attempts: int | None = None
    lacks: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """An instance whose clock is ``offset`` ahead and goes at ``rate``."""

    offset: float = 0.0
    rate: float = 1.0
    version: Version = Version()


@dataclass(frozen=True, slots=True)
class Crash:
    """It dies at once, and is started again afterwards."""


@dataclass(frozen=True, slots=True)
class Freeze:
    """Nothing moves; if ``suspended``, its monotonic time stands still as well."""

    suspended: bool


@dataclass(frozen=True, slots=True)
class Stop:
    """It is stopped gracefully, and started again afterwards."""


@dataclass(frozen=True, slots=True)
class CutOff:
    """The store is out of reach: calls hang if ``silent``, else they fail at once."""

    silent: bool


@dataclass(frozen=True, slots=True)
class Slow:
    """Each request and each reply takes so many seconds."""

    request: float
    reply: float


@dataclass(frozen=True, slots=True)
class LostReplies:
    """What is asked is done, but nobody hears of it."""

    silent: bool


@dataclass(frozen=True, slots=True)
class LostFinishes:
    """No finish arrives; whatever else is asked does."""


@dataclass(frozen=True, slots=True)
class Copies:
    """Each request arrives once more, so many seconds after the first."""

    after: float


@dataclass(frozen=True, slots=True)
class Storm:
    """A part of all calls meets some fault, by chance."""

    seed: int


@dataclass(frozen=True, slots=True)
class WrongClock:
    """Its wall clock is set by so many seconds, and set back afterwards."""

    by: float


@dataclass(frozen=True, slots=True)
class StoreClock:
    """The store's own clock is set by so many seconds, and set back afterwards."""

    by: float


Trouble = (
    Crash
    | Freeze
    | Stop
    | CutOff
    | Slow
    | LostReplies
    | LostFinishes
    | Copies
    | Storm
    | WrongClock
    | StoreClock
)


@dataclass(frozen=True, slots=True)
class Deed:
    """One trouble: when it begins, whom it befalls, and how long it lasts.

    ``who`` is the name of an instance, or ``RUNNER``.
    """

    at: float
    who: str
    lasts: float
    trouble: Trouble

    def __str__(self) -> str:
        return f"{self.at:8g} s  {self.who}  for {self.lasts:g} s  {self.trouble}"


@dataclass(frozen=True, slots=True)
class Ask:
    """A run by hand: when, of which job, on whom, and when the caller is cancelled.

    ``who`` is the name of an instance, or ``RUNNER``; ``gives_up`` is in seconds after
    the call.
    """

    at: float
    who: str
    job: str
    gives_up: float = inf

    def __str__(self) -> str:
        return f"{self.at:8g} s  {self.who}  run now {self.job}, for {self.gives_up} s"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A whole play; ``chance`` seeds the jitters, ``stop_timeout`` bounds the stops.

    It begins at ``epoch``, in seconds since 1970 UTC.

    On a store without leases the overlap rules and limits of the jobs are left out.
    """

    machines: tuple[Machine, ...]
    jobs: tuple[JobPlan, ...]
    deeds: tuple[Deed, ...] = ()
    asks: tuple[Ask, ...] = ()
    stop_timeout: int = 5
    chance: int = 0
    store: Kind = Kind.LEASES
    epoch: float = EPOCH

    @property
    def names(self) -> str:
        """The names of the instances."""
        return NAMES[: len(self.machines)]

    def machine(self, name: str) -> Machine:
        """Return the machine of this name."""
        return self.machines[self.names.index(name)]

    def job(self, name: str) -> JobPlan:
        """Return the job of this name."""
        return next(job for job in self.jobs if job.name == name)

    def __str__(self) -> str:
        stop, store = f"stop timeout {self.stop_timeout} s", f"store {self.store}"
        machines = map(_values, self.machines)
        named = zip(self.names, machines, strict=True)
        return "\n".join(
            (
                f"plan: chance {self.chance}, {stop}, {store}",
                *(f"{name} {machine}" for name, machine in named),
                *(_values(job) for job in self.jobs),
                *map(str, sorted(self.deeds, key=lambda deed: deed.at)),
                *map(str, sorted(self.asks, key=lambda ask: ask.at)),
            )
        )


def _values(part: JobPlan | Machine) -> str:
    values = ((field.name, getattr(part, field.name)) for field in fields(part))
    return "  " + ", ".join(f"{name} {value}" for name, value in values)
