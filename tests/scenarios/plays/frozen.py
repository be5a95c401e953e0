"""The runner is frozen for longer than its lease."""

from anarchon.model import Status
from tests.processes.journal import Phase
from tests.processes.setup import Handler
from tests.scenarios.common import (
    a_run,
    after_a_heartbeat,
    in_vain,
    one_record,
    taken_over_from,
    taken_over_in_time,
    two_records,
    until_done,
)
from tests.scenarios.evidence import Evidence
from tests.scenarios.figures import HEARTBEAT, TAKEOVER_WITHIN
from tests.scenarios.judging import Time, holds, only, same, within
from tests.scenarios.scenario import Promise, Scenario, Side
from tests.scenarios.stage import Stage

# long enough for the frozen one to wake before the second attempt is done
WORK = Handler(takes=1.5)


# --- what is played -------------------------------------------------------------------


def _frozen(stage: Stage) -> str:
    """Freeze the runner and return who it is."""
    runner = a_run(stage, WORK)
    if stage.leases:
        # frozen in a call, it might keep a file locked
        after_a_heartbeat(stage, runner)
    stage[runner].freeze()
    return runner


def _on_leases(stage: Stage) -> None:
    frozen = _frozen(stage)
    stage.at_work(attempt=2)
    stage[frozen].thaw()
    stage.until_seen("interrupted", frozen)
    until_done(stage, attempt=2)


def _on_claims(stage: Stage) -> None:
    frozen = _frozen(stage)
    in_vain(stage)
    stage[frozen].thaw()
    until_done(stage, attempt=1)


# --- what is judged -------------------------------------------------------------------


def _in_time(seen: Evidence) -> Time:
    frozen = seen.one("frozen")
    taker = taken_over_from(seen, frozen.who)
    same([(frozen.who, 1), (taker, 2)], seen.starts)
    return taken_over_in_time(seen, frozen)


def _refused(seen: Evidence) -> Time:
    thawed, lost = seen.one("thawed"), seen.one("lost")
    same((thawed.who, 1, "refused"), (lost.who, lost.attempt, lost.cause))
    beats = seen.calls("heartbeat", on=thawed.who)
    same(["refused"], [b.reason for b in beats if b.monotonic > thawed.monotonic])
    same(["start", "lost", "interrupted"], seen.events(thawed.who, attempt=1))
    told = seen.one("interrupted")
    same((False, False), (told.handed_over, told.final))
    return within("loss told after waking", lost.at - thawed.at, HEARTBEAT)


def _cancelled(seen: Evidence) -> None:
    thawed, lost, taker = seen.one("thawed"), seen.one("lost"), seen.one("takeover")
    _stood_still(seen)
    cancelled = only(seen.written(Phase.CANCELLED), "cancellation")
    same((thawed.who, 1), (cancelled.who, cancelled.attempt))
    within("cancelled after its loss was told", cancelled.at - lost.at, 0.0)
    mine = [line for line in seen.lines if line.who == thawed.who]
    same(cancelled, mine[-1])
    same([(taker.who, 2)], seen.ends)


def _stood_still(seen: Evidence) -> None:
    frozen, thawed = seen.one("frozen"), seen.one("thawed")
    mine = [line.at for line in seen.lines if line.who == frozen.who]
    # what was under way when the signal was sent may be written
    meanwhile = [at for at in mine if frozen.at < at < thawed.at]
    holds(len(meanwhile) <= 1, f"{frozen.who} went on while it was frozen")


def _writes_nothing(seen: Evidence) -> None:
    frozen = seen.one("frozen").who
    same([], [*seen.calls("finish", on=frozen), *seen.calls("release", on=frozen)])
    two_records(seen, frozen, seen.one("takeover").who)


def _waited(seen: Evidence) -> None:
    frozen, thawed = seen.one("frozen"), seen.one("thawed")
    same([(frozen.who, 1)], seen.starts)
    _stood_still(seen)
    holds(thawed.at - frozen.at > TAKEOVER_WITHIN, "it was thawed too early")


def _went_on(seen: Evidence) -> None:
    frozen = seen.one("frozen").who
    same([(frozen, 1)], seen.ends)
    same(["start", "success"], seen.events(frozen, attempt=1))
    end = only(seen.written(Phase.END), "end")
    holds(seen.one("thawed").at < end.at, "it ended while its runner was frozen")
    one_record(seen, Status.SUCCESS, frozen)


# --- what users are told --------------------------------------------------------------

SCENARIO = Scenario(
    number=3,
    title="The runner is frozen for longer than its lease",
    story=(
        "A job is due once. In the middle of its work the runner is frozen by SIGSTOP, "
        "as if its whole machine were suspended. It is woken by SIGCONT when another "
        "instance is at work on the run, and knows of nothing."
    ),
    lease=Side(
        summary="A backup takes over; the runner learns of it on waking",
        play=_on_leases,
        promises=(
            Promise(
                text="A backup takes over within lease + 2 heartbeats of the freeze, "
                f"{TAKEOVER_WITHIN:.2f} s here, and not before the lease ran out.",
                judge=_in_time,
            ),
            Promise(
                text="The first heartbeat of the woken instance is refused: it tells "
                "`lost`, with the cause `refused`, within a heartbeat of waking.",
                judge=_refused,
            ),
            Promise(
                text="Its handler is cancelled then, and does nothing more.",
                judge=_cancelled,
            ),
            Promise(
                text="It writes nothing in the store: history has attempt 1 as "
                "interrupted, attempt 2 as success.",
                judge=_writes_nothing,
            ),
        ),
    ),
    claims=Side(
        summary="Nobody goes on with it until its runner wakes",
        play=_on_claims,
        promises=(
            Promise(
                text="Nobody else begins the run, however long it is frozen.",
                judge=_waited,
            ),
            Promise(
                text="Woken, its runner goes on as if nothing had been, and finishes "
                "it.",
                judge=_went_on,
            ),
        ),
    ),
    advice=(
        "Between waking and the refusal the handler goes on for up to a heartbeat, "
        "beside the second attempt. What it writes elsewhere in that time is kept out "
        "by [fences](handlers.md#fences)."
    ),
)
