"""Which instants the axis of a timeline names."""

import math
from collections.abc import Iterator

STEPS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300)


def ticks(begin: float, end: float, apart: float) -> Iterator[float]:
    """Yield round instants, as close as may be but at least that far apart; seconds."""
    step = next((step for step in STEPS if step >= apart), STEPS[-1])
    first, last = math.ceil(begin / step), math.floor(end / step)
    yield from (round(number * step, 1) for number in range(first, last + 1))
