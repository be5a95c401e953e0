"""Whether the demo kept its promises.

Decides what is promised. Each promise is judged by what the instances told and by the
store's history; it is kept only where both say so.
"""

from collections.abc import Iterator, Sequence

from anarchon import RunRecord
from anarchon.cli.demo.agreement import disagreements
from anarchon.cli.demo.once import repetitions, shares, without_share
from anarchon.cli.demo.passing_on import Passing, killed, stopped
from anarchon.cli.demo.plan import HAND_OVER_WITHIN, SYNC, TAKEOVER_WITHIN
from anarchon.cli.demo.promise import Promise, judge
from anarchon.cli.demo.story import Phase, Story

Records = Sequence[RunRecord]


def verdict(story: Story, records: Records, *failures: str) -> list[Promise]:
    """Judge every promise; ``failures`` are why the show ended early, if it did."""
    return [
        _once(story, records),
        _shared(story, records),
        _passed_on(
            "A killed runner's run is taken over",
            killed(story, records),
            within=TAKEOVER_WITHIN,
        ),
        _passed_on(
            "A stopped runner's run is handed over",
            stopped(story, records),
            within=HAND_OVER_WITHIN,
        ),
        judge("Stopped instances end by themselves", _left(story, failures), "all did"),
        _agreed(story, records),
    ]


def _once(story: Story, records: Records) -> Promise:
    slots = {(record.job, record.slot) for record in records}
    return judge(
        "Each slot is run once, one at a time",
        repetitions(story, records),
        f"{len(slots)} slots",
    )


def _shared(story: Story, records: Records) -> Promise:
    counts = shares(records)
    found = ", ".join(f"{name} {count}" for name, count in counts.items())
    return judge(
        f"Each instance wins slots of {SYNC}", without_share(story, records), found
    )


def _passed_on(text: str, passing: Passing, *, within: float) -> Promise:
    found = f"after {passing.waited:.2f} s, at most {within:.2f} s"
    return judge(text, passing.problems(within), found)


def _left(story: Story, failures: Sequence[str]) -> Iterator[str]:
    if failures:
        yield from failures
        return
    for name, lane in story.lanes.items():
        if lane.phase is not Phase.STOPPED:
            yield f"{name} is {lane.phase}"


def _agreed(story: Story, records: Records) -> Promise:
    return judge(
        "Instances and history tell the same",
        disagreements(story, records),
        f"{len(records)} attempts",
    )
