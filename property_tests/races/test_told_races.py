"""A race that no order explains is found, and told so that it can be understood."""

from collections.abc import Sequence

from anarchon.model import Overlap, Reason
from anarchon.protocol import Answer, Claim, ClaimReply, Running, Won
from anarchon.testing.conformance.clock import SLOT
from property_tests.races.laws import Asked, Laws, State
from property_tests.races.linearizing import Operation, Verdict, linearized
from property_tests.races.requests import MANY, Heartbeat, Reply, Request
from property_tests.races.story import Story
from property_tests.stores.lease_model import Job

LAWS = Laws(now=SLOT, onward=False)
WON = Won(now=SLOT, attempt=1, left=30.0)


def judged(history: Sequence[Asked], laws: Laws) -> Verdict[State, Request, Reply]:
    """Look for an order of what was asked about a new job."""
    return linearized(history, State.of(Job("job"), SLOT), laws.step)


def claimed(who: str, began: int, ended: int | None, reply: ClaimReply | None) -> Asked:
    """Return a claim of the first attempt of a slot."""
    claim = Claim(
        job="job",
        slot=SLOT,
        token=who.lower(),
        attempt=1,
        instance_id=who,
        mode=Reason.SCHEDULED,
        lease=30.0,
        overlap=Overlap.SKIP,
        max_attempts=3,
        limit=60.0,
        startable=60.0,
        keep=MANY,
        keep_for=0.0,
    )
    return Operation(by=who, began=began, ended=ended, request=claim, reply=reply)


def beaten(began: int, ended: int, now: int) -> Asked:
    """Return an accepted heartbeat of A."""
    beat = Heartbeat(job="job", slot=SLOT, token="a", lease=30.0)
    reply = Answer(now=now, accepted=True, left=30.0)
    return Operation(by="A", began=began, ended=ended, request=beat, reply=reply)


def test_a_claim_without_an_answer_may_have_won() -> None:
    """Others may hear of a winner who hasn't heard of it, but not before it asked."""
    running = Running(now=SLOT, attempt=1, left=30.0, instance_id="A")
    heard = claimed("B", 5, 9, running)
    assert judged([claimed("A", 0, None, None), heard], LAWS).explained
    assert not judged([claimed("A", 10, None, None), heard], LAWS).explained


def test_the_time_of_an_onward_clock_does_not_go_back() -> None:
    """A later step with an earlier time is explained only if the clock is moved."""
    history = [
        claimed("A", 0, 1, WON),
        beaten(2, 3, SLOT + 9),
        beaten(4, 5, SLOT + 8),
    ]
    assert judged(history, LAWS).explained
    assert not judged(history, Laws(now=SLOT, onward=True)).explained


def test_two_winners_are_told() -> None:
    """The story has who was where in the order, and what was right instead."""
    history = [claimed("A", 0, 2_000_000, WON), claimed("B", 1_000_000, 3_000_000, WON)]
    verdict = judged(history, LAWS)
    assert not verdict.explained
    story = Story(title="!", history=history, verdict=verdict, laws=LAWS, start=SLOT)
    asked = "attempt 1, skip, lease 30.0, max_attempts 3, keep 1000/0.0"
    won = "Won(now=+0, attempt=1, left=30.0)"
    assert [
        "!",
        "place in the longest order; from and to in ms; who; what -> answer",
        f"   1    0.000 to    2.000 A claim job +0 (a) {asked} -> {won}",
        f"   -    1.000 to    3.000 B claim job +0 (b) {asked} -> {won}",
        "After these 1 none of these can come next:",
        f"     B claim job +0 (b) {asked} -> {won}",
        "       by the laws Running(now=+0, attempt=1, left=30.0, instance_id=A)",
    ] == str(story).splitlines()
