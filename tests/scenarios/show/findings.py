"""What was found of each promise over several stores, and how that is said.

Decides the words for verdicts and times. Must not know where they are read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.scenarios.judging import Time
from tests.scenarios.performance import Outcome, Performance, Verdict
from tests.scenarios.stores import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A promise, the stores that it was judged on, and how it was broken on some."""

    promise: str
    stores: tuple[str, ...]
    problems: Mapping[str, str]
    times: tuple[Time, ...]

    @property
    def kept(self) -> bool:
        """Whether it was kept on all stores."""
        return not self.problems


def findings_of(performances: Sequence[Performance]) -> list[Finding]:
    """Gather what was found of each promise; the stores should be of one kind."""
    found: dict[str, dict[str, Verdict]] = {}
    for one in performances:
        for verdict in one.verdicts:
            found.setdefault(verdict.promise, {})[one.store.name] = verdict
    return [_finding(promise, verdicts) for promise, verdicts in found.items()]


def _finding(promise: str, verdicts: Mapping[str, Verdict]) -> Finding:
    return Finding(
        promise=promise,
        stores=tuple(verdicts),
        problems={
            store: verdict.problem
            for store, verdict in verdicts.items()
            if verdict.problem is not None
        },
        times=tuple(v.time for v in verdicts.values() if v.time is not None),
    )


def of_kind(performances: Sequence[Performance], *, leases: bool) -> list[Performance]:
    """Return those on lease stores, or those on claim-only ones."""
    return [one for one in performances if one.store.leases is leases]


def kind_of(store: Store) -> str:
    """Return what kind of store it is."""
    return "lease" if store.leases else "claim-only"


def times_of(performances: Sequence[Performance]) -> list[str]:
    """Return all times that were measured, from the shortest to the longest."""
    found = [
        verdict.time
        for one in performances
        for verdict in one.verdicts
        if verdict.time is not None
    ]
    return time_words(found)


def time_words(times: Sequence[Time]) -> list[str]:
    """Say how long each thing took, and within what that was promised."""
    kinds: dict[tuple[str, float], list[float]] = {}
    for time in times:
        kinds.setdefault((time.what, time.within), []).append(time.seconds)
    return [
        f"{what} {_span(found)}, within {most:.2f} s"
        for (what, most), found in kinds.items()
    ]


def _span(seconds: Sequence[float]) -> str:
    least, most = f"{min(seconds):.2f}", f"{max(seconds):.2f}"
    return f"{least} s" if least == most else f"{least} to {most} s"


def outcome_words(performances: Sequence[Performance]) -> str:
    """Say what became of several performances of one scenario."""
    by: dict[Outcome, list[str]] = {}
    for one in performances:
        by.setdefault(one.outcome, []).append(one.store.name)
    return ", ".join(
        f"{outcome} on {', '.join(by[outcome])}" for outcome in Outcome if outcome in by
    )


def all_well(performances: Sequence[Performance]) -> bool:
    """Tell whether no promise was broken, and no play failed."""
    return all(
        one.outcome in {Outcome.KEPT, Outcome.NOT_PLAYED} for one in performances
    )


def headline(performance: Performance) -> str:
    """Say in a line what became of a performance."""
    detail = "; ".join(_details(performance))
    word = _word(performance.outcome)
    return f"{word}: {detail}" if detail else word


def _word(outcome: Outcome) -> str:
    """Let what is bad be seen without colour."""
    bad = outcome not in {Outcome.KEPT, Outcome.NOT_PLAYED}
    return outcome.upper() if bad else outcome.value


def _details(performance: Performance) -> list[str]:
    if performance.outcome is Outcome.KEPT:
        return times_of([performance])
    if performance.outcome is Outcome.BROKEN:
        broken = [v for v in performance.verdicts if v.problem is not None]
        first = (broken[0].problem or "").partition("\n")[0]
        return [first, f"{len(broken)} of {len(performance.verdicts)} promises"]
    return performance.why.splitlines()[:1]
