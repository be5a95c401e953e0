"""What runs a second come to: who is ahead of whom, and by what.

Decides what is compared: anarchon, which stands first, with each peer beside it.
"""

from collections.abc import Iterator, Sequence

from benchmarks.peers import known
from benchmarks.report import Cell, Goal
from benchmarks.run.found import Found
from benchmarks.run.slots import WATCHED
from benchmarks.words import counted, listed, number

FACTOR = 5.0


def finding(group: str, found: Sequence[Found]) -> str:
    """Say how many runs a second each has, with as many instances as it may have."""
    count = max(found[0].slots)
    fastest = sorted(found, key=lambda each: -each.rate(count).median)
    rates = [f"{number(each.rate(count).median)} by {_short(each)}" for each in fastest]
    where = f"{group[0].lower()}{group[1:]}, with {counted(count, 'instance')}"
    return f"Runs a second {where}: {listed(rates)}."


def _short(found: Found) -> str:
    return found.subject.peer.package if found.subject.peer else "anarchon"


def ahead(found: Sequence[Found]) -> Iterator[str]:
    """Say of each peer in what it is ahead of anarchon, if it is."""
    ours, *others = found
    for theirs in others:
        wins = list(_wins(theirs, ours)) if theirs.subject.peer else []
        if wins:
            yield f"{theirs.name} is ahead in {listed(wins)}"


def _wins(theirs: Found, ours: Found) -> Iterator[str]:
    for count in theirs.slots:
        with_so_many = f"with {counted(count, 'instance')}"
        runs = theirs.rate(count), ours.rate(count)
        span = theirs.span(count), ours.span(count)
        cpu = theirs.cpu(count), ours.cpu(count)
        if runs[0].median > runs[1].median:
            yield f"runs a second {with_so_many} ({_against(*runs)})"
        if span[0].median < span[1].median:
            first_to_last = "the time from the first start to the last"
            yield f"{first_to_last} {with_so_many} ({_against(*span, unit=' ms')})"
        if cpu[0].median < cpu[1].median:
            yield f"the CPU of a run {with_so_many} ({_against(*cpu, unit=' ms')})"


def _against(theirs: Cell, ours: Cell, unit: str = "") -> str:
    return f"{number(theirs.median)}{unit}, and {number(ours.median)}{unit} here"


def late(found: Sequence[Found], jobs: int) -> Iterator[str]:
    """Say who had not started all jobs while they were watched."""
    for each in found:
        for count in each.slots:
            started = each.cell(count, lambda slot: len(slot.started)).median
            if started < jobs:
                yield (
                    f"{each.name} started {number(started)} of {jobs} jobs within "
                    f"{WATCHED:g} s, with {counted(count, 'instance')}."
                )


def goals(found: Sequence[Found]) -> Iterator[Goal]:
    """Hold anarchon against each peer, by the instances with which it does worse."""
    ours, *others = found
    for theirs in others:
        if (peer := theirs.subject.peer) is None:
            continue
        ratios = {
            count: ours.rate(count).over(theirs.rate(count)) for count in theirs.slots
        }
        count = min(ratios, key=lambda count: ratios[count].median)
        yield Goal(
            text=(
                f"runs a second of {ours.name} over {theirs.name}, "
                f"with {counted(count, 'instance')}"
            ),
            measured=ratios[count].median,
            rounds=ratios[count].values,
            limit=FACTOR if peer is known.APSCHEDULER else 1.0,
            unit="times",
            at_least=True,
            remark=_waiting(ours, theirs, count),
            holds_back=f"{peer.spares} {_computing(ours, theirs, count)}",
        )


def _waiting(ours: Found, theirs: Found, count: int) -> str:
    """Say how much of the time a peer waits, if most of it is waiting."""
    waited = theirs.first_start(count).median
    if waited < theirs.last_start(count).median / 2:
        return ""
    begun = theirs.rate_once_begun(count), ours.rate_once_begun(count)
    return (
        f"It begins {number(waited)} s after the slot, since it looks for what is due "
        f"now and then; that counts. From its first start on it has "
        f"{number(begun[0].median)} runs a second, and anarchon "
        f"{number(begun[1].median)}."
    )


def _computing(ours: Found, theirs: Found, count: int) -> str:
    cpu = _against(theirs.cpu(count), ours.cpu(count), unit=" ms")
    text = f"A run took so much CPU of the instances there: {cpu}."
    if ours.subject.server is None:
        return text
    cpu = _against(theirs.server_cpu(count), ours.server_cpu(count), unit=" ms")
    return f"{text} Of the server: {cpu}."
