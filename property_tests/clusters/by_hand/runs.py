"""What holds for runs by hand, on every store.

Each invariant is a function from the tale of a play to what broke it, as in
``invariants``. That they block no slot, and that no slot blocks them, is judged by what
holds for the runs of slots as well. Times are the loop's, in seconds.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from math import inf

from anarchon.events import Failure, Interrupted, RunEvent, Start, Success
from anarchon.model import RunRecord
from anarchon.rules.lease import MAX_CALL, settle_limit
from property_tests.clusters.claims_only.ends import could_tell, due_end, took_too_long
from property_tests.clusters.claims_only.winners import LEASE
from property_tests.clusters.invariants import BACKOFF, SLACK, Complaints
from property_tests.clusters.manual import Asked, TaleOfBoth
from property_tests.clusters.tale import Act, Life

# where an ask came from: the instance, the job, and the loop's time
Place = tuple[str, str, float]


def runs_begin_at_once(tale: TaleOfBoth) -> Complaints:
    """Whoever calls ``run_now`` gets a run there and then, whatever the store does."""
    asked = Counter(_place(asked) for asked in tale.asked if not asked.refused)
    begun = Counter((act.instance, act.job, act.began) for act in tale.manual_acts)
    for place in asked | begun:
        # in a stop it may end before it begins
        up = _life(tale, place) is not None
        if begun[place] > asked[place] or (up and begun[place] < asked[place]):
            yield f"{place}: asked {asked[place]} times, begun {begun[place]} times"
    for call in tale.asked:
        if call.refused and _life(tale, _place(call)) is not None:
            yield f"{_place(call)}: refused by a scheduler that is up"


def _place(asked: Asked) -> Place:
    return asked.who, asked.ask.job, asked.began


def _life(tale: TaleOfBoth, place: Place) -> Life | None:
    who, _, time = place
    life = tale.life_at(who, time)
    return life if life and time + SLACK < min(life.stopped, life.ended) else None


def _pairs(tale: TaleOfBoth) -> Iterator[tuple[Asked, Act]]:
    acts: defaultdict[Place, list[Act]] = defaultdict(list)
    for act in tale.manual_acts:
        acts[act.instance, act.job, act.began].append(act)
    ends: defaultdict[Place, set[float]] = defaultdict(set)
    for asked in tale.asked:
        ends[_place(asked)].add(asked.ask.gives_up)
    for asked in tale.asked:
        # which run of one place is whose is known only if they are alike
        if acts[_place(asked)] and len(ends[_place(asked)]) == 1:
            yield asked, acts[_place(asked)].pop()


def runs_are_of_their_own(tale: TaleOfBoth) -> Complaints:
    """A run by hand is one attempt without a fence, and takes part in no claim."""
    for act in tale.manual_acts:
        if act.ctx.attempt != 1 or act.ctx.fence is not None:
            yield f"{act.name}: fence {act.ctx.fence}"
        if tale.leases.of_token(act.ctx.token) is not None:
            yield f"{act.name}: its token was granted a slot"


def ends_are_returned(tale: TaleOfBoth) -> Complaints:
    """The caller gets the record with the end that the handler had."""
    for asked, act in _pairs(tale):
        record, due = asked.record, due_end(act)
        if record is None or due is None or record.status is due:
            continue
        if not took_too_long(tale, act):
            yield f"{act.name} {act.how} ({act.why}), returned as {record.status}"


def calls_return_in_time(tale: TaleOfBoth) -> Complaints:
    """A call returns with its handler, or when its record can't be written for long."""
    for asked, act in _pairs(tale):
        if asked.ended <= act.ended + SLACK:
            continue
        limit = settle_limit(LEASE, tale.plan.stop_timeout) + MAX_CALL + BACKOFF
        if tale.healthy(act.instance, act.ended - MAX_CALL, act.ended + SLACK):
            limit = SLACK
        slept = tale.slept(act.instance, act.ended, act.ended + limit)
        if asked.ended > act.ended + limit and not slept:
            yield f"{act.name} ended {act.ended:.3f}, its call {asked.ended:.3f}"


def callers_cancel_their_runs(tale: TaleOfBoth) -> Complaints:
    """A cancelled caller takes its run along, and waits for it, but not for long."""
    for asked, act in _pairs(tale):
        since = asked.cancelled
        if since >= act.ended:
            continue
        limit = max(since, tale.shielded_until(act)) + SLACK
        felt = min(act.cancelled, act.ended)
        if felt > limit and tale.awake(act.instance, act.began, limit):
            yield f"{act.name}: its caller was cancelled at {since:g}, it wasn't"
        until = since + tale.plan.stop_timeout + SLACK
        if asked.ended > until and tale.awake(act.instance, act.began, until):
            yield f"{act.name}: its caller waited until {asked.ended:.3f}"


def records_are_written_once(tale: TaleOfBoth) -> Complaints:
    """What is on record was told, once for each call; and what could be told is."""
    told = Counter(_told_records(tale))
    on_record = Counter(tale.manual_records)
    crashed = {life.instance for life in tale.lives if life.crashed}
    for record, times in on_record.items():
        if times > told[record] and record.instance_id not in crashed:
            yield f"{record}: {times} times on record, told {told[record]} times"
        if times > len(tale.asked):
            yield f"{record}: {times} times on record"
    for returned in (a.record for a in tale.asked if a.who not in crashed):
        if returned is not None and not told[returned]:
            yield f"{returned}: returned, but not told"
    for _, act in _pairs(tale):
        life = _life(tale, (act.instance, act.job, act.began))
        written = {(r.instance_id, r.job, r.slot) for r in tale.manual_records}
        if (act.instance, act.job, act.ctx.slot) in written or due_end(act) is None:
            continue
        if life is not None and could_tell(tale, act, life):
            yield f"{act.name} {act.how} at {act.ended:.3f}, not on record"


def _told_records(tale: TaleOfBoth) -> Iterator[RunRecord]:
    for entry in tale.manual_events:
        if isinstance(entry.what, Success | Failure | Interrupted):
            yield entry.what.record


def ends_are_told(tale: TaleOfBoth) -> Complaints:
    """Each start is told once, and so is its end, unless its instance crashed."""
    called = Counter((act.name, act.instance) for act in tale.manual_acts)
    begun, ended = _told(tale, Start), _told(tale, Success, Failure, Interrupted)
    crashed = {life.instance for life in tale.lives if life.crashed}
    for name in called | begun | ended:
        alike = called[name] == begun[name] <= ended[name]
        if not alike and name[1] not in crashed:
            yield f"{name}: {begun[name]} starts and {ended[name]} ends were told"


def _told(
    tale: TaleOfBoth, *kinds: type[RunEvent]
) -> Counter[tuple[tuple[str, int, int], str]]:
    return Counter(
        ((e.what.job, e.what.slot, e.what.attempt), e.instance)
        for e in tale.manual_events
        if isinstance(e.what, kinds)
    )


def everybody_returned(tale: TaleOfBoth) -> Complaints:
    """No call is left waiting."""
    for asked in tale.asked:
        if asked.ended == inf:
            yield f"{_place(asked)}: never returned"
