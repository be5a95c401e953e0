"""The first table of all: what one asks first, of the stores that peers use as well.

Decides where in the answers each figure stands. What isn't there wasn't measured.
"""

from collections.abc import Callable, Iterator, Mapping

from anarchon.backends.postgres.opening import BEATS, WORK
from anarchon.backends.redis.opening import OWN
from anarchon.options import Options
from benchmarks.instances.subjects import ours
from benchmarks.load.question import CALLS_TITLE, LONG, MANY, SHORT, row_name
from benchmarks.markdown import row_line
from benchmarks.report import Answer
from benchmarks.run.question import COUNTS, JOBS
from benchmarks.scale.capacity import MS, server_row
from benchmarks.stores import POSTGRES, REDIS, Store
from benchmarks.takeover.losing import Loss
from benchmarks.takeover.others import AFTER
from benchmarks.words import counted, number

STORES = (POSTGRES, REDIS)
NOT_MEASURED = "not measured"
OPTIONS = Options()
FEW, SOME = (counted(count, "instance") for count in COUNTS)

Answers = Mapping[str, Answer]
Says = Callable[[Answers, Store], str]


def overview_lines(answers: Answers) -> Iterator[str]:
    """Yield the table."""
    yield row_line("you ask", *(store.name for store in STORES))
    yield row_line("---", *("---:" for _ in STORES))
    for asked, says in ASKED.items():
        yield row_line(asked, *(says(answers, store) for store in STORES))


def _median(
    answers: Answers, question: str, row: str, column: str, table: str | None
) -> float | None:
    answer = answers.get(question)
    return answer.median(row, column, table) if answer else None


def _figure(question: str, row: str, column: str, table: str | None = None) -> Says:
    """Say a figure; the row's name may have the store's in it, or that of anarchon."""

    def says(answers: Answers, store: Store) -> str:
        name = row.format(store=store.name, anarchon=ours(store).name)
        found = _median(answers, question, name, column, table)
        return NOT_MEASURED if found is None else number(found)

    return says


def _calls(takes: float, instances: int) -> Says:
    name, column = row_name(takes, "all"), counted(instances, "instance")
    return _figure("load", name, column, CALLS_TITLE)


def _one_more(answers: Answers, store: Store) -> str:  # noqa: ARG001  as of any store
    few, many = min(MANY), max(MANY)
    added: list[str] = []
    for takes in (SHORT, LONG):
        least, most = (
            _median(answers, "load", row_name(takes, "all"), column, CALLS_TITLE)
            for column in (counted(few, "instance"), counted(many, "instance"))
        )
        if least is None or most is None:
            return NOT_MEASURED
        added.append(number((most - least) / (many - few)))
    return " and ".join(added)


def _server_cpu(answers: Answers, store: Store) -> str:
    runs = _median(answers, "scale", server_row(store.name, SHORT), SOME, None)
    return number(MS / runs) if runs else NOT_MEASURED


def _late_by_default(answers: Answers, store: Store) -> str:  # noqa: ARG001  chosen
    return f"0 to {OPTIONS.jitter:g}"


def _late(jobs: int, figure: str) -> Says:
    return _figure("latency", "{store}", counted(jobs, "job"), f"Due at once: {figure}")


def _lost(loss: Loss, bound: float) -> Says:
    once = _figure("takeover", "{anarchon}", AFTER[loss])
    return lambda answers, store: f"{once(answers, store)}; at most {number(bound)}"


def _connections(answers: Answers, store: Store) -> str:  # noqa: ARG001  they are set
    work, beats = (WORK, BEATS) if store is POSTGRES else (OWN.work, OWN.beats)
    return number(work + beats)


ASKED: Mapping[str, Says] = {
    f"calls of the store for a run of {SHORT:g} s, with {SOME}": _calls(SHORT, 3),
    f"the same for a run of {LONG:g} s": _calls(LONG, 3),
    "what each further instance adds to them": _one_more,
    f"CPU of the server for a run of {SHORT:g} s, with {SOME}, ms": _server_cpu,
    f"late by default (`jitter={OPTIONS.jitter:g}`), s": _late_by_default,
    "late with `jitter=0`, a single job, ms": _late(1, "median"),
    "the last of 1,000 that are due at once": _late(1_000, "last"),
    "the last of 10,000": _late(10_000, "last"),
    "until a run whose instance was killed begins again, s": _lost(
        Loss.KILL, OPTIONS.lease + 2 * OPTIONS.heartbeat
    ),
    "until one whose instance was told to stop does": _lost(
        Loss.STOP, 2 * OPTIONS.heartbeat
    ),
    f"runs a second with {FEW}, {JOBS} being due at once": _figure(
        "run", "{anarchon}", f"{FEW}, until the start"
    ),
    f"the same with {SOME}, on the same machine": _figure(
        "run", "{anarchon}", f"{SOME}, until the start"
    ),
    "connections of an instance, at most": _connections,
    "microseconds of a claim on asyncio": _figure(
        "claim", "{store}: claim", "1 caller", "Median on asyncio"
    ),
    "the same on Trio": _figure(
        "claim", "{store}: claim", "1 caller", "Median on Trio"
    ),
}
