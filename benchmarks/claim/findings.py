"""What claims come to: in a sentence, beside a goal, in a plot.

Decides which of all figures matter most: those of claims on asyncio.
"""

from collections.abc import Mapping, Sequence

from benchmarks.claim.found import Figure, Found, median, rate
from benchmarks.claim.subjects import ASYNCIO, BY_CLIENT, DIRECT, FLOOR
from benchmarks.report import Cell, Goal, Plot
from benchmarks.stores import Store
from benchmarks.words import counted, listed, number


def findings(found: Mapping[Store, Found]) -> Sequence[str]:
    """Say how long a claim takes, and how many are had."""
    callers = next(iter(found.values())).callers
    few, many = (counted(some, "caller") for some in (callers[0], callers[-1]))
    return [
        f"Microseconds of a claim by {few}: {_each(found, callers[0], median)}.",
        f"Claims a second by {many}: {_each(found, callers[-1], rate)}.",
    ]


def _each(found: Mapping[Store, Found], callers: int, of: Figure) -> str:
    return listed(
        [
            f"{number(each.claim(callers, of).median)} on {store.name}"
            for store, each in found.items()
        ]
    )


def goal(store: Store, found: Found) -> Goal:
    """Hold a claim by the fewest callers against its floor."""
    assert store.goal is not None
    few = found.callers[0]
    floor = found.cell(FLOOR, FLOOR, few, median)
    direct = found.cell(DIRECT, "claim", few, median)
    claim = found.claim(few, median)
    return Goal(
        text=f"a claim on {store.name} by {counted(few, 'caller')} on asyncio",
        measured=claim.over(floor).median,
        rounds=claim.over(floor).values,
        limit=store.goal,
        unit="times its floor",
        holds_back=(
            f"The store's own call takes {number(direct.over(floor).median)} times the "
            "floor; a task of its own for each call, which keeps the answer when the "
            f"caller is cancelled, adds {number(claim.minus(direct).median)} us."
            f"{_beside_client(found, claim, few)}"
        ),
    )


def _beside_client(found: Found, claim: Cell, callers: int) -> str:
    if BY_CLIENT not in found.rounds:
        return ""
    bare = found.cell(BY_CLIENT, FLOOR, callers, median)
    times = number(claim.over(bare).median)
    return f" By {BY_CLIENT} the bare call takes longer: the claim is {times} times it."


def plot(found: Mapping[Store, Found]) -> Plot:
    """Draw how claims a second grow with the callers."""
    return Plot(
        name="claim",
        title="Claims a second on asyncio",
        x="callers",
        y="claims a second",
        lines={
            store.name.replace("`", ""): [
                (many, each.claim(many, rate).median)
                for many in each.callers_of(ASYNCIO, "claim")
            ]
            for store, each in found.items()
        },
    )
