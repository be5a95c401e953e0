"""Laws L2, L6 and L7 on a lease store: who is alive, and who takes over."""

import anyio

from anarchon.model import Reason, Status
from anarchon.protocol import ClaimReply, Done, NoRun, Running, Won
from anarchon.testing.conformance.clock import SLOT, ManualClock
from anarchon.testing.conformance.probe import LEASE, STARTABLE, LeaseProbe


class Leases:
    """How a lease begins, is kept, runs out and is taken over."""

    async def test_won_lease_has_its_length(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L6: a lease begins with the length that its claim asked for."""
        reply = Won(now=clock.ms, attempt=1, left=12.5)
        assert reply == await job.claim("a", lease=12.5)

    async def test_refusal_tells_what_is_left(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L1: who is refused hears how long the runner is promised to be alive."""
        await job.claim("a")
        clock.move(10)
        reply = Running(now=clock.ms, attempt=1, left=20.0, instance_id="A")
        assert reply == await job.claim("b")
        assert reply == await job.take_over("b", attempt=2)

    async def test_repeated_claim_prolongs_nothing(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L2, T3: a copy of a claim is told what is left and leaves it at that."""
        await job.claim("a")
        clock.move(10)
        assert Won(now=clock.ms, attempt=1, left=20.0) == await job.claim("a")
        clock.move(25)
        assert Won(now=clock.ms, attempt=1, left=-5.0) == await job.claim("a")
        assert isinstance(await job.take_over("b", attempt=2), Won)

    async def test_finished_slot_is_done(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L3: a backup, and a copy of the winning claim (T3), hear that it is over."""
        await job.run("a")
        reply = Done(now=clock.ms, superseded=False, newest=SLOT, instance_id="A")
        assert reply == await job.claim("b")
        assert reply == await job.take_over("b", attempt=2)
        assert reply == await job.claim("a")

    async def test_lease_is_alive_to_its_last_millisecond(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L6: nothing is taken over while the lease has a millisecond left."""
        await job.claim("a")
        clock.move(LEASE - 0.001)
        reply = Running(now=clock.ms, attempt=1, left=0.001, instance_id="A")
        assert reply == await job.take_over("b", attempt=2)

    async def test_lease_that_ends_now_is_taken_over(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L6: at its very end a lease is dead; attempt 2 goes to the asking token."""
        await job.claim("a")
        clock.move(LEASE)
        reply = Won(now=clock.ms, attempt=2, left=LEASE, taken_from="A", waited=0.0)
        assert reply == await job.take_over("b", attempt=2)

    async def test_takeover_tells_how_long_the_run_waited(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L6: the winner hears whose run it was and since when that lease was over."""
        await job.claim("a")
        clock.move(LEASE + 2.5)
        reply = Won(now=clock.ms, attempt=2, left=LEASE, taken_from="A", waited=2.5)
        assert reply == await job.take_over("b", attempt=2)

    async def test_takeover_records_both_attempts(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L6, L10: the lost attempt is interrupted at the instant of the takeover."""
        await job.claim("a")
        clock.move(LEASE + 1)
        await job.take_over("b", attempt=2)
        lost = job.record_of("a", status=Status.INTERRUPTED, ended_at=clock.at)
        running = job.record_of(
            "b", attempt=2, reason=Reason.TAKEOVER, started_at=clock.at
        )
        assert [running, lost] == await job.history()

    async def test_takeovers_at_once_have_one_winner(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L1, L6: of many backups that ask together one gets the next attempt."""
        await job.claim("a")
        clock.move(LEASE)
        replies: list[ClaimReply] = []

        async def ask(token: str) -> None:
            replies.append(await job.take_over(token, attempt=2))

        async with anyio.create_task_group() as group:
            for token in "bcdefg":
                group.start_soon(ask, token)
        assert 1 == sum(isinstance(reply, Won) for reply in replies)
        assert 5 == sum(isinstance(reply, Running) for reply in replies)

    async def test_claim_wins_only_the_attempt_it_names(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L1: of a dead attempt 1 neither attempt 1 nor attempt 3 can be had."""
        await job.claim("a")
        clock.move(LEASE + 4)
        reply = Running(now=clock.ms, attempt=1, left=-4.0, instance_id="A")
        assert reply == await job.take_over("b", attempt=1)
        assert reply == await job.take_over("b", attempt=3)
        assert isinstance(await job.take_over("b", attempt=2), Won)

    async def test_copy_of_an_old_claim_wins_no_later_attempt(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """T1: delayed past a takeover and a release, a claim that won is refused."""
        await job.claim("a")
        clock.move(LEASE)
        await job.take_over("b", attempt=2)
        await job.release("b")
        reply = Running(now=clock.ms, attempt=2, left=0.0, instance_id="B")
        assert reply == await job.claim("a")
        assert isinstance(await job.take_over("c", attempt=3), Won)

    async def test_old_token_does_not_win_after_a_takeover(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L2, T3: the answer to a token changes once it isn't the current one."""
        await job.claim("a")
        clock.move(LEASE)
        await job.take_over("b", attempt=2)
        reply = Running(now=clock.ms, attempt=2, left=LEASE, instance_id="B")
        assert reply == await job.claim("a")

    async def test_takeover_is_won_again(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L2: a backup whose answer was lost asks again and is told the same."""
        await job.claim("a")
        clock.move(LEASE)
        await job.take_over("b", attempt=2)
        clock.move(1)
        reply = Won(now=clock.ms, attempt=2, left=LEASE - 1)
        assert reply == await job.take_over("b", attempt=2)

    async def test_lease_of_the_asking_claim_counts(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L6: where instances differ in the lease, each attempt has its runner's."""
        await job.claim("a", lease=10.0)
        clock.move(10)
        reply = Won(now=clock.ms, attempt=2, left=60.0, taken_from="A", waited=0.0)
        assert reply == await job.take_over("b", attempt=2, lease=60.0)
        clock.move(59.999)
        assert isinstance(await job.take_over("c", attempt=3), Running)

    async def test_ungranted_slot_has_no_run_to_take_over(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """A backup hears whether anybody could still start a slot, to the edge."""
        clock.move(STARTABLE)
        assert NoRun(now=clock.ms, could=True) == await job.take_over("a", attempt=1)
        clock.move(0.001)
        assert NoRun(now=clock.ms, could=False) == await job.take_over("a", attempt=1)
        assert [] == await job.history()

    async def test_slot_ahead_has_no_run_but_could(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """A backup whose clock runs ahead is told to go on asking."""
        reply = await job.take_over("a", attempt=1, slot=SLOT + 1)
        assert NoRun(now=clock.ms, could=True) == reply

    async def test_token_kept_after_a_refusal_wins_later(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L2, T5: an asking that was refused may win when it is repeated."""
        await job.take_over("b", attempt=1)
        assert isinstance(await job.claim("b"), Won)
        assert Won(now=clock.ms, attempt=1, left=LEASE) == await job.claim("b")
