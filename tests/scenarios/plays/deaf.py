"""The runner is stopped, and its handler doesn't let itself be cancelled."""

from anarchon.model import Status
from tests.processes.journal import Phase
from tests.processes.setup import Handler
from tests.scenarios.common import (
    EXITED,
    a_run,
    end_of,
    one_record,
    ran_once,
    skipped_by_others,
    taken_over_from,
    two_at_work,
    two_records,
    until_done,
    until_ended,
)
from tests.scenarios.evidence import Evidence
from tests.scenarios.figures import HEARTBEAT, LEASE, TAKEOVER_WITHIN
from tests.scenarios.judging import Time, holds, only, same, within
from tests.scenarios.scenario import Promise, Scenario, Side
from tests.scenarios.stage import Stage

STOP_TIMEOUT = 1.0
TAKEN_WITHIN = STOP_TIMEOUT + TAKEOVER_WITHIN
# it goes on until somebody has surely taken over
WORK = Handler(takes=TAKEN_WITHIN + 1.0, deaf=True)
# what is said in the log
WAITS = "waiting for 1 handler(s) that go on past the stop"


# --- what is played -------------------------------------------------------------------


def _stopped(stage: Stage) -> None:
    stage.cluster.options["stop_timeout"] = STOP_TIMEOUT
    runner = a_run(stage, WORK)
    stage[runner].stop()
    until_ended(stage, runner)


def _on_leases(stage: Stage) -> None:
    _stopped(stage)
    until_done(stage, attempt=2)


# --- what is judged -------------------------------------------------------------------


def _kept_until_the_timeout(seen: Evidence) -> None:
    stopped = seen.one("stopped")
    beats = seen.calls("heartbeat", on=stopped.who)
    same({"accepted"}, {beat.reason for beat in beats})
    last = max((beat.at for beat in beats), default=0.0) - stopped.at
    within("last heartbeat", last, STOP_TIMEOUT, STOP_TIMEOUT - HEARTBEAT)


def _in_time(seen: Evidence) -> Time:
    after = end_of(seen, attempt=1) - seen.one("stopped").at
    least = STOP_TIMEOUT + LEASE - HEARTBEAT
    return within("takeover", after, TAKEN_WITHIN, least)


def _both_at_work(seen: Evidence) -> None:
    stopped, taker = seen.one("stopped").who, seen.one("takeover").who
    same([(stopped, 1), (taker, 2)], seen.starts)
    same([(stopped, 1), (taker, 2)], seen.ends)
    two_at_work(seen)
    skipped_by_others(seen)


def _does_not_count(seen: Evidence) -> None:
    stopped = seen.one("stopped").who
    _told_nothing(seen, final=False)
    two_records(seen, stopped, taken_over_from(seen, stopped))


def _told_nothing(seen: Evidence, *, final: bool) -> None:
    """Hold that the stopped one told the store no end, and its listeners which."""
    stopped = seen.one("stopped").who
    same([], [*seen.calls("finish", on=stopped), *seen.calls("release", on=stopped)])
    same(["start", "interrupted"], seen.events(stopped, attempt=1))
    told = seen.one("interrupted")
    same((False, final), (told.handed_over, told.final))


def _exits(seen: Evidence) -> None:
    stopped = seen.one("stopped").who
    holds(WAITS in seen.complaints, f"it didn't say: {WAITS}")
    returned = only(seen.written(Phase.END, stopped), "end of the first handler")
    within("end", seen.one("ended", stopped).at - returned.at, 0.0)
    seen.one(EXITED, stopped)


def _goes_on(seen: Evidence) -> None:
    ran_once(seen, seen.one("stopped").who)
    same([], seen.written(Phase.CANCELLED))
    skipped_by_others(seen)


def _for_ever(seen: Evidence) -> None:
    _told_nothing(seen, final=True)
    one_record(seen, Status.RUNNING, seen.one("stopped").who)


# --- what users are told --------------------------------------------------------------

EXITS = Promise(
    text="Its process waits for the handler, says so in the log, and then "
    "exits with status 0.",
    judge=_exits,
)

SCENARIO = Scenario(
    number=11,
    title="The runner is stopped, and its handler ignores that",
    story=(
        "A job is due once. In the middle of its work the runner gets SIGTERM. Its "
        "handler shields itself from being cancelled, and works on far beyond "
        f"`stop_timeout`, {STOP_TIMEOUT:g} s here."
    ),
    lease=Side(
        summary="A backup takes over once `stop_timeout` and the lease have passed",
        play=_on_leases,
        promises=(
            Promise(
                text="Until `stop_timeout` has passed the runner keeps its lease, and "
                "then no longer.",
                judge=_kept_until_the_timeout,
            ),
            Promise(
                text="A backup takes over within `stop_timeout` + lease + 2 heartbeats "
                f"of the signal, {TAKEN_WITHIN:.2f} s here, and not before the lease "
                "ran out.",
                judge=_in_time,
            ),
            Promise(
                text="The old handler is at work even then: for a while there are two.",
                judge=_both_at_work,
            ),
            Promise(
                text="How the old one ends doesn't count. It tells `interrupted`, not "
                "handed over; history has attempt 1 as interrupted, attempt 2 as "
                "success.",
                judge=_does_not_count,
            ),
            EXITS,
        ),
    ),
    claims=Side(
        summary="Its handler comes to its end; the run stays `running`",
        play=_stopped,
        promises=(
            Promise(
                text="The handler works to its end; nobody else begins.", judge=_goes_on
            ),
            Promise(
                text="That end doesn't count: it tells `interrupted`, with `final`, "
                "and history has the run as running, for ever.",
                judge=_for_ever,
            ),
            EXITS,
        ),
    ),
    advice=(
        "Let handlers be [cancelled](handlers.md#cancellation), plain functions "
        "by looking at `ctx.check_cancelled()`. Put what must be done whole into "
        "`ctx.shield`, for less than `stop_timeout`."
    ),
)
