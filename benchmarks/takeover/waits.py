"""How long runs waited for their next attempt, after a kill and after a stop.

Decides what is told of the waits, and which goals they are held to: durations are in
seconds.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.percentiles import percentile
from benchmarks.report import Cell, Goal, Plot, Row, Table, once
from benchmarks.takeover.losing import HEARTBEAT, INSTANCES, LEASE
from benchmarks.words import number

# by the store's name
Waits = Mapping[str, Sequence[float]]

PERCENTS = (50, 90, 99)
SETTING = (
    f"A lease of {LEASE:g} s and a heartbeat of {HEARTBEAT:g} s, the default ratio. "
    f"Each cluster has {INSTANCES} instances, each a process of its own, and one job "
    "whose run never ends. The instance that runs it is lost at a random moment, and "
    "replaced after each turn; the clusters of all stores take their turns side by "
    "side. The wait is from just before the signal to the first line of the handler in "
    "another instance."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """What waits are to keep: no one the ``bound``, so many percent of them the goal.

    ``unit`` is the duration that they are told in, besides seconds.
    """

    name: str
    title: str
    text: str
    unit: str
    unit_seconds: float
    bound: float
    percent: int
    goal: float
    goal_text: str


TAKEOVER = Promise(
    name="takeover-kill",
    title="From a kill to the next attempt",
    text=f"{SETTING} Here it is ended by SIGKILL. The bound is a lease and two "
    "heartbeats.",
    unit="lease",
    unit_seconds=LEASE,
    bound=LEASE + 2 * HEARTBEAT,
    percent=99,
    goal=LEASE + HEARTBEAT / 2,
    goal_text="a lease and half a heartbeat",
)
HAND_OVER = Promise(
    name="takeover-stop",
    title="From a SIGTERM to the next attempt",
    text="The same, but the instance is asked to stop, by SIGTERM. It ends its lease "
    "before it ends itself, and the others find that when they look next, one to two "
    "heartbeats after they looked last. The bound is two heartbeats.",
    unit="heartbeat",
    unit_seconds=HEARTBEAT,
    bound=2 * HEARTBEAT,
    percent=50,
    goal=HEARTBEAT,
    goal_text="a heartbeat",
)


def finding(promise: Promise, waits: Waits) -> str:
    """Say how long half of the runs wait, and nearly all."""
    half, nearly_all = (_range(waits, percent) for percent in (50, 99))
    return (
        f"{promise.title}, with a lease of {LEASE:g} s and a heartbeat of "
        f"{HEARTBEAT:g} s: half of the runs wait at most {half} s, 99 of 100 at most "
        f"{nearly_all} s, by store."
    )


def _range(waits: Waits, percent: int) -> str:
    found = [percentile(each, percent) for each in waits.values()]
    return f"{number(min(found))} to {number(max(found))}"


def table(promise: Promise, waits: Waits) -> Table:
    """Show the distribution, beside the bound."""
    return Table(
        title=promise.title,
        text=promise.text,
        rows=[_row(store, found, promise.bound) for store, found in waits.items()],
        unit="seconds",
        notes=[
            f"In {promise.unit}s: "
            + "; ".join(
                f"{store}, the median {number(percentile(found, 50) / each)}, "
                f"the 99th percentile {number(percentile(found, 99) / each)}"
                for each in [promise.unit_seconds]
                for store, found in waits.items()
            )
            + "."
        ],
    )


def _row(store: str, found: Sequence[float], bound: float) -> Row:
    cells: dict[str, Cell | str] = {
        "least": once(min(found)),
        **{f"p{percent}": once(percentile(found, percent)) for percent in PERCENTS},
        "most": once(max(found)),
        "bound": once(bound),
        "losses": once(len(found)),
    }
    return Row(name=store, cells=cells)


def goals(promise: Promise, waits: Waits) -> Iterator[Goal]:
    """Hold so many percent to a limit that is tighter than the bound."""
    for store, found in waits.items():
        late = sum(wait > promise.goal for wait in found)
        yield Goal(
            text=(
                f"p{promise.percent} {promise.title[0].lower()}{promise.title[1:]} "
                f"on {store}: {promise.goal_text}"
            ),
            measured=percentile(found, promise.percent),
            limit=promise.goal,
            unit="s",
            holds_back=(
                f"{late} of {len(found)} took longer; the longest took "
                f"{number(max(found))} s."
            ),
        )


def plot(promise: Promise, waits: Waits) -> Plot:
    """Draw which share of the runs had begun again, by time."""
    lines: dict[str, Sequence[tuple[float, float]]] = {
        store.replace("`", ""): [
            (wait, (n + 1) / len(found)) for n, wait in enumerate(sorted(found))
        ]
        for store, found in waits.items()
    }
    lines["bound"] = [(promise.bound, 0.0), (promise.bound, 1.0)]
    return Plot(
        name=promise.name,
        title=promise.title,
        x="seconds",
        y="share of the runs that had begun again",
        lines=lines,
        logarithmic=False,
    )
