"""How long it takes from the start of a process until something is there.

Decides what: a bare Python, imports, a scheduler that runs. The process tells when it
got there on the clock that all processes of a machine share.
"""

import statistics
import time

from benchmarks.process.alone import begin, figures

FLOOR = "`python -c pass`"
TELL = "import time; print([time.perf_counter()])"
# with a job, and until the state is running
SCHEDULER = """
import anyio, anarchon

async def handler(): ...

async def main():
    async with anarchon.open_scheduler({url!r}) as scheduler:
        scheduler.every("job", "1h", handler)
        assert scheduler.state == "running"
        {tell}

anyio.run(main)
"""
EMPTY = """
import anyio

async def main():
    {tell}

anyio.run(main)
"""


def programs(folder: str) -> dict[str, str]:
    """Return the programs by their names; a file of theirs is in the folder."""
    return {
        FLOOR: TELL,
        "`import anyio`": f"import anyio; {TELL}",
        "an empty `anyio.run`": EMPTY.format(tell=TELL),
        "`import anarchon`": f"import anarchon; {TELL}",
        "a running scheduler on memory": SCHEDULER.format(url="memory://", tell=TELL),
        "a running scheduler on SQLite": SCHEDULER.format(
            url=f"sqlite:///{folder}/jobs.db", tell=TELL
        ),
    }


def seconds_until_there(program: str, times: int) -> float:
    """Return the median of so many starts of a program."""
    return statistics.median(_seconds(program) for _ in range(times))


def _seconds(program: str) -> float:
    began = time.perf_counter()
    (there,) = figures(begin("-c", program))
    return there - began
