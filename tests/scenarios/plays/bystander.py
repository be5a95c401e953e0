"""An instance that is no runner is restarted in the middle of a run."""

from anarchon.model import Reason, Status
from tests.processes.journal import Phase
from tests.processes.report import Report
from tests.processes.setup import Handler
from tests.scenarios.common import (
    again,
    one_record,
    others,
    ran_once,
    until_done,
)
from tests.scenarios.evidence import Evidence
from tests.scenarios.judging import holds, only, same
from tests.scenarios.scenario import Promise, Scenario, Side
from tests.scenarios.stage import FalseStart, Stage

# it has to outlast the restart of a process
WORK = Handler(takes=4.0, step=0.1)


# --- what is played -------------------------------------------------------------------


def _restarted(stage: Stage) -> str:
    """Restart one that doesn't run the job, and return who it is."""
    stage.load()
    slot = stage.once(WORK)
    stage.begin()
    rest = others(stage.at_work().who)
    stage.until(lambda: stage.cluster.all_skipped(slot, set(rest)))
    restarted = rest[0]
    stage[restarted].kill()
    stage.back(restarted)
    if stage.cluster.seen("success"):
        raise FalseStart(f"the run was over before {restarted} was back")
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


# --- what is judged -------------------------------------------------------------------


def _told_since(seen: Evidence) -> list[Report]:
    """Return what the restarted instance told since, which was during the run."""
    restarted = seen.one("killed").who
    ready = [report for report in again(seen, "ready") if report.who == restarted]
    back, end = only(ready, "restart"), only(seen.written(Phase.END), "end")
    holds(back.monotonic < end.monotonic, "the run was over before the restart was")
    return [report for report in seen.reports if report.pid == back.pid]


def _once(seen: Evidence) -> None:
    _told_since(seen)
    runner = seen.one("start").who
    holds(runner != seen.one("killed").who, f"{runner} ran the job and was restarted")
    ran_once(seen, runner)
    same(["start", "success"], seen.events(runner, attempt=1))
    one_record(seen, Status.SUCCESS, runner)


def _found_taken(seen: Evidence) -> None:
    since = _told_since(seen)
    asked = [report.reason for report in since if report.what == "asked"]
    same([Reason.CATCH_UP], [mode for mode in asked if mode != Reason.TAKEOVER])
    skips = [report for report in since if report.what == "skip"]
    same(1, len(skips))
    _others_skip(seen, more=skips[0].who)


def _others_skip(seen: Evidence, more: str = "") -> None:
    """Hold that all but the runner skipped the run once, and one of them once more."""
    runner = seen.one("start").who
    who = sorted([*others(runner), *more])
    skips = sorted((skip.who, skip.reason, skip.by) for skip in seen.seen("skip"))
    same([(one, "taken", runner) for one in who], skips)


def _watches(seen: Evidence) -> None:
    since, end = _told_since(seen), only(seen.written(Phase.END), "end")
    checks = [r for r in since if _is_check(r) and r.monotonic < end.monotonic]
    holds(checks, "it didn't look after the run")
    won = seen.calls("claim", "won", on=seen.one("killed").who)
    holds(not won, "it won what it only had to watch")


def _asks_nothing(seen: Evidence) -> None:
    told = [report.what for report in _told_since(seen)]
    holds("asked" not in told, "it asked for something")
    _others_skip(seen)


# --- what users are told --------------------------------------------------------------

SCENARIO = Scenario(
    number=4,
    title="An instance restarts while another one runs the job",
    story=(
        "A job is due once. While one instance is at work on it, another one gets "
        "SIGKILL, and is started again before the run is over."
    ),
    lease=Side(
        summary="It runs once; whoever was restarted is a backup again",
        play=_on_leases,
        promises=(
            Promise(text="The run happens once, undisturbed.", judge=_once),
            Promise(
                text="The restarted instance asks for the latest slot, and skips it as "
                "`taken`.",
                judge=_found_taken,
            ),
            Promise(
                text="It looks after the run again, as a backup, and doesn't get it.",
                judge=_watches,
            ),
        ),
    ),
    claims=Side(
        summary="It runs once",
        play=_on_claims,
        promises=(
            Promise(text="The run happens once, undisturbed.", judge=_once),
            Promise(
                text="The restarted instance asks for nothing that was due before.",
                judge=_asks_nothing,
            ),
        ),
    ),
    advice=(
        "Backups may come and go as they like: a run needs one only when its runner "
        "is gone."
    ),
)
