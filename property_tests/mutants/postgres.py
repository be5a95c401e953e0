"""Faults in the functions of the PostgreSQL store. They need a server."""

from property_tests.mutants.mutant import Mutant

CLAIM = "anarchon/backends/postgres/claim.sql"
STEPS = "anarchon/backends/postgres/steps.sql"

LEASE_OR_ATTEMPT = "    IF own.until > at OR asked.attempt <> own.attempt + 1 THEN\n"
BEAT = (
    "    UPDATE {schema}.runs SET until = at + length, lease = length\n"
    "    WHERE job = of_job AND slot = of_slot AND token = by_token\n"
)
FINISH = (
    "    UPDATE {schema}.runs SET ended = true\n"
    "    WHERE job = of_job AND slot = of_slot AND token = by_token\n"
)
SPEND = "        SET until = at, lease = 0, spent = true, freed = freed + 1\n"

MUTANTS = (
    Mutant(
        name="a claim may win another attempt than it names",
        breaks="L1, T1",
        file=CLAIM,
        find=LEASE_OR_ATTEMPT,
        put="    IF own.until > at THEN\n",
    ),
    Mutant(
        name="a takeover doesn't look at the lease",
        breaks="L6",
        file=CLAIM,
        find=LEASE_OR_ATTEMPT,
        put="    IF asked.attempt <> own.attempt + 1 THEN\n",
    ),
    Mutant(
        name="a win is told from what was written, so a repeated claim lost",
        breaks="L2",
        file=CLAIM,
        find="IF own.token = asked.token AND NOT own.spent THEN",
        put="IF own.token IS NULL THEN",
    ),
    Mutant(
        name="slots are granted in any order",
        breaks="L3",
        file=CLAIM,
        find="IF asked.slot <= newest.slot THEN",
        put="IF asked.slot = newest.slot THEN",
    ),
    Mutant(
        name="a slot may be granted an hour early",
        breaks="L4",
        file=CLAIM,
        find="IF asked.slot > at THEN",
        put="IF asked.slot > at + 3600000 THEN",
    ),
    Mutant(
        name="a lease lasts a millisecond longer for an overlap",
        breaks="L5",
        file=CLAIM,
        find="ELSIF rival.slot IS NULL AND other.until > at THEN",
        put="ELSIF rival.slot IS NULL AND other.until >= at THEN",
    ),
    Mutant(
        name="a takeover rewrites the record of a hand-over",
        breaks="L6, T9",
        file=CLAIM,
        find="AND slot = run.slot AND token = run.token AND ended IS NULL;",
        put="AND slot = run.slot AND token = run.token;",
    ),
    Mutant(
        name="any token may beat",
        breaks="L7",
        file=STEPS,
        find=BEAT,
        put=BEAT.replace(" AND token = by_token", ""),
    ),
    Mutant(
        name="any token may finish",
        breaks="L7",
        file=STEPS,
        find=FINISH,
        put=FINISH.replace(" AND token = by_token", ""),
    ),
    Mutant(
        name="a release doesn't spend the token",
        breaks="L8, T2",
        file=STEPS,
        find=SPEND,
        put=SPEND.replace("spent = true, ", ""),
    ),
    Mutant(
        name="a release counts as an attempt",
        breaks="L8",
        file=STEPS,
        find=SPEND,
        put=SPEND.replace(", freed = freed + 1", ""),
    ),
    Mutant(
        name="a lease from before the clock was set back stays far ahead",
        breaks="L9",
        file=CLAIM,
        find="IF other.until > at + other.lease THEN",
        put="IF other.until < 0 THEN",
    ),
    Mutant(
        name="a run that has used up its attempts stays unfinished",
        breaks="L9",
        file=CLAIM,
        find="{schema}.end_for_good(own.job, own.slot, own.slot, at));",
        put="json_build_array());",
    ),
    Mutant(
        name="a finish leaves the attempt's record open",
        breaks="L10",
        file=STEPS,
        find="SET ended = at, status = as_status, duration = took,",
        put="SET duration = took,",
    ),
)
