"""The page about testing shows code that works."""

import logging
from typing import TYPE_CHECKING, cast

import pytest

from anarchon.testing import Faults, FaultyBackend, run_virtual
from anarchon.testing.virtual import Loop
from tests.pages import ROOT, blocks

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

FIXTURE, CLUSTER, FAULTS = blocks(ROOT / "docs" / "testing.md", "python")[1:4]


def run(code: str) -> dict[str, object]:
    """Run a block of the page; return its names."""
    names: dict[str, object] = {"__name__": "example"}
    exec(compile(code, "testing.md", "exec"), names)
    return names


def test_the_fixture_can_be_copied() -> None:
    """The fixture of the page defines what anyio's plugin asks for."""
    assert "anyio_backend" in run(FIXTURE)


def test_the_cluster_example_passes(
    loop: Loop, caplog: pytest.LogCaptureFixture
) -> None:
    """The test on the page holds on both loops."""
    caplog.set_level(logging.CRITICAL, logger="anarchon")
    example = run(CLUSTER)["test_the_export_survives_a_crash"]

    run_virtual(cast("Callable[[], Awaitable[None]]", example), loop=loop)


def test_the_faults_example_arranges_faults() -> None:
    """The calls on the page exist and do what they say."""
    names = run(FAULTS)
    faults = names["faults"]
    assert isinstance(faults, Faults)
    assert isinstance(names["backend"], FaultyBackend)

    met = [faults.meet("claim") for _ in range(3)]

    assert [names["FAIL_AFTER"], names["OK"], names["HANG_BEFORE"]] == met
    assert 2.0 == faults.meet("finish").reply_delay
