"""Two runners of one run are killed, one after the other."""

from anarchon.model import Reason, Status
from tests.processes.setup import Handler
from tests.scenarios.common import (
    a_run,
    in_vain,
    never_ended,
    one_record,
    others,
    record_of,
    taken_over_in_time,
    until_done,
)
from tests.scenarios.evidence import JOB, Evidence
from tests.scenarios.figures import HEARTBEAT, LEASE, TAKEOVER_WITHIN
from tests.scenarios.judging import Time, first_of, same, within
from tests.scenarios.scenario import Promise, Scenario, Side
from tests.scenarios.stage import Stage

# it is at work for longer than the next instance takes to begin
WORK = Handler(takes=2.0)
# a job that may lose one runner, and not two
LIMITED = "limited"


# --- what is played -------------------------------------------------------------------


def _on_leases(stage: Stage) -> None:
    stage.load()
    stage.once(WORK)
    stage.once(WORK, LIMITED, max_attempts=2)
    stage.begin("A")
    for attempt, (runner, backup) in enumerate((("A", "B"), ("B", "C")), 1):
        stage.at_work(attempt)
        stage.at_work(attempt, job=LIMITED)
        stage.join(backup)
        stage[runner].kill()
    stage.until_seen("interrupted", job=LIMITED)
    # its work takes a lease, in which whoever looks for unfinished runs finds them
    until_done(stage, attempt=3)


def _on_claims(stage: Stage) -> None:
    runner = a_run(stage)
    stage[runner].kill()
    stage[others(runner)[0]].kill()
    in_vain(stage)


# --- what is judged -------------------------------------------------------------------


def _in_time(seen: Evidence) -> Time:
    times = [
        taken_over_in_time(seen, killed, attempt)
        for attempt, killed in enumerate(seen.seen("killed"), start=2)
    ]
    return max(times, key=lambda time: time.seconds)


def _by_the_third(seen: Evidence) -> None:
    mine = seen.about(JOB)
    same([("A", 1), ("B", 2), ("C", 3)], mine.starts)
    same([("C", 3)], mine.ends)
    same(["start"], mine.events("A", attempt=1))
    same(["takeover", "start"], mine.events("B", attempt=2))
    same(["takeover", "start", "success"], mine.events("C", attempt=3))
    same(["A", "B"], [taken.from_instance for taken in mine.seen("takeover")])


def _stored(seen: Evidence) -> None:
    same(
        [
            (1, Status.INTERRUPTED, Reason.SCHEDULED, "A"),
            (2, Status.INTERRUPTED, Reason.TAKEOVER, "B"),
            (3, Status.SUCCESS, Reason.TAKEOVER, "C"),
        ],
        seen.outline(),
    )


def _ended_for_good(seen: Evidence) -> Time:
    mine = seen.about(LIMITED)
    told = mine.one("interrupted")
    same(("C", 2, True, False), (told.who, told.attempt, told.final, told.handed_over))
    same(["interrupted"], [*mine.events("C", attempt=2), *mine.events("C", attempt=3)])
    killed = mine.one("killed", "B")
    return within("noticed", told.at - killed.at, TAKEOVER_WITHIN, LEASE - HEARTBEAT)


def _not_again(seen: Evidence) -> None:
    mine = seen.about(LIMITED)
    same([("A", 1), ("B", 2)], mine.starts)
    same([], mine.calls("claim", "won", on="C"))
    same(
        [
            (1, Status.INTERRUPTED, Reason.SCHEDULED, "A"),
            (2, Status.INTERRUPTED, Reason.TAKEOVER, "B"),
        ],
        mine.outline(LIMITED),
    )
    same(False, record_of(seen, attempt=2, job=LIMITED).handed_over)


def _nobody_else(seen: Evidence) -> None:
    never_ended(seen, _first_killed(seen))


def _for_ever(seen: Evidence) -> None:
    one_record(seen, Status.RUNNING, _first_killed(seen))


def _first_killed(seen: Evidence) -> str:
    killed, _ = first_of(2, seen.seen("killed"), "kills")
    return killed.who


# --- what users are told --------------------------------------------------------------

SCENARIO = Scenario(
    number=8,
    title="The runner is killed, and then its backup",
    story=(
        "A runs two jobs, and gets SIGKILL in the middle of both. B takes both over, "
        "and is killed as well. C is left. One job has the default `max_attempts`, 3; "
        "the other one has `max_attempts=2`."
    ),
    lease=Side(
        summary="The third instance finishes it, unless its attempts are used up",
        play=_on_leases,
        promises=(
            Promise(
                text="Each takeover comes within lease + 2 heartbeats of the kill, "
                f"{TAKEOVER_WITHIN:.2f} s here, and not before the lease ran out.",
                judge=_in_time,
            ),
            Promise(
                text="Each of the three makes one attempt; C finishes the run.",
                judge=_by_the_third,
            ),
            Promise(
                text="History has attempts 1 and 2 as interrupted, attempt 3 as "
                "success.",
                judge=_stored,
            ),
            Promise(
                text="The job with two attempts has used them up: C tells "
                "`interrupted`, with `final`, as soon as a takeover would be due.",
                judge=_ended_for_good,
            ),
            Promise(
                text="It isn't started a third time, and history has both its attempts "
                "as interrupted.",
                judge=_not_again,
            ),
        ),
    ),
    claims=Side(
        summary="Nobody goes on with it; it stays `running`",
        play=_on_claims,
        promises=(
            Promise(
                text="Nobody goes on with the run, whoever is left.", judge=_nobody_else
            ),
            Promise(text="History has it as running, for ever.", judge=_for_ever),
        ),
    ),
    advice=(
        "`max_attempts` keeps a job that brings down its process from bringing down "
        "one instance after the other. Listen for "
        "[`interrupted` with `final`](events.md#what-deserves-attention): nobody will "
        "finish that run."
    ),
)
