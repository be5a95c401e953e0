"""Instances whose clocks are minutes off, beside one whose clock is right."""

import time
from statistics import median

from anarchon.model import Status
from tests.processes.journal import Phase
from tests.processes.setup import Handler
from tests.scenarios.common import one_record, ran_once, until_done
from tests.scenarios.evidence import JOB, Evidence
from tests.scenarios.figures import JITTER, LEASE, NAMES
from tests.scenarios.judging import Time, holds, only, same, within
from tests.scenarios.scenario import Promise, Scenario, Side
from tests.scenarios.stage import Stage
from tests.scenarios.ticking import TICK, add_ticks, at_work_among_ticks, ticks
from tests.servers.faketime import clock_off_by

RIGHT, FAST, SLOW = "A", "B", "C"
MINUTES = 5
OFF_BY = 60.0 * MINUTES
SLOTS = 5
LONG = Handler(takes=1.5 * LEASE)
# how far the store's reading of its clock may be from an instance's, in seconds
READING = 0.005


# --- what is played -------------------------------------------------------------------


def _play(stage: Stage) -> None:
    stage.cluster.environments = {
        FAST: clock_off_by(OFF_BY),
        SLOW: clock_off_by(-OFF_BY),
    }
    stage.load()
    add_ticks(stage)
    at_work_among_ticks(stage, LONG)
    begin = time.time() * 1000
    stage.until(lambda: min(_over(stage, who, begin) for who in NAMES) >= SLOTS)
    until_done(stage, attempt=1)


def _over(stage: Stage, who: str, begin: float) -> int:
    """Return how many ticks an instance has run or skipped."""
    told = [*stage.cluster.seen("success", who), *stage.cluster.seen("skip", who)]
    return len({r.slot for r in told if r.job == TICK and r.slot >= begin})


# --- what is judged -------------------------------------------------------------------


def _apart(seen: Evidence) -> float:
    """Return what makes a time of the right clock out of a monotonic one."""
    # a pause between both readings of a clock makes it less
    return max(
        *(told.at - told.monotonic for told in seen.reports if told.who == RIGHT),
        *(told.at - told.monotonic for told in seen.lines if told.who == RIGHT),
    )


def _slots(seen: Evidence) -> list[int]:
    """Return the ticks that were due while all three were there."""
    ready = max(report.monotonic for report in seen.seen("ready"))
    return ticks(seen, ready + _apart(seen))


def _at_its_time(seen: Evidence) -> Time:
    slots = _slots(seen)
    lines = [line for line in seen.written(Phase.START) if line.slot >= slots[0]]
    late = [line.monotonic + _apart(seen) - line.slot / 1000 for line in lines]
    holds(min(late) >= -READING, f"{-min(late):.3f} s early")
    # a busy machine may hold up one of them, a wrong clock holds up many
    return within("after its time", median(late), JITTER)


def _each_once(seen: Evidence) -> None:
    slots = _slots(seen)
    holds(len(slots) >= SLOTS, f"{len(slots)} slots only")
    kept = {record.slot: record.status for record in seen.history(TICK)}
    same([Status.SUCCESS] * SLOTS, [kept.get(slot) for slot in slots[:SLOTS]])


def _all_take_part(seen: Evidence) -> None:
    run = seen.about(TICK)
    for slot in _slots(seen)[:SLOTS]:
        winner = only([r.who for r in run.seen("start") if r.slot == slot], "winner")
        for who in NAMES:
            skips = [] if who == winner else ["taken"]
            same(skips, run.skips(who, slot))


def _told(seen: Evidence) -> None:
    skews = {
        who: [round(r.offset) for r in seen.seen("clock_skew", who)] for who in NAMES
    }
    same({RIGHT: [], FAST: [-round(OFF_BY)], SLOW: [round(OFF_BY)]}, skews)


def _stays(seen: Evidence) -> None:
    run = seen.about(JOB)
    runner = run.one("success").who
    ran_once(run, runner)
    same([], run.seen("lost"))
    one_record(seen, Status.SUCCESS, runner)


# --- what users are told --------------------------------------------------------------

PROMISES = (
    Promise(
        text="Each slot runs once, and none is missing.",
        judge=_each_once,
    ),
    Promise(
        text="No run begins before its time by the store's clock; runs begin when "
        "they are due.",
        judge=_at_its_time,
    ),
    Promise(
        text="B and C take part all the same: each instance runs a slot, or skips "
        "it as `taken`.",
        judge=_all_take_part,
    ),
    Promise(
        text="A run that takes longer than a lease stays with its runner, whatever "
        "time the others believe it is.",
        judge=_stays,
    ),
    Promise(
        text="B and C tell `clock_skew`, with how far the store's clock is ahead "
        "of theirs; A tells nothing.",
        judge=_told,
    ),
)

SCENARIO = Scenario(
    number=17,
    title="Clocks are minutes off",
    story=(
        f"B's clock is {MINUTES} minutes fast, C's {MINUTES} minutes slow, A's is "
        "right, and so is the store's. A job is due every second, another one has a "
        "long run."
    ),
    lease=Side(
        summary="Every slot runs once, at the store's time",
        play=_play,
        promises=PROMISES,
        not_on={"sqlite": "all its instances are on one machine, and share its clock"},
    ),
    claims=Side(
        summary="Every slot runs once, at the store's time, if it tells one",
        play=_play,
        promises=PROMISES,
        not_on={
            "rabbitmq": "it tells no time; there every machine's clock must be right"
        },
    ),
    advice=(
        "Slots come due by the clock of the store; see [Clocks](deploying.md#clocks). "
        "RabbitMQ tells no time: there, run NTP on every machine."
    ),
)
