"""Faults in what the memory store writes."""

from property_tests.mutants.mutant import Mutant
from property_tests.mutants.suites import RACES

ATTEMPT = "anarchon/backends/memory/attempt.py"
JOB = "anarchon/backends/memory/job.py"

BEAT = (
    "        if run is None or not run.held_by(token):\n"
    "            return Answer(now=now, accepted=False)\n"
)
FINISH = (
    "        if run is None or not run.held_by(token):\n"
    "            record = self._record(slot, token)\n"
)

MUTANTS = (
    Mutant(
        name="any token may beat",
        breaks="L7",
        file=JOB,
        find=BEAT,
        put=BEAT.replace("not run.held_by(token)", "run.spent"),
    ),
    Mutant(
        name="a heartbeat under a released token revives the lease",
        breaks="L8, T2",
        file=JOB,
        find=BEAT,
        put=BEAT.replace("not run.held_by(token)", "run.token != token"),
    ),
    Mutant(
        name="a heartbeat is refused as soon as the lease ran out",
        breaks="L7",
        file=JOB,
        find=BEAT,
        put=BEAT.replace("run is None", "run is None or run.until <= now"),
    ),
    Mutant(
        name="any token may release",
        breaks="L7",
        file=JOB,
        find="if run is None or run.token != token:",
        put="if run is None:",
    ),
    Mutant(
        name="a release that is repeated is refused",
        breaks="L2",
        file=JOB,
        find="if run is None or run.token != token:",
        put="if run is None or not run.held_by(token):",
    ),
    Mutant(
        name="any token may finish",
        breaks="L7",
        file=JOB,
        find=FINISH,
        put=FINISH.replace("not run.held_by(token)", "run.spent"),
    ),
    Mutant(
        name="a released token may finish",
        breaks="L8",
        file=JOB,
        find=FINISH,
        put=FINISH.replace("not run.held_by(token)", "run.token != token"),
    ),
    Mutant(
        name="a finish that is repeated is refused",
        breaks="L2",
        file=JOB,
        find="accepted = record is not None and record.ended_as(end)",
        put="accepted = record is None and end is None",
    ),
    Mutant(
        name="a finish that tells another end than before is accepted",
        breaks="L2, L10",
        file=JOB,
        find="accepted = record is not None and record.ended_as(end)",
        put="accepted = record is not None and record.ended is not None",
    ),
    Mutant(
        name="a release doesn't spend the token",
        breaks="L8, T2",
        file=JOB,
        find="until=now, lease=0, spent=True, freed",
        put="until=now, lease=0, freed",
    ),
    Mutant(
        name="a release leaves the lease alive",
        breaks="L8",
        file=JOB,
        find="until=now, lease=0, spent=True, freed",
        put="spent=True, freed",
    ),
    Mutant(
        name="a release counts as an attempt",
        breaks="L8",
        file=JOB,
        find="freed=run.freed + 1",
        put="freed=run.freed",
    ),
    Mutant(
        name="a release leaves the attempt's record open",
        breaks="L8, L10",
        file=JOB,
        find="self._current[slot].interrupt(now, handed_over=True)",
        put="",
    ),
    Mutant(
        name="the newest slot is remembered once and for all",
        breaks="L3",
        file=JOB,
        find="if run.attempt == 1:",
        put="if self._newest is None:",
    ),
    Mutant(
        name="a takeover leaves the record of the attempt before open",
        breaks="L6",
        file=JOB,
        find="self._current[claim.slot].interrupt(now)",
        put="pass",
    ),
    Mutant(
        name="a takeover rewrites the record of a hand-over",
        breaks="L6, T9",
        file=ATTEMPT,
        find="        if self.ended is None:\n            self.ended = now\n",
        put="        if self.slot:\n            self.ended = now\n",
    ),
    Mutant(
        name="a lease that was set back is seen but not written",
        breaks="L9",
        file=JOB,
        find="            self._runs[run.slot] = run\n        return",
        put="            pass\n        return",
    ),
    Mutant(
        name="a finish leaves the attempt's record open",
        breaks="L10",
        file=JOB,
        find="self._current.pop(slot).end(end, now)",
        put="self._current.pop(slot)",
    ),
    Mutant(
        name="a record is trimmed right after its end",
        breaks="L10, T10",
        file=JOB,
        find="young = now - milliseconds(claim.keep_for)",
        put="young = now",
    ),
    Mutant(
        name="a record of an unfinished run is trimmed",
        breaks="L10",
        file=JOB,
        find="if ended is None or (record.slot in self._runs and not record.manual)",
        put="if ended is None",
    ),
    Mutant(
        name="history is never trimmed",
        breaks="a bounded history",
        file=JOB,
        find="if surplus > 0:",
        put="if surplus < 0:",
    ),
    Mutant(
        name="a manual run that is recorded again has two records",
        breaks="L10",
        file=JOB,
        find="if self._record(record.slot, token) is None:",
        put="if record.manual:",
    ),
    Mutant(
        name="a claim reads the clock before it has the lock",
        breaks="each operation is one atomic step",
        file="anarchon/backends/memory/store.py",
        find=(
            "        with data.lock:\n"
            "            return data.job(claim.job).claim(claim, data.now())"
        ),
        put=(
            "        now = data.now()\n"
            "        await anyio.sleep(0.002)\n"
            "        with data.lock:\n"
            "            return data.job(claim.job).claim(claim, now)"
        ),
        only=RACES,
    ),
)
