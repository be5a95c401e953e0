"""What tests of every folder share: the loops, and the servers.

Every async test runs on both loops, in real time unless a folder says else.
"""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.servers.fleet import Fleet

# the slowest server takes half of that to start on a busy machine
WITH_SERVERS = 120


@pytest.fixture(
    params=[
        pytest.param(("asyncio", {"debug": True}), id="asyncio"),
        pytest.param(("trio", {}), id="trio"),
    ],
)
def anyio_backend(request: pytest.FixtureRequest) -> tuple[str, dict[str, object]]:
    """Name each loop, with the options of its runner."""
    backend: tuple[str, dict[str, object]] = request.param
    return backend


@pytest.fixture(scope="session")
def fleet() -> "Generator[Fleet]":
    """Give the real servers, each started when it is first asked for."""
    # here, so that tests without servers need none of what this loads
    from tests.servers.fleet import Fleet

    with Fleet() as fleet:
        yield fleet


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what uses the servers, and give those tests time to start them."""
    for item in items:
        if isinstance(item, pytest.Function) and "fleet" in item.fixturenames:
            item.add_marker(pytest.mark.servers)
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(WITH_SERVERS))
