"""Faults in how runs are watched, found and taken up."""

from property_tests.mutants.mutant import Mutant

INSTANCE = "anarchon/engine/instance.py"
LEASE_RUNNER = "anarchon/engine/lease_runner.py"
RECOVERY = "anarchon/engine/recovery.py"
SESSION = "anarchon/engine/session.py"
WATCH = "anarchon/engine/watch.py"

MUTANTS = (
    Mutant(
        name="a watcher forgets a run that it has seen alive",
        breaks="an orphan is taken up within two heartbeats",
        file=WATCH,
        find=(
            "            case Running():\n"
            "                self.see(slot, reply.attempt, sent[0] + reply.left)\n"
        ),
        put=(
            "            case Running():\n"
            "                self._targets.pop(slot, None)\n"
        ),
    ),
    Mutant(
        name="a backup wants the attempt after the next",
        breaks="L1, L6: a backup wants the next attempt",
        file=WATCH,
        find="self._look_after(slot, attempt + 1, lease_end)",
        put="self._look_after(slot, attempt + 2, lease_end)",
    ),
    Mutant(
        name="a backup asks once in ten heartbeats",
        breaks="a hand-over is found within two heartbeats",
        file="anarchon/rules/lease.py",
        find="return heartbeat * (1 + share)",
        put="return heartbeat * 10",
    ),
    Mutant(
        name="a claim that was given up is repeated under a fresh token",
        breaks="T5: one token for one wanted attempt",
        file=WATCH,
        find="takeover = replace(claim, mode=Reason.TAKEOVER)",
        put=(
            "takeover = new_claim(\n"
            "            self._session.instance,\n"
            "            self._state.job,\n"
            "            claim.slot,\n"
            "            Reason.TAKEOVER,\n"
            "        )"
        ),
    ),
    Mutant(
        name="an unheard takeover is repeated under a fresh token",
        breaks="T5: one token for one wanted attempt",
        file=WATCH,
        find=(
            "        if target is None or"
            " (target.claim.attempt < wanted and not target.failures):\n"
        ),
        put="        if target is None or target.claim.attempt < wanted:\n",
    ),
    Mutant(
        name="a backup takes over what its own older handler still runs",
        breaks="an instance never takes over a run that it still runs",
        file=WATCH,
        find="if instance.is_running(job, slot) or instance.is_stuck(job):",
        put="if self._state.removed:",
    ),
    Mutant(
        name="a job is claimed while an older handler of it is stuck",
        breaks="a stuck handler forbids further claims",
        file=INSTANCE,
        find="return any(run.in_the_way for run in self.runs_of(job))",
        put="return False",
    ),
    Mutant(
        name="who loses the claim does not watch the run",
        breaks="an orphan is taken up within two heartbeats",
        file=LEASE_RUNNER,
        find="watch.see(slot, reply.attempt, asked.sent[0] + reply.left)",
        put="",
    ),
    Mutant(
        name="who loses a run does not watch it",
        breaks="whoever loses a run becomes its backup",
        file=SESSION,
        find="self.watch_of(state).lost(slot, attempt)",
        put="self.watch_of(state)",
    ),
    Mutant(
        name="a start leaves unfinished runs alone",
        breaks="recovery: what was left is watched from the start",
        file=RECOVERY,
        find="                self._catch_up(state)\n            self._watch(left)\n",
        put="                self._catch_up(state)\n",
    ),
    Mutant(
        name="a start leaves unfinished runs to a newer slot, whatever comes of it",
        breaks="T7: newer first, then what it did not replace",
        file=RECOVERY,
        find="            self._watch(left)\n        if self._nap",
        put=(
            "            missed = {s.job.name for s in states if self._missed(s)}\n"
            "            runs = [run for run in left.runs if run.job not in missed]\n"
            "            self._watch(Left(tuple(runs), left.sent))\n"
            "        if self._nap"
        ),
    ),
    Mutant(
        name="a start takes older runs over before it asks for the newer slot",
        breaks="T7: newer first, then what it did not replace",
        file=RECOVERY,
        find="await session.instance.clock.sleep(delay / 1000)",
        put=(
            "state.turn.release()\n"
            "            await session.instance.clock.sleep(delay / 1000)\n"
            "            await state.turn.acquire()"
        ),
    ),
    Mutant(
        name="a start catches nothing up",
        breaks="every due slot ends as run, or as skipped",
        file=RECOVERY,
        find="if not options.catch_up:",
        put="if options.catch_up:",
    ),
    Mutant(
        name="nobody sweeps",
        breaks="T6: what nobody watches is found once per lease",
        file=SESSION,
        find="work.start_soon(self._recovery.sweep)",
        put="pass",
    ),
    Mutant(
        name="a start and the sweep find nothing",
        breaks="T6, T7: recovery that always leaves, and no sweep",
        file=RECOVERY,
        find="if run.slot not in watch:",
        put="if run.slot in watch:",
    ),
    Mutant(
        name="a run that ended without its runner is not told",
        breaks="its end is told by whoever noticed",
        file="anarchon/engine/reports.py",
        find="for record in records:",
        put="for record in records[:0]:",
    ),
)
