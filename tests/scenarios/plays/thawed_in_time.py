"""The runner is frozen, and wakes before its lease has run out."""

from anarchon.model import Status
from tests.processes.setup import Handler
from tests.scenarios.common import (
    a_run,
    after_a_heartbeat,
    one_record,
    ran_once,
    skipped_by_others,
    until_done,
)
from tests.scenarios.evidence import Evidence
from tests.scenarios.figures import HEARTBEAT, LEASE
from tests.scenarios.judging import holds, same
from tests.scenarios.scenario import Promise, Scenario, Side
from tests.scenarios.stage import FalseStart, Stage

# on waking it is still at work
WORK = Handler(takes=1.5)
FROZEN = LEASE / 2


# --- what is played -------------------------------------------------------------------


def _on_leases(stage: Stage) -> None:
    runner = a_run(stage, WORK)
    after_a_heartbeat(stage, runner)
    _frozen_for_a_while(stage, runner)


def _on_claims(stage: Stage) -> None:
    _frozen_for_a_while(stage, a_run(stage, WORK))


def _frozen_for_a_while(stage: Stage, runner: str) -> None:
    frozen = stage[runner].freeze()
    stage.watch(FROZEN)
    if stage[runner].thaw() - frozen > LEASE - HEARTBEAT:
        raise FalseStart(f"{runner} was frozen for too long by a busy machine")
    until_done(stage, attempt=1)


# --- what is judged -------------------------------------------------------------------


def _only_attempt(seen: Evidence) -> None:
    ran_once(seen, seen.one("frozen").who)
    skipped_by_others(seen)


def _not_lost(seen: Evidence) -> None:
    runner = seen.one("frozen").who
    same(["start", "success"], seen.events(runner, attempt=1))
    same([], seen.seen("lost"))
    same(["accepted"], [call.reason for call in seen.calls("finish")])
    thawed = seen.one("thawed").at
    beats = [beat for beat in seen.calls("heartbeat", on=runner) if beat.at > thawed]
    # one that is under way at the end may be refused
    same(["accepted"], [beat.reason for beat in beats[:1]])


def _watched(seen: Evidence) -> None:
    frozen, thawed = seen.one("frozen"), seen.one("thawed")
    looked = [
        call
        for call in seen.calls("claim")
        if frozen.at < call.at < thawed.at and call.who != frozen.who
    ]
    holds(looked, f"nobody looked after the run while {frozen.who} was frozen")
    same({"running"}, {call.reason for call in looked})
    same([], seen.seen("takeover"))


def _stored(seen: Evidence) -> None:
    one_record(seen, Status.SUCCESS, seen.one("frozen").who)


# --- what users are told --------------------------------------------------------------

STORED = Promise(text="History has attempt 1 as success, and no other.", judge=_stored)
ONE_ATTEMPT = Promise(
    text="The frozen instance goes on where it was, and finishes; the others skip the "
    "slot, as `taken`.",
    judge=_only_attempt,
)

SCENARIO = Scenario(
    number=9,
    title="The runner is frozen for less than its lease",
    story=(
        "A job is due once. In the middle of its work the runner is frozen by "
        f"SIGSTOP, and woken after half a lease, {FROZEN:g} s here. On lease "
        "backends it misses heartbeats meanwhile."
    ),
    lease=Side(
        summary="Nobody takes over; the runner goes on and finishes it",
        play=_on_leases,
        promises=(
            ONE_ATTEMPT,
            Promise(
                text="Its next heartbeat and its end are accepted, and it never tells "
                "`lost`.",
                judge=_not_lost,
            ),
            Promise(
                text="The backups look after the run meanwhile, find its lease alive, "
                "and leave it alone.",
                judge=_watched,
            ),
            STORED,
        ),
    ),
    claims=Side(
        summary="The runner goes on and finishes it",
        play=_on_claims,
        promises=(ONE_ATTEMPT, STORED),
    ),
    advice=(
        "The lease is what a runner may be silent for: make it longer than the "
        "longest pause of a healthy process; see [Which "
        "lease](deploying.md#which-lease)."
    ),
)
