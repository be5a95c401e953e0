"""The runner is killed in the middle of a run."""

from anarchon.model import Status
from tests.scenarios.common import (
    a_run,
    in_vain,
    never_ended,
    one_record,
    taken_over_from,
    taken_over_in_time,
    two_records,
    until_done,
)
from tests.scenarios.evidence import Evidence
from tests.scenarios.figures import TAKEOVER_WITHIN
from tests.scenarios.judging import Time, same
from tests.scenarios.scenario import Promise, Scenario, Side
from tests.scenarios.stage import Stage

# --- what is played -------------------------------------------------------------------


def _killed(stage: Stage) -> None:
    stage[a_run(stage)].kill()


def _on_leases(stage: Stage) -> None:
    _killed(stage)
    until_done(stage, attempt=2)


def _on_claims(stage: Stage) -> None:
    _killed(stage)
    in_vain(stage)


# --- what is judged -------------------------------------------------------------------


def _in_time(seen: Evidence) -> Time:
    return taken_over_in_time(seen, seen.one("killed"))


def _by_a_backup(seen: Evidence) -> None:
    killed = seen.one("killed").who
    taker = taken_over_from(seen, killed)
    same([(killed, 1), (taker, 2)], seen.starts)
    same([(taker, 2)], seen.ends)


def _stored(seen: Evidence) -> None:
    two_records(seen, seen.one("killed").who, seen.one("takeover").who)


def _nobody_else(seen: Evidence) -> None:
    never_ended(seen, seen.one("killed").who)


def _for_ever(seen: Evidence) -> None:
    one_record(seen, Status.RUNNING, seen.one("killed").who)


# --- what users are told --------------------------------------------------------------

SCENARIO = Scenario(
    number=2,
    title="The runner is killed in the middle of a run",
    story=(
        "A job is due once. In the middle of its work the runner gets SIGKILL, as "
        "from the kernel when memory runs out; to the others a power cut looks the "
        "same."
    ),
    lease=Side(
        summary="A backup takes over, and finishes it",
        play=_on_leases,
        promises=(
            Promise(
                text="A backup takes over within lease + 2 heartbeats of the kill, "
                f"{TAKEOVER_WITHIN:.2f} s here, and not before the lease ran out.",
                judge=_in_time,
            ),
            Promise(
                text="The backup is another instance; it runs the job from the "
                "beginning.",
                judge=_by_a_backup,
            ),
            Promise(
                text="History has attempt 1 as interrupted, attempt 2 as success.",
                judge=_stored,
            ),
        ),
    ),
    claims=Side(
        summary="Nobody goes on with it; it stays `running`",
        play=_on_claims,
        promises=(
            Promise(text="Nobody goes on with the run.", judge=_nobody_else),
            Promise(text="History has it as running, for ever.", judge=_for_ever),
        ),
    ),
    advice=(
        "A takeover starts the job from its beginning: nobody knows how far the killed "
        "one came. [Long runs](handlers.md#long-runs) can keep checkpoints."
    ),
)
