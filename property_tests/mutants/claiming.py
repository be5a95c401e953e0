"""Faults in how a claim is answered, by the rules that memory and SQLite share."""

from property_tests.mutants.mutant import Mutant
from property_tests.mutants.suites import WITHOUT_LEASES

CLAIM = "anarchon/backends/claim.py"

MUTANTS = (
    Mutant(
        name="a claim may win another attempt than it names",
        breaks="L1, T1",
        file=CLAIM,
        find="if run.until > now or claim.attempt != run.attempt + 1:",
        put="if run.until > now:",
    ),
    Mutant(
        name="a takeover doesn't look at the lease",
        breaks="L6",
        file=CLAIM,
        find="if run.until > now or claim.attempt != run.attempt + 1:",
        put="if claim.attempt != run.attempt + 1:",
    ),
    Mutant(
        name="a lease lasts a millisecond longer for a takeover",
        breaks="L6",
        file=CLAIM,
        find="if run.until > now or claim.attempt != run.attempt + 1:",
        put="if run.until >= now or claim.attempt != run.attempt + 1:",
    ),
    Mutant(
        name="a win is told from what was written, so a repeated claim lost",
        breaks="L2",
        file=CLAIM,
        find=(
            "    if run.held_by(claim.token):\n"
            "        return _won_again(run, now)\n"
            "    if run.until > now"
        ),
        put="    if run.until > now",
    ),
    Mutant(
        name="a released token wins its attempt again",
        breaks="L8, T3",
        file=CLAIM,
        find=(
            "    if run.held_by(claim.token):\n"
            "        return _won_again(run, now)\n"
            "    if run.until > now"
        ),
        put=(
            "    if run.token == claim.token:\n"
            "        return _won_again(run, now)\n"
            "    if run.until > now"
        ),
    ),
    Mutant(
        name="who had a run that is finished wins it again",
        breaks="L2, T3",
        file=CLAIM,
        find="return _done(now, newest, last_runner(claim.slot))",
        put=(
            "if last_runner(claim.slot) == claim.instance_id:\n"
            "            reply = Won(now=now, attempt=claim.attempt, left=9.0)\n"
            "            return Decision(reply=reply)\n"
            "        return _done(now, newest, last_runner(claim.slot))"
        ),
    ),
    Mutant(
        name="a claim that is answered 'won' again prolongs the lease",
        breaks="L2, T3",
        file=CLAIM,
        find=(
            "    return Decision("
            "reply=Won(now=now, attempt=run.attempt, left=run.left(now)))\n"
        ),
        put=(
            "    run = replace(run, until=now + run.lease)\n"
            "    reply = Won(now=now, attempt=run.attempt, left=run.left(now))\n"
            "    return Decision(reply=reply, granted=run)\n"
        ),
    ),
    Mutant(
        name="slots are granted in any order",
        breaks="L3",
        file=CLAIM,
        find=(
            "    if newest is not None and claim.slot <= newest:\n"
            "        return _done(now, newest, last_runner(claim.slot))\n"
        ),
        put=(
            "    if newest is not None and claim.slot == newest:\n"
            "        return _done(now, newest, last_runner(claim.slot))\n"
        ),
    ),
    Mutant(
        name="the newest slot may be granted once more",
        breaks="L3",
        file=CLAIM,
        find=(
            "    if newest is not None and claim.slot <= newest:\n"
            "        return _done(now, newest, last_runner(claim.slot))\n"
        ),
        put=(
            "    if newest is not None and claim.slot < newest:\n"
            "        return _done(now, newest, last_runner(claim.slot))\n"
        ),
    ),
    Mutant(
        name="that a slot has run is known from the history only",
        breaks="L3, T8",
        file=CLAIM,
        find=(
            "    if newest is not None and claim.slot <= newest:\n"
            "        return _done(now, newest, last_runner(claim.slot))\n"
        ),
        put=(
            "    if newest is not None and last_runner(claim.slot) is not None:\n"
            "        return _done(now, newest, last_runner(claim.slot))\n"
        ),
    ),
    Mutant(
        name="a slot may be granted an hour early",
        breaks="L4",
        file=CLAIM,
        find="if claim.slot > now:",
        put="if claim.slot > now + 3_600_000:",
    ),
    Mutant(
        name="a slot is early at its very millisecond",
        breaks="L4",
        file=CLAIM,
        find="if claim.slot > now:",
        put="if claim.slot >= now:",
    ),
    Mutant(
        name="a slot is never too late",
        breaks="the lateness limit",
        file=CLAIM,
        find="if now > claim.slot + milliseconds(claim.limit):",
        put="if claim.slot < 0:",
    ),
    Mutant(
        name="a first attempt is granted beside a live run",
        breaks="L5",
        file=CLAIM,
        find="if refused := _untimely(claim, now) or _overlap(claim, now, runs):",
        put="if refused := _untimely(claim, now):",
    ),
    Mutant(
        name="a takeover is granted beside a live run",
        breaks="L5",
        file=CLAIM,
        find="if refused := _overlap(claim, now, runs):",
        put="if refused := _overlap(claim, now, {}):",
    ),
    Mutant(
        name="runs that may overlap block each other",
        breaks="L5",
        file=CLAIM,
        find="    if claim.overlap is Overlap.ALLOW:\n        return None\n",
        put="",
    ),
    Mutant(
        name="runs that may overlap replace each other",
        breaks="L5",
        file=CLAIM,
        find="    if claim.overlap is Overlap.ALLOW:\n        return ()\n",
        put="",
    ),
    Mutant(
        name="a newer run leaves a dead older one unfinished",
        breaks="L6",
        file=CLAIM,
        find=(
            "    return tuple(run for run in runs.values() if run.slot < claim.slot)\n"
        ),
        put="    return ()\n",
    ),
    Mutant(
        name="a backup's check grants a first attempt",
        breaks="T5: a backup only takes over",
        file=CLAIM,
        find="if claim.mode is Reason.TAKEOVER:",
        put="if claim is None:",
    ),
    Mutant(
        name="a hand-over counts as an attempt",
        breaks="L8",
        file=CLAIM,
        find="if run.attempt - run.freed >= claim.max_attempts:",
        put="if run.attempt >= claim.max_attempts:",
    ),
    Mutant(
        name="a run gets one attempt too many",
        breaks="L9",
        file=CLAIM,
        find="if run.attempt - run.freed >= claim.max_attempts:",
        put="if run.attempt - run.freed > claim.max_attempts:",
    ),
    Mutant(
        name="a takeover forgets the hand-overs before it",
        breaks="L8",
        file=CLAIM,
        find="granted = _granted(claim, claim.attempt, now, freed=run.freed)",
        put="granted = _granted(claim, claim.attempt, now)",
    ),
    Mutant(
        name="a run that has used up its attempts stays unfinished",
        breaks="L9",
        file=CLAIM,
        find="return Decision(reply=reply, over=(run,))",
        put="return Decision(reply=reply)",
    ),
    Mutant(
        name="a lease from before the clock was set back stays far ahead",
        breaks="L9",
        file=CLAIM,
        find="if run.until > now + run.lease",
        put="if run.until < 0",
    ),
    Mutant(
        name="without leases, a slot is granted to all who ask",
        breaks="L1",
        file=CLAIM,
        find="if (runner := last_runner(claim.slot)) is not None:",
        put="if (runner := last_runner(claim.slot)) and newest is None:",
        only=WITHOUT_LEASES,
    ),
    Mutant(
        name="without leases, a repeated claim is answered as lost",
        breaks="L2",
        file=CLAIM,
        find="if run is not None and run.held_by(claim.token):",
        put="if run is not None and now < 0:",
        only=WITHOUT_LEASES,
    ),
    Mutant(
        name="without leases, slots are granted in any order",
        breaks="L3",
        file=CLAIM,
        find=(
            "    if newest is not None and claim.slot <= newest:\n"
            "        return _done(now, newest, None)\n"
        ),
        put="",
        only=WITHOUT_LEASES,
    ),
)
