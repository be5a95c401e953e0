"""What a scheduler costs the process that it lives in.

Decides how many jobs and runs there are. Each figure comes from a process of its own.
"""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from benchmarks.effort import Effort
from benchmarks.process.alone import begin, figures
from benchmarks.process.beginnings import FLOOR, programs, seconds_until_there
from benchmarks.report import Answer, Cell, Goal, Plot, Row, Table, once
from benchmarks.words import counted, listed, number

TITLE = "What it costs the process"

IDLE = "benchmarks.process.idle"
JOBS = (0, 1, 1_000, 10_000)
# more than a lease, after which unwatched runs are looked for
SECONDS = 40.0
RUNS = 1_000_000
STARTS = 5
MB = 2**20

# bytes
EACH_JOB = 10_240
# megabytes that a tenth of the runs and all of them may differ by
FLAT = 1.0

MEMORY_TEXT = """Memory that a process shares with no other one: before jobs are added
to a scheduler that runs, on asyncio and the memory backend, and after they were idle
for some time. Each figure is of a process of its own; all of them are there side by
side, since nothing in them depends on how fast they are."""
CPU_TEXT = f"""The same processes: what they used of a core in {SECONDS:g} seconds, more
than a lease. With 0 jobs it is what the scheduler uses by itself."""
RUNS_TEXT = """Private memory of one process after so many runs of 200 jobs, each due
once a second of virtual time, with histories of ten records."""
START_TEXT = """From the start of the process until it gets there, on asyncio, with
compiled files in place; each figure is the median of several starts."""

# bytes before and after, and percent of a core, of each round by the number of jobs
Idle = Mapping[int, Sequence[Sequence[float]]]
# runs and megabytes
Points = Sequence[tuple[float, float]]
# milliseconds, by what is there then
Starts = Mapping[str, Cell]


def answer(effort: Effort) -> Answer:
    """Start what takes long side by side, then measure starts one by one."""
    runs = effort.of(RUNS, 2_000)
    endurance = begin("-m", "benchmarks.process.endurance", str(runs))
    idle = _idle(effort)
    sizes = figures(endurance)
    points = [
        (runs * place / (len(sizes) - 1), size / MB) for place, size in enumerate(sizes)
    ]
    starts = _starts(effort)
    return Answer(
        tables=[
            _memory_table(idle),
            _cpu_table(idle),
            _runs_table(points),
            _start_table(starts),
        ],
        findings=[_job_finding(idle), _runs_finding(points), _start_finding(starts)],
        goals=[*_job_goals(idle), _flat_goal(points)],
        plots=[_runs_plot(points)],
    )


def _idle(effort: Effort) -> Idle:
    seconds = str(effort.of(SECONDS, 1.0))
    jobs = effort.of(JOBS, (0, 100))
    begun = effort.alternate(
        {str(many): partial(begin, "-m", IDLE, str(many), seconds) for many in jobs}
    )
    return {
        int(many): [figures(program) for program in programs]
        for many, programs in begun.items()
    }


def _memory_table(idle: Idle) -> Table:
    rows = {
        "MB before": {
            jobs: [before / MB for before, _, _ in rounds]
            for jobs, rounds in idle.items()
        },
        "MB after": {
            jobs: [after / MB for _, after, _ in rounds]
            for jobs, rounds in idle.items()
        },
        "bytes for each job": {
            jobs: _bytes_each(jobs, rounds) for jobs, rounds in idle.items() if jobs > 1
        },
    }
    return Table(
        title="Memory of idle jobs",
        text=MEMORY_TEXT,
        rows=[_row(name, values) for name, values in rows.items()],
    )


def _cpu_table(idle: Idle) -> Table:
    shares = {jobs: [share for _, _, share in rounds] for jobs, rounds in idle.items()}
    return Table(
        title="CPU of idle jobs",
        text=CPU_TEXT,
        rows=[_row("percent of a core", shares)],
    )


def _row(name: str, values: Mapping[int, Sequence[float]]) -> Row:
    cells = {counted(jobs, "job"): Cell(values=each) for jobs, each in values.items()}
    return Row(name=name, cells=cells)


def _bytes_each(jobs: int, rounds: Sequence[Sequence[float]]) -> list[float]:
    return [(after - before) / jobs for before, after, _ in rounds]


def _job_finding(idle: Idle) -> str:
    jobs = max(idle)
    each = Cell(values=_bytes_each(jobs, idle[jobs])).median
    share = Cell(values=[share for _, _, share in idle[jobs]]).median
    return (
        f"Idle, {counted(jobs, 'job')} take {number(each)} bytes each, and "
        f"{number(share)} % of a core."
    )


def _job_goals(idle: Idle) -> Iterator[Goal]:
    for jobs, rounds in idle.items():
        if jobs > 1:
            each = Cell(values=_bytes_each(jobs, rounds))
            yield Goal(
                text=f"private memory for each of {number(jobs)} idle jobs",
                measured=each.median,
                rounds=each.values,
                limit=EACH_JOB,
                unit="bytes",
            )


def _runs_table(points: Points) -> Table:
    cells = {counted(runs, "run"): once(size) for runs, size in points}
    return Table(
        title="Memory over many runs",
        text=RUNS_TEXT,
        rows=[Row(name="MB", cells=cells)],
    )


def _runs_finding(points: Points) -> str:
    (first, before), (last, after) = points[1], points[-1]
    return (
        f"Private memory after {counted(first, 'run')}: {number(before)} MB, "
        f"after {counted(last, 'run')}: {number(after)} MB."
    )


def _flat_goal(points: Points) -> Goal:
    (first, before), (last, after) = points[1], points[-1]
    return Goal(
        text=f"growth of private memory from {number(first)} to {number(last)} runs",
        measured=after - before,
        limit=FLAT,
        unit="MB",
    )


def _runs_plot(points: Points) -> Plot:
    return Plot(
        name="process-runs",
        title="Private memory over many runs",
        x="runs",
        y="MB",
        lines={"memory backend": points},
        logarithmic=False,
    )


def _starts(effort: Effort) -> Starts:
    times = effort.of(STARTS, 1)
    with tempfile.TemporaryDirectory() as folder:
        found = effort.alternate(
            {
                name: partial(seconds_until_there, program, times)
                for name, program in programs(folder).items()
            }
        )
    return {name: Cell(values=[s * 1e3 for s in each]) for name, each in found.items()}


def _start_finding(starts: Starts) -> str:
    each = [f"{number(cell.median)} for {name}" for name, cell in starts.items()]
    return f"Milliseconds from the start of a process to what is there: {listed(each)}."


def _start_table(starts: Starts) -> Table:
    return Table(
        title="Import and start",
        text=START_TEXT,
        rows=[
            Row(name=name, cells={"there after": cell}) for name, cell in starts.items()
        ],
        unit="milliseconds",
        floor=FLOOR,
    )
