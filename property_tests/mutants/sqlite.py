"""Faults in what the SQLite store writes."""

from property_tests.mutants.mutant import Mutant
from property_tests.mutants.suites import RACES

SQL = "anarchon/backends/sqlite/steps.sql"
STEPS = "anarchon/backends/sqlite/steps.py"

HELD = "WHERE job = :job AND slot = :slot AND token = :token AND NOT spent\n"
ANYBODY = "WHERE job = :job AND slot = :slot AND NOT spent\n"
SPENT_TOO = "WHERE job = :job AND slot = :slot AND token = :token\n"
BEAT = "SET until = :until, lease = :lease\n"
SPEND = "SET until = :now, lease = 0, spent = 1, freed = freed + 1\n"
FINISH = (
    "-- finish_run: end a run, if the token may still do so\n"
    'DELETE FROM "{namespace}_runs"\n'
)

MUTANTS = (
    Mutant(
        name="any token may beat",
        breaks="L7",
        file=SQL,
        find=BEAT + HELD,
        put=BEAT + ANYBODY,
    ),
    Mutant(
        name="a heartbeat under a released token revives the lease",
        breaks="L8, T2",
        file=SQL,
        find=BEAT + HELD,
        put=BEAT + SPENT_TOO,
    ),
    Mutant(
        name="a heartbeat is refused as soon as the lease ran out",
        breaks="L7",
        file=SQL,
        find=BEAT + HELD,
        put=BEAT + HELD.replace("NOT spent", "NOT spent AND until > :until - :lease"),
    ),
    Mutant(
        name="any token may release",
        breaks="L7",
        file=SQL,
        find=SPEND + HELD,
        put=SPEND + ANYBODY,
    ),
    Mutant(
        name="a release that is repeated is refused",
        breaks="L2",
        file=STEPS,
        find='    accepted = spent or tables.rows("is_spent", **record)\n',
        put="    accepted = spent\n",
    ),
    Mutant(
        name="any token may finish",
        breaks="L7",
        file=SQL,
        find=FINISH + HELD,
        put=FINISH + ANYBODY,
    ),
    Mutant(
        name="a released token may finish",
        breaks="L8",
        file=SQL,
        find=FINISH + HELD,
        put=FINISH + SPENT_TOO,
    ),
    Mutant(
        name="a finish that is repeated is refused",
        breaks="L2",
        file=STEPS,
        find='    accepted = finished or tables.rows("ended_as", **record, **told)\n',
        put="    accepted = finished\n",
    ),
    Mutant(
        name="a finish that tells another end than before is accepted",
        breaks="L2, L10",
        file=SQL,
        find=(
            "    AND status = :status AND duration IS :duration AND error IS :error;\n"
        ),
        put="    AND ended IS NOT NULL;\n",
    ),
    Mutant(
        name="a release doesn't spend the token",
        breaks="L8, T2",
        file=SQL,
        find=SPEND,
        put=SPEND.replace("spent = 1", "spent = 0"),
    ),
    Mutant(
        name="a release leaves the lease alive",
        breaks="L8",
        file=SQL,
        find=SPEND,
        put=SPEND.replace("until = :now, lease = 0, ", ""),
    ),
    Mutant(
        name="a release counts as an attempt",
        breaks="L8",
        file=SQL,
        find=SPEND,
        put=SPEND.replace(", freed = freed + 1", ""),
    ),
    Mutant(
        name="a release leaves the attempt's record open",
        breaks="L8, L10",
        file=STEPS,
        find='        tables.run("hand_over", **record, attempt=attempt, now=now)\n',
        put="        pass\n",
    ),
    Mutant(
        name="the newest slot is remembered once and for all",
        breaks="L3",
        file=SQL,
        find="ON CONFLICT (job) DO UPDATE SET newest = excluded.newest;",
        put="ON CONFLICT (job) DO NOTHING;",
    ),
    Mutant(
        name="a takeover leaves the record of the attempt before open",
        breaks="L6",
        file=STEPS,
        find="_interrupt(tables, now, asked.job, decision.taken_over)",
        put="pass",
    ),
    Mutant(
        name="a takeover rewrites the record of a hand-over",
        breaks="L6, T9",
        file=SQL,
        find=(
            "SET ended = :now, status = 'interrupted'\n"
            "WHERE job = :job AND slot = :slot AND attempt = :attempt"
            " AND token = :token\n"
            "    AND ended IS NULL;\n"
        ),
        put=(
            "SET ended = :now, status = 'interrupted'\n"
            "WHERE job = :job AND slot = :slot AND attempt = :attempt"
            " AND token = :token;\n"
        ),
    ),
    Mutant(
        name="a lease that was set back is seen but not written",
        breaks="L9",
        file=STEPS,
        find=(
            '        tables.run("set_back", job=asked.job,'
            " slot=run.slot, until=run.until)\n"
        ),
        put="",
    ),
    Mutant(
        name="a run that is over for good stays unfinished",
        breaks="L9",
        file=STEPS,
        find='    tables.run("drop_run", job=job, slot=run.slot)\n',
        put="",
    ),
    Mutant(
        name="a finish leaves the attempt's record open",
        breaks="L10",
        file=STEPS,
        find=(
            '        tables.run("end_record",'
            " **record, **told, attempt=attempt, now=now)\n"
        ),
        put="        pass\n",
    ),
    Mutant(
        name="a record is trimmed right after its end",
        breaks="L10, T10",
        file=STEPS,
        find="young = now - milliseconds(asked.keep_for)",
        put="young = now",
    ),
    Mutant(
        name="a record of an unfinished run is trimmed",
        breaks="L10",
        file=SQL,
        find="WHERE run.job = old.job AND run.slot = old.slot",
        put="WHERE run.job IS NULL",
    ),
    Mutant(
        name="history is never trimmed",
        breaks="a bounded history",
        file=STEPS,
        find='    tables.run("trim", job=asked.job, young=young, keep=asked.keep)\n',
        put="    assert young\n",
    ),
    Mutant(
        name="a manual run counts as the runner of its slot",
        breaks="L3: superseded, if it was never granted",
        file=SQL,
        find="WHERE job = :job AND slot = :slot AND reason <> 'manual'",
        put="WHERE job = :job AND slot = :slot",
    ),
    Mutant(
        name="a claim is decided in one transaction and written in another",
        breaks="L1: each operation is one atomic step",
        file=STEPS,
        find="    return _carry_out(tables, now, asked, decision)\n",
        put=(
            '    tables._connection.execute("COMMIT")\n'
            '    tables._connection.execute("BEGIN IMMEDIATE")\n'
            "    return _carry_out(tables, now, asked, decision)\n"
        ),
        only=RACES,
    ),
)
