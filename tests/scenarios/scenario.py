"""What a scenario is: a situation, and what each kind of store promises in it.

Decides the shape of that data; the runner, the reports and the page for users are all
made from it. Must not know any scenario.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tests.scenarios.evidence import Evidence
from tests.scenarios.judging import Time
from tests.scenarios.stage import Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """A sentence for users, and who judges by the evidence whether it was kept.

    The judge raises ``Broken`` if it wasn't, and may return a time that it measured.
    """

    text: str
    judge: Callable[[Evidence], Time | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What one kind of store does: its cell in the table, and its promises.

    ``play`` lets the situation come about on a stage, and returns once everything that
    the promises speak of must have happened. ``options`` are those of the instances,
    ``not_on`` says why there is no such play on a store, by its name.
    """

    summary: str
    play: Callable[[Stage], None]
    promises: tuple[Promise, ...]
    not_on: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A situation in a cluster of three instances, A, B and C.

    ``title`` is the first cell of its row in the table; ``story`` tells users what is
    done, to whom and when, and ``advice`` what they can do about it.
    """

    number: int
    title: str
    story: str
    lease: Side
    claims: Side
    advice: str = ""

    def side(self, leases: bool) -> Side:
        """Return what stores of this kind do."""
        return self.lease if leases else self.claims
