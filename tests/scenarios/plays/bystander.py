"""An instance that doesn't run the job is restarted in the middle of a run."""

from anarchon.model import Reason, Status
from tests.processes.journal import Phase
from tests.processes.report import Report
from tests.processes.setup import Handler
from tests.scenarios.common import until_done
from tests.scenarios.evidence import Evidence
from tests.scenarios.judging import holds, only, same
from tests.scenarios.scenario import Promise, Scenario, Side
from tests.scenarios.stage import Stage

ALL = {"A", "B", "C"}
# it has to outlast the restart of a process
HANDLER = Handler(takes=4.0, step=0.1)


def _restarted(stage: Stage) -> str:
    """Restart one that doesn't run the job, and return who it is."""
    stage.load()
    slot = stage.once(HANDLER)
    stage.begin()
    others = ALL - {stage.at_work().who}
    stage.until(lambda: stage.cluster.all_skipped(slot, others))
    restarted = min(others)
    stage[restarted].kill()
    stage.back(restarted)
    return restarted


def _on_leases(stage: Stage) -> None:
    restarted = stage[_restarted(stage)]

    def watches() -> bool:
        told = stage.cluster.told(restarted.who)
        return any(_is_check(r) for r in told if r.pid == restarted.pid)

    stage.until(watches)
    until_done(stage, attempt=1)


def _on_claims(stage: Stage) -> None:
    _restarted(stage)
    until_done(stage, attempt=1)


def _is_check(report: Report) -> bool:
    return (report.what, report.reason) == ("asked", Reason.TAKEOVER)


def _again(seen: Evidence) -> list[Report]:
    """Return what the restarted instance told from then on."""
    killed = seen.one("killed")
    told = [r for r in seen.reports if r.who == killed.who and r.pid != killed.pid]
    ready = only([report for report in told if report.what == "ready"], "restart")
    end = only(seen.written(Phase.END), "end")
    holds(ready.monotonic < end.monotonic, "the run was over before the restart was")
    return told


def _once(seen: Evidence) -> None:
    _again(seen)
    runner = seen.one("start").who
    holds(runner != seen.one("killed").who, f"{runner} ran the job and was restarted")
    same([(runner, 1)], seen.starts)
    same([(runner, 1)], seen.ends)
    same(["start", "success"], seen.events(runner, attempt=1))
    same([(1, Status.SUCCESS, Reason.SCHEDULED, runner)], seen.outline())


def _found_taken(seen: Evidence) -> None:
    again, runner = _again(seen), seen.one("start").who
    asked = [r.reason for r in again if r.what == "asked"]
    same([Reason.CATCH_UP], [mode for mode in asked if mode != Reason.TAKEOVER])
    skips = [(r.reason, r.by) for r in again if r.what == "skip"]
    same([("taken", runner)], skips)


def _watches(seen: Evidence) -> None:
    again = _again(seen)
    end = only(seen.written(Phase.END), "end")
    checks = [r for r in again if _is_check(r) and r.monotonic < end.monotonic]
    holds(checks, f"{seen.one('killed').who} didn't look after the run")
    answers = {r.reason for r in again if r.what == "answered"}
    holds("won" not in answers, "it won what it only had to watch")
    refused = seen.calls("heartbeat", "refused")
    holds(not refused, "the runner was refused")


def _asks_nothing(seen: Evidence) -> None:
    told = [r.what for r in _again(seen)]
    same([], [what for what in told if what in {"asked", "skip", "start"}])


SCENARIO = Scenario(
    number=4,
    title="Another instance restarts in the middle of a run",
    story=(
        "A job is due once. While one instance is at work on it, another one gets "
        "SIGKILL, and is started again before the run is over."
    ),
    lease=Side(
        summary="Runs once; the restarted instance is a backup again",
        play=_on_leases,
        promises=(
            Promise(text="The run happens once, undisturbed.", judge=_once),
            Promise(
                text="The restarted instance asks for the latest slot, and skips it as "
                "`taken`, by the runner.",
                judge=_found_taken,
            ),
            Promise(
                text="It looks after the run again, as a backup, and doesn't get it.",
                judge=_watches,
            ),
        ),
    ),
    claims=Side(
        summary="Runs once",
        play=_on_claims,
        promises=(
            Promise(text="The run happens once, undisturbed.", judge=_once),
            Promise(
                text="The restarted instance asks for nothing that was due before.",
                judge=_asks_nothing,
            ),
        ),
    ),
)
