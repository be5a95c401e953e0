"""How a machine is let loose on a store: in which loop, and how often.

Decides the budget. Must not know any store, nor what is asked of it.
"""

import os
from functools import partial
from typing import TypeVar, cast

import pytest
from hypothesis import seed, settings
from hypothesis.stateful import run_state_machine_as_test

from anarchon.protocol import Backend
from anarchon.testing.conformance import ManualClock
from property_tests.stores.calling import opened
from property_tests.stores.machine import JobModel, StoreMachine

Model = TypeVar("Model", bound=JobModel)

STEPS = 40

each_loop = pytest.mark.parametrize("loop", ["asyncio", "trio"])


def play(
    machine: type[StoreMachine[Model]],
    backend: Backend,
    clock: ManualClock,
    loop: str,
    examples: int,
) -> None:
    """Let a machine loose on one store, opened once in a loop of this kind.

    ``examples`` is how many are tried where the profile has Hypothesis's hundred. Where
    nothing may be random, each test has draws of its own all the same.
    """
    wanted = round(examples * settings().max_examples / 100)
    with opened(backend, clock, loop) as store:
        title = f"{backend.name} on {loop}, {machine.__name__}"
        # a class is asked for, and only called
        factory = cast("type[StoreMachine[Model]]", partial(machine, store, title))
        if settings().derandomize:
            # pytest tells the running test by this name
            seed(os.environ["PYTEST_CURRENT_TEST"])(factory)
        run_state_machine_as_test(
            factory,
            settings=settings(
                max_examples=wanted, stateful_step_count=STEPS, deadline=None
            ),
        )
