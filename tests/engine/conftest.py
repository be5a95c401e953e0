"""The engine is tested on virtual time, on both loops."""

import random
from collections.abc import Generator

import pytest

from anarchon.testing.virtual import virtual_loop


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> tuple[str, dict[str, object]]:
    """Give each test a loop whose time starts at zero."""
    return virtual_loop(request.param)


@pytest.fixture(autouse=True)
def same_chances() -> Generator[None]:
    """Let each test draw the same jitters and tokens' shares whenever it is run."""
    state = random.getstate()
    random.seed(0)
    yield
    random.setstate(state)
