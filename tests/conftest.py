"""The loops: every async test runs on both, in real time unless a folder says else."""

import pytest


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
