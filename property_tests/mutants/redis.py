"""Faults in the scripts of the Redis store with leases. They need a server."""

from property_tests.mutants.mutant import Mutant

CLAIM = "anarchon/backends/redis/lua/lease_claim.lua"
FINISH = "anarchon/backends/redis/lua/lease_finish.lua"
GRANT = "anarchon/backends/redis/lua/lease_grant.lua"
HEARTBEAT = "anarchon/backends/redis/lua/lease_heartbeat.lua"
RELEASE = "anarchon/backends/redis/lua/lease_release.lua"

LEASE_OR_ATTEMPT = "    if run.ends > now or asked.attempt ~= run.attempt + 1 then\n"

MUTANTS = (
    Mutant(
        name="a claim may win another attempt than it names",
        breaks="L1, T1",
        file=CLAIM,
        find=LEASE_OR_ATTEMPT,
        put="    if run.ends > now then\n",
    ),
    Mutant(
        name="a takeover doesn't look at the lease",
        breaks="L6",
        file=CLAIM,
        find=LEASE_OR_ATTEMPT,
        put="    if asked.attempt ~= run.attempt + 1 then\n",
    ),
    Mutant(
        name="a win is told from what was written, so a repeated claim lost",
        breaks="L2",
        file=CLAIM,
        find="if held(run) then return won(run.attempt, left(run)) end",
        put="",
    ),
    Mutant(
        name="slots are granted in any order",
        breaks="L3",
        file=CLAIM,
        find="if newest and asked.slot <= newest then",
        put="if newest == asked.slot then",
    ),
    Mutant(
        name="a slot may be granted an hour early",
        breaks="L4",
        file="anarchon/backends/redis/lua/timing.lua",
        find="if asked.slot > now then",
        put="if asked.slot > now + 3600000 then",
    ),
    Mutant(
        name="an attempt is granted beside a live run",
        breaks="L5",
        file=CLAIM,
        find="if asked.overlap == 'allow' then return end",
        put="if asked then return end",
    ),
    Mutant(
        name="a takeover rewrites the record of a hand-over",
        breaks="L6, T9",
        file=CLAIM,
        find="return last_record(run.slot) or interrupted(run)",
        put="return interrupted(run)",
    ),
    Mutant(
        name="any token may beat",
        breaks="L7",
        file=HEARTBEAT,
        find="if not run or not held(run) then",
        put="if not run or run.spent then",
    ),
    Mutant(
        name="any token may finish",
        breaks="L7",
        file=FINISH,
        find="if run and held(run) then",
        put="if run and not run.spent then",
    ),
    Mutant(
        name="a release doesn't spend the token",
        breaks="L8, T2",
        file=RELEASE,
        find="run.spent = true",
        put="",
    ),
    Mutant(
        name="a release counts as an attempt",
        breaks="L8",
        file=RELEASE,
        find="run.freed = run.freed + 1",
        put="",
    ),
    Mutant(
        name="a lease from before the clock was set back stays far ahead",
        breaks="L9",
        file=CLAIM,
        find="if run.ends > now + run.lease then",
        put="if run.ends < 0 then",
    ),
    Mutant(
        name="a run that is over for good stays unfinished",
        breaks="L9",
        file=CLAIM,
        find=("    write_record(digits(run.slot), record)\n    drop_run(run)\n"),
        put="    write_record(digits(run.slot), record)\n",
    ),
    Mutant(
        name="a record is trimmed right after its end",
        breaks="L10, T10",
        file=GRANT,
        find="return tonumber(ended) < now - asked.keep_for",
        put="return tonumber(ended) < now",
    ),
)
