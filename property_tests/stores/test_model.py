"""The model that lease stores are held to keeps the laws, whatever is asked of it."""

from anarchon.backends.memory import MemoryBackend
from anarchon.testing.conformance import ManualClock
from property_tests.budget import within
from property_tests.stores.checked_model import CheckedJob
from property_tests.stores.lease_machine import LateMachine, LeaseMachine
from property_tests.stores.lease_model import Job
from property_tests.stores.playing import play


class CheckedMachine(LeaseMachine):
    """Random programs whose model looks at itself."""

    def new_model(self, name: str) -> Job:
        """Return a job that nothing was asked about."""
        return CheckedJob(name)


@within(60)
def test_model_keeps_the_laws() -> None:
    """No step of the model breaks what no step may break."""
    clock = ManualClock()
    play(CheckedMachine, MemoryBackend(clock=clock), clock, "asyncio", 100)


@within(60)
def test_exact_trimming_is_one_that_l10_allows() -> None:
    """What is asked of stores that trim late holds for those that trim at once."""
    clock = ManualClock()
    play(LateMachine, MemoryBackend(clock=clock), clock, "asyncio", 100)
