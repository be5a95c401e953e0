"""Faults in how a run is held and how it ends."""

from property_tests.mutants.mutant import Mutant

BOUNDARY = "anarchon/engine/boundary.py"
CONTEXT = "anarchon/engine/context.py"
HEARTBEAT = "anarchon/engine/heartbeat.py"
LEASED_RUN = "anarchon/engine/leased_run.py"
RUN = "anarchon/engine/run.py"
SETTLE = "anarchon/engine/settle.py"

MUTANTS = (
    Mutant(
        name="a finish whose answer was lost is not sent again",
        breaks="L2, L10: the end that happened is stored",
        file=SETTLE,
        find="give_up = clock.monotonic() + limit",
        put="give_up = clock.monotonic()",
    ),
    Mutant(
        name="a refused heartbeat leaves the handler alone",
        breaks="lost by refusal: cancelled at once",
        file=HEARTBEAT,
        find="            holder.refused()\n            return\n",
        put="            return\n",
    ),
    Mutant(
        name="a lease without an answer leaves the handler alone",
        breaks="lost by silence: cancelled when a lease is over",
        file=HEARTBEAT,
        find="if trust.left <= 0:",
        put="if holder is None:",
    ),
    Mutant(
        name="a heartbeat without an answer counts as a refusal",
        breaks="one missed beat loses no lease",
        file=HEARTBEAT,
        find="elif accepted is None:",
        put="elif accepted is None and trust.left <= 0:",
    ),
    Mutant(
        name="a runner beats only once",
        breaks="a lease is kept until the end is stored",
        file=HEARTBEAT,
        find="await clock.sleep(next_beat(interval, trust.left))",
        put="return",
    ),
    Mutant(
        name="trust counts from a heartbeat's answer",
        breaks="T4: from before the request",
        file=HEARTBEAT,
        find="trust.extend(sent, answer.left)",
        put="trust.extend(trust.sent(), answer.left)",
    ),
    Mutant(
        name="trust counts from a claim's answer",
        breaks="T4: from before the request",
        file="anarchon/engine/lease_runner.py",
        find="trust.extend(sent, reply.left)",
        put="trust.extend(trust.sent(), reply.left)",
    ),
    Mutant(
        name="trust lasts for two leases",
        breaks="lost by silence: cancelled when a lease is over",
        file="anarchon/rules/lease.py",
        find="return sent + left",
        put="return sent + 2 * left",
    ),
    Mutant(
        name="a win that is read too late starts the handler unasked",
        breaks="T4: no trust left, so a heartbeat comes first",
        file=LEASED_RUN,
        find="while self._trust.left <= 0:",
        put="while self._trust is None:",
    ),
    Mutant(
        name="a heartbeat that is refused after the finish makes it a loss",
        breaks="once a finish was sent, its own answer decides",
        file=LEASED_RUN,
        find="if not self._ending:",
        put="if self.session is not None:",
    ),
    Mutant(
        name="a handler that returns after a loss is a success",
        breaks="after a loss an ending is never a success",
        file=LEASED_RUN,
        find="if self._lost and ending.status is Status.SUCCESS:",
        put="if not ending:",
    ),
    Mutant(
        name="no heartbeat is sent while the end is written",
        breaks="a store that is away at the end makes no second run",
        file=LEASED_RUN,
        find="self._ending = True",
        put=(
            "self._ending = True\n"
            "        self.end_companions()\n"
            "        if self._beating is not None:\n"
            "            self._beating.cancel()"
        ),
    ),
    Mutant(
        name="an interrupted run is finished, not handed over",
        breaks="L8: a stopping runner hands over",
        file=LEASED_RUN,
        find="write = release if ending.status is Status.INTERRUPTED else finish",
        put="write = finish",
    ),
    Mutant(
        name="a lost handler that goes on is waited for, its lease kept",
        breaks="a stubborn handler is given up, so that a backup takes over",
        file=RUN,
        find="if self._handling and self.cancellation.reason in gone",
        put="if not gone and self.cancellation.reason in gone",
    ),
    Mutant(
        name="a timeout is not looked at before the handler ends",
        breaks="a timeout cancels",
        file=RUN,
        find="self.accompany(self._time_out_after, timeout)",
        put="pass",
    ),
    Mutant(
        name="a handler that returns after its timeout is a success",
        breaks="the first cause wins",
        file=BOUNDARY,
        find="if cause is CancelReason.TIMEOUT:",
        put="if cause is CancelReason.TIMEOUT and not returned:",
    ),
    Mutant(
        name="a handler that fails ends the scheduler",
        breaks="the scheduler never dies of a handler",
        file=BOUNDARY,
        find="except BaseException as raised:",
        put="except LookupError as raised:",
    ),
    Mutant(
        name="a handler's shield holds against a refusal",
        breaks="lost by refusal: cancelled at once",
        file=CONTEXT,
        find="for shield in self.shields:",
        put="for shield in self.shields if self.scope is None else ():",
    ),
    Mutant(
        name="a run that is over still counts as going on",
        breaks="nothing leaks; who ran a slot may watch it again",
        file="anarchon/engine/instance.py",
        find="runs.discard(run)",
        put="",
    ),
)
