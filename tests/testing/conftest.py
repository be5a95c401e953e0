"""The helpers are tested where they are used: on virtual time, on both loops."""

import pytest

from anarchon.testing.virtual import Loop, virtual_loop


@pytest.fixture(params=["asyncio", "trio"])
def loop(request: pytest.FixtureRequest) -> Loop:
    """Name each of the loops."""
    name: Loop = request.param
    return name


@pytest.fixture
def anyio_backend(loop: Loop) -> tuple[str, dict[str, object]]:
    """Give each test a loop whose time starts at zero."""
    return virtual_loop(loop)
