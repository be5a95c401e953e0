"""A run takes longer than the period of its job."""

from collections.abc import Sequence

from anarchon.model import Reason, Status
from tests.processes.journal import Line, Phase
from tests.processes.report import Report
from tests.processes.setup import Handler
from tests.scenarios.common import others
from tests.scenarios.evidence import Evidence
from tests.scenarios.figures import NAMES
from tests.scenarios.judging import first_of, holds, only, same
from tests.scenarios.scenario import Promise, Scenario, Side
from tests.scenarios.stage import Stage

PERIOD = 1.0
TAKES = 2.5
# between two slots, in ms
STEP = round(PERIOD * 1000)
# of the slots that come due during a run
AT_LEAST = int(TAKES / PERIOD)
# that are in progress when the third one begins
COPIES = AT_LEAST + 1


# --- what is played -------------------------------------------------------------------


def _begun(stage: Stage) -> None:
    """Let all begin with the job, and not with a slot that they have missed."""
    stage.load()
    handler = Handler(takes=TAKES, step=0.25)
    if stage.leases:
        stage.every(PERIOD, handler, catch_up=0)
    else:
        stage.every(PERIOD, handler)
    stage.begin()


def _on_leases(stage: Stage) -> None:
    _begun(stage)
    _, second = stage.until(lambda: _first_starts(stage, 2))
    rest = set(others(second.who))
    stage.until(lambda: stage.cluster.all_skipped(second.slot, rest))


def _on_claims(stage: Stage) -> None:
    _begun(stage)
    copies = {copy.slot for copy in stage.until(lambda: _first_starts(stage, COPIES))}
    stage.until(lambda: copies <= {end.slot for end in stage.cluster.seen("success")})


def _first_starts(stage: Stage, count: int) -> list[Line]:
    ready, lines = stage.cluster.seen("ready"), stage.cluster.journal.read(Phase.START)
    starts = _with_all_there(ready, lines)
    return starts[:count] if len(starts) >= count else []


def _with_all_there(ready: Sequence[Report], lines: Sequence[Line]) -> list[Line]:
    """Return the lines about slots that came due when all instances were there."""
    there = 1000 * max((report.at for report in ready), default=0.0)
    return [line for line in lines if line.slot > there]


# --- what is judged -------------------------------------------------------------------


def _starts(seen: Evidence, count: int) -> Sequence[Line]:
    starts = _with_all_there(seen.seen("ready"), seen.written(Phase.START))
    return first_of(count, starts, "starts")


def _end_of(seen: Evidence, slot: int) -> Line:
    ends = [line for line in seen.written(Phase.END) if line.slot == slot]
    return only(ends, f"end of {slot}")


def _one_at_a_time(seen: Evidence) -> None:
    first, second = _starts(seen, 2)
    end = _end_of(seen, first.slot)
    holds(end.monotonic < second.monotonic, "two runs were in progress at a time")


def _skipped(seen: Evidence) -> None:
    first, second = _starts(seen, 2)
    expected = [
        (slot, who, "overlap", first.who)
        for slot in range(first.slot + STEP, second.slot, STEP)
        for who in NAMES
    ]
    same(
        [*_taken(first), *expected, *_taken(second)],
        _skips(seen, first.slot, second.slot),
    )


def _taken(run: Line) -> list[tuple[int, str, str, str]]:
    """Return how the other instances skip a run."""
    return [(run.slot, who, "taken", run.who) for who in others(run.who)]


def _skips(seen: Evidence, first: int, last: int) -> list[tuple[int, str, str, str]]:
    return sorted(
        (skip.slot, skip.who, str(skip.reason), str(skip.by))
        for skip in seen.seen("skip")
        if first <= skip.slot <= last
    )


def _next_one_runs(seen: Evidence) -> None:
    first, second = _starts(seen, 2)
    missed = (second.slot - first.slot) // STEP - 1
    holds(missed >= AT_LEAST, f"only {missed} slots came due meanwhile")
    end = 1000 * _end_of(seen, first.slot).at
    holds(second.slot - STEP <= end, "a slot was skipped after the run's end")
    same([_stored_as(first), _stored_as(second, Status.RUNNING)], _stored(seen, first))


def _stored_as(run: Line, status: Status = Status.SUCCESS) -> tuple[object, ...]:
    return (run.slot, 1, status, Reason.SCHEDULED, run.who)


def _stored(seen: Evidence, first: Line) -> list[tuple[object, ...]]:
    """Return what history has, from a run on."""
    records = zip(seen.history(), seen.outline(), strict=True)
    return [(r.slot, *rest) for r, rest in records if r.slot >= first.slot]


def _all_at_once(seen: Evidence) -> None:
    copies = _starts(seen, COPIES)
    last = max(copy.monotonic for copy in copies)
    over = [c.slot for c in copies if _end_of(seen, c.slot).monotonic < last]
    holds(not over, f"{over} had ended when the last one began")


def _each_once(seen: Evidence) -> None:
    copies = _starts(seen, COPIES)
    first, last = copies[0], copies[-1]
    same(list(range(first.slot, last.slot + 1, STEP)), [copy.slot for copy in copies])
    same([_stored_as(copy) for copy in copies], _stored(seen, first)[:COPIES])
    expected = [skip for copy in copies for skip in _taken(copy)]
    same(expected, _skips(seen, first.slot, last.slot))


# --- what users are told --------------------------------------------------------------

SCENARIO = Scenario(
    number=1,
    title="A run takes longer than the period of its job",
    story=(
        f"A job is due every {PERIOD:g} s and takes {TAKES:g} s. Nothing else happens."
    ),
    lease=Side(
        summary="Its runs never overlap; slots that come due meanwhile are skipped",
        play=_on_leases,
        promises=(
            Promise(
                text="The next run begins after the first one's end.",
                judge=_one_at_a_time,
            ),
            Promise(
                text="Each slot that comes due meanwhile is skipped by all instances, "
                "the runner included, as `overlap`.",
                judge=_skipped,
            ),
            Promise(
                text="Skipped slots aren't made up for: the first slot after the "
                "run's end is the next in history.",
                judge=_next_one_runs,
            ),
        ),
    ),
    claims=Side(
        summary=f"Its runs overlap: {COPIES} are in progress at a time",
        play=_on_claims,
        promises=(
            Promise(
                text=f"{COPIES} runs of the job are in progress at the same time.",
                judge=_all_at_once,
            ),
            Promise(
                text="Each of them is run once; the other instances skip its slot as "
                "`taken`.",
                judge=_each_once,
            ),
        ),
    ),
    advice=(
        'With `overlap="allow"` a lease backend lets the runs of a job overlap, too, '
        "each with a lease and backups of its own."
    ),
)
