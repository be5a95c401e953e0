"""The estimate of a NATS server's clock, with a server that is a list of readings."""

from types import SimpleNamespace

import pytest

from anarchon.backends.nats import server_time as module
from anarchon.backends.nats.server_time import FRESH, Reading, ServerTime

pytestmark = pytest.mark.anyio

NOON = 1_800_000_000_000


class Scene:
    """A server, a connection to it, and this machine's two clocks."""

    def __init__(self, *readings: Reading) -> None:
        self.readings = list(readings)
        self.connection = 1
        self.wall = 5_000.0
        self.monotonic = 100.0
        self.asked = 0

    async def ask(self) -> Reading:
        """Return the next reading, and go on repeating the last one."""
        self.asked += 1
        return self.readings.pop(0) if len(self.readings) > 1 else self.readings[0]


@pytest.fixture
def scene(monkeypatch: pytest.MonkeyPatch) -> Scene:
    """Give a server that is quick to say that it is noon, at 100 s monotonic."""
    scene = Scene(Reading(NOON, 100.0, 100.002))
    clocks = SimpleNamespace(time=lambda: scene.wall, monotonic=lambda: scene.monotonic)
    monkeypatch.setattr(module, "time", clocks)
    return scene


def estimate_of(scene: Scene) -> ServerTime:
    """Return the estimate of a store that is connected to that server."""
    return ServerTime(scene.ask, lambda: scene.connection)


def pass_by(scene: Scene, seconds: float) -> None:
    """Let time pass on both clocks."""
    scene.wall += seconds
    scene.monotonic += seconds


async def test_reading_is_from_the_middle_of_its_trip(scene: Scene) -> None:
    """The server is taken to have looked at its clock halfway."""
    scene.readings = [Reading(NOON, 99.97, 100.0)]
    assert NOON + 15 == await estimate_of(scene).now()
    assert 1 == scene.asked


async def test_server_is_asked_rarely(scene: Scene) -> None:
    """For half a minute the estimate goes on with this machine's monotonic clock."""
    estimate = estimate_of(scene)
    await estimate.now()
    pass_by(scene, FRESH - 1)
    assert NOON - 1 + 1_000 * (FRESH - 1) == await estimate.now()
    assert 1 == scene.asked
    pass_by(scene, 2)
    await estimate.now()
    assert 2 == scene.asked


async def test_quickest_of_slow_readings_counts(scene: Scene) -> None:
    """A reading that took long is off by up to half of that, so it is repeated."""
    slow = [
        Reading(NOON, 99.0, 100.0),
        Reading(NOON + 7, 99.9, 100.0),
        Reading(NOON, 98.0, 100.0),
    ]
    scene.readings = slow
    assert NOON + 7 + 50 == await estimate_of(scene).now()
    assert 3 == scene.asked


@pytest.mark.parametrize(
    "change",
    [{"connection": 2}, {"wall": 5_001.0}, {"monotonic": 101.0}],
    ids=["another-connection", "wall-clock-set", "machine-slept"],
)
async def test_estimate_ends_with_what_it_stood_on(
    scene: Scene, change: dict[str, float]
) -> None:
    """The server is asked again after a reconnection, a step, or a sleep."""
    estimate = estimate_of(scene)
    await estimate.now()
    for name, value in change.items():
        setattr(scene, name, value)
    await estimate.now()
    assert 2 == scene.asked


async def test_failure_leaves_no_estimate(scene: Scene) -> None:
    """A server that doesn't tell its time is an error, and asked again."""

    async def fail() -> Reading:
        scene.asked += 1
        raise ConnectionError

    estimate = ServerTime(fail, lambda: 1)
    for _ in range(2):
        with pytest.raises(ConnectionError):
            await estimate.now()
    assert 2 == scene.asked
