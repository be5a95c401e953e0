"""How late handlers start: jobs that are due at once, or spread over some seconds.

Decides when the jobs are due, and for how long their starts are looked at. Late is by
the wall clock: the handler's first moment minus the slot. A start that hasn't come when
nobody waits for it any more counts as that late.
"""

import gc
import time
from dataclasses import dataclass

import anyio

import anarchon
from benchmarks.percentiles import percentile

# seconds; no job is due a second time while its start is waited for
PERIOD = 60.0
PATIENCE = 45.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """So many jobs, spread over so many seconds; those of the ``window`` are watched.

    All durations are in seconds.
    """

    jobs: int
    spread: float = 0.0
    window: float = 0.0

    @property
    def offsets(self) -> list[float]:
        """When each job is due after the first one, in whole milliseconds."""
        apart = self.spread / self.jobs
        return [round(number * apart, 3) for number in range(self.jobs)]

    @property
    def watched(self) -> int:
        """How many of them start within the window."""
        return sum(offset <= self.window for offset in self.offsets)

    @property
    def lead(self) -> float:
        """How long it takes to have them all armed, generously."""
        return 0.5 + self.jobs / 8_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Starts:
    """By how many seconds each start was late, and the CPU seconds of all of them."""

    late: list[float]
    cpu: float

    def percentile(self, percent: float) -> float:
        """Return the seconds that so many percent of the starts kept to."""
        return percentile(self.late, percent)


async def of_jobs(url: str, plan: Plan) -> Starts:
    """Let each job run once; return the starts of those that are watched."""
    _forget_the_rest()
    lead = plan.lead
    while (starts := await _of_jobs_due_in(lead, url, plan)) is None:
        lead *= 2
    return starts


async def _of_jobs_due_in(lead: float, url: str, plan: Plan) -> Starts | None:
    """Return the starts; nothing if the jobs weren't armed in time."""
    late, over, watched = list[float](), anyio.Event(), plan.watched

    due = round(time.time() + lead, 3)
    last = due + plan.window

    async def handler(context: anarchon.RunContext) -> None:
        slot = context.slot / 1000
        if slot <= last:
            late.append(time.time() - slot)
        if len(late) == watched:
            over.set()

    jobs = anarchon.Jobs()
    for number, offset in enumerate(plan.offsets):
        at = round((due + offset) % PERIOD, 3)
        # names of their own, so that nothing is left to them by others
        jobs.every(f"job-{due}-{number}", PERIOD, handler, offset=at)
    async with anarchon.open_scheduler(
        url, jobs=jobs, jitter=0, catch_up=0, stop_timeout=5
    ):
        if time.time() > due:
            return None
        cpu = await _cpu_between(due, over)
    return _starts(late, cpu, watched)


async def of_bare_tasks(plan: Plan) -> Starts:
    """Let bare tasks sleep until the same instants; return how late they woke."""
    _forget_the_rest()
    late, over, watched, cpu = list[float](), anyio.Event(), plan.watched, 0.0

    due = time.time() + plan.lead
    last = due + plan.window

    async def task(at: float) -> None:
        await anyio.sleep(max(0.0, at - time.time()))
        if at <= last:
            late.append(time.time() - at)
        if len(late) == watched:
            over.set()

    async with anyio.create_task_group() as group:
        for offset in plan.offsets:
            group.start_soon(task, due + offset)
        cpu = await _cpu_between(due, over)
        group.cancel_scope.cancel()
    return _starts(late, cpu, watched)


def _forget_the_rest() -> None:
    """Hide from the garbage collector what this process has loaded to measure."""
    gc.collect()
    gc.freeze()


def _starts(late: list[float], cpu: float, watched: int) -> Starts:
    never = [PATIENCE] * (watched - len(late))
    return Starts(late=[*late[:watched], *never], cpu=cpu)


async def _cpu_between(due: float, over: anyio.Event) -> float:
    await anyio.sleep(max(0.0, due - time.time()))
    before = time.process_time()
    with anyio.move_on_after(PATIENCE):
        await over.wait()
    return time.process_time() - before
