"""The runner is killed in the middle of a run."""

from anarchon.model import Reason, Status
from tests.scenarios.common import a_run, in_vain, taken_over_in_time, until_done
from tests.scenarios.evidence import Evidence
from tests.scenarios.figures import TAKEOVER_WITHIN
from tests.scenarios.judging import Time, holds, same
from tests.scenarios.scenario import Promise, Scenario, Side
from tests.scenarios.stage import Stage


def _killed(stage: Stage) -> None:
    stage[a_run(stage)].kill()


def _on_leases(stage: Stage) -> None:
    _killed(stage)
    until_done(stage, attempt=2)


def _on_claims(stage: Stage) -> None:
    _killed(stage)
    in_vain(stage)


def _in_time(seen: Evidence) -> Time:
    return taken_over_in_time(seen, seen.one("killed"))


def _by_a_backup(seen: Evidence) -> None:
    killed, taker = seen.one("killed").who, seen.one("takeover").who
    holds(killed != taker, f"{taker} was killed, and took over from itself")
    same(killed, seen.one("takeover").from_instance)
    same([(killed, 1), (taker, 2)], seen.starts)
    same(["takeover", "start", "success"], seen.events(taker, attempt=2))


def _stored(seen: Evidence) -> None:
    killed, taker = seen.one("killed").who, seen.one("takeover").who
    same(
        [
            (1, Status.INTERRUPTED, Reason.SCHEDULED, killed),
            (2, Status.SUCCESS, Reason.TAKEOVER, taker),
        ],
        seen.outline(),
    )


def _nobody_else(seen: Evidence) -> None:
    same([(seen.one("killed").who, 1)], seen.starts)
    same([], seen.ends)


def _for_ever(seen: Evidence) -> None:
    same(
        [(1, Status.RUNNING, Reason.SCHEDULED, seen.one("killed").who)], seen.outline()
    )


SCENARIO = Scenario(
    number=2,
    title="The runner is killed in the middle of a run",
    story=(
        "A job is due once. Whoever won it gets SIGKILL in the middle of its work, as "
        "from the kernel when memory runs out, or when the host loses power."
    ),
    lease=Side(
        summary="A backup finishes it as attempt 2",
        play=_on_leases,
        promises=(
            Promise(
                text=f"A backup takes over within lease + 2 heartbeats of the kill, "
                f"{TAKEOVER_WITHIN:.2f} s here, and not before the lease ran out.",
                judge=_in_time,
            ),
            Promise(
                text="It is another instance; it runs the job from the beginning.",
                judge=_by_a_backup,
            ),
            Promise(
                text="History has attempt 1 as interrupted, attempt 2 as success.",
                judge=_stored,
            ),
        ),
    ),
    claims=Side(
        summary="The run is lost; history says `running` for ever",
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
