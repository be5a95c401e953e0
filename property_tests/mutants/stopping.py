"""Faults in how a scheduler stops, and in what may end it."""

from property_tests.mutants.mutant import Mutant

SESSION = "anarchon/engine/session.py"

MUTANTS = (
    Mutant(
        name="a stop leaves its watches going",
        breaks="no call, beat or watch after a stop",
        file="anarchon/engine/watch.py",
        find="self._session.work.start_soon(self._run)",
        put="self._session.instance.nursery.start_soon(self._run)",
    ),
    Mutant(
        name="a stop leaves the sweep going",
        breaks="no call, beat or watch after a stop",
        file=SESSION,
        find="work.start_soon(self._recovery.sweep)",
        put="self.instance.nursery.start_soon(self._recovery.sweep)",
    ),
    Mutant(
        name="a stop leaves who is asking alone",
        breaks="a stop ends within its bound",
        file=SESSION,
        find="        for scope in self._claiming:\n            scope.cancel()\n",
        put="",
    ),
    Mutant(
        name="a stop leaves handlers alone",
        breaks="a stop cancels the handlers at once",
        file=SESSION,
        find="for run in self._runs():",
        put="for run in ():",
    ),
    Mutant(
        name="a stop waits for its runs without end",
        breaks="a stop ends within its bound",
        file=SESSION,
        find="scope.deadline = self._deadline",
        put="scope.deadline = math.inf",
    ),
    Mutant(
        name="a run that is won while stopping begins",
        breaks="nothing begins after a stop",
        file=SESSION,
        find="if self.stopping or stuck or not known:",
        put="if stuck or not known:",
    ),
    Mutant(
        name="a claim that is unheard at a stop is left to itself",
        breaks="a claim of unknown outcome is released at a stop",
        file=SESSION,
        find="self.spawn(self._release_unknown, claim)",
        put="assert claim",
    ),
    Mutant(
        name="a callback that raises ends the scheduler",
        breaks="the scheduler never dies of a callback",
        file="anarchon/bus.py",
        find="except BaseException as error:",
        put="except LookupError as error:",
    ),
)
