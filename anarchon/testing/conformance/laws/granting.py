"""Laws L1 and L2, for every store: one winner, and granted is granted."""

import anyio

from anarchon.model import End, Status
from anarchon.protocol import Answer, ClaimReply, Running, Won
from anarchon.testing.conformance.clock import SLOT, ManualClock
from anarchon.testing.conformance.probe import DONE, Probe

FAILED = End(status=Status.FAILED, duration=0.25, error="ValueError: naïve ☃\n'\"%s")


class Granting:
    """Who gets a slot, and what happens when anything is asked again."""

    async def test_first_claim_wins(self, job: Probe) -> None:
        """L1: a slot that is due and that nobody has goes to who asks."""
        reply = await job.claim("a")
        assert isinstance(reply, Won)
        assert (job.now, 1, None, ()) == (
            reply.now,
            reply.attempt,
            reply.taken_from,
            reply.ended,
        )

    async def test_second_claim_is_told_who_runs(self, job: Probe) -> None:
        """L1: another token is refused, and hears whose the attempt is."""
        await job.claim("a")
        reply = await job.claim("b")
        assert isinstance(reply, Running)
        assert ("A", 1) == (reply.instance_id, reply.attempt)

    async def test_claims_at_once_have_one_winner(self, job: Probe) -> None:
        """L1: of eight claims under way together exactly one is granted."""
        replies: list[ClaimReply] = []

        async def claim(token: str) -> None:
            replies.append(await job.claim(token))

        async with anyio.create_task_group() as group:
            for token in "abcdefgh":
                group.start_soon(claim, token)
        assert 1 == sum(isinstance(reply, Won) for reply in replies)
        assert 7 == sum(isinstance(reply, Running) for reply in replies)
        assert 1 == len(await job.history())

    async def test_same_claim_is_won_again(self, job: Probe) -> None:
        """L2: the token of an unfinished run is told that it won, however often."""
        await job.claim("a")
        for _ in range(3):
            reply = await job.claim("a")
            assert isinstance(reply, Won)
            assert 1 == reply.attempt
        assert [job.record_of("a")] == await job.history()

    async def test_same_claim_is_not_won_after_the_end(self, job: Probe) -> None:
        """L2, T3: a late copy of a claim can't win a run that has finished."""
        await job.run("a")
        assert not isinstance(await job.claim("a"), Won)
        assert [job.success_of("a")] == await job.history()

    async def test_finish_ends_the_attempt(
        self, job: Probe, clock: ManualClock
    ) -> None:
        """L10: the end is in the record as soon as it is accepted."""
        await job.claim("a")
        clock.move(2)
        assert Answer(now=job.now, accepted=True) == await job.finish("a")
        assert [job.success_of("a", ended_at=clock.at)] == await job.history()

    async def test_failure_keeps_its_error(
        self, job: Probe, clock: ManualClock
    ) -> None:
        """L10: status, duration and the text of an error are kept as they were told."""
        await job.claim("a")
        assert Answer(now=job.now, accepted=True) == await job.finish("a", end=FAILED)
        record = job.record_of(
            "a",
            status=Status.FAILED,
            ended_at=clock.at,
            duration=0.25,
            error="ValueError: naïve ☃\n'\"%s",
        )
        assert [record] == await job.history()

    async def test_same_finish_is_accepted_again(
        self, job: Probe, clock: ManualClock
    ) -> None:
        """L2: a repeated finish is accepted and leaves the first one's record."""
        await job.run("a")
        clock.move(5)
        assert Answer(now=job.now, accepted=True) == await job.finish("a")
        assert [job.success_of("a")] == await job.history()

    async def test_other_end_is_refused(self, job: Probe) -> None:
        """L2: what was stored stays; the same token can't end its attempt otherwise."""
        await job.run("a")
        assert Answer(now=job.now, accepted=False) == await job.finish("a", end=FAILED)
        assert [job.success_of("a")] == await job.history()

    async def test_finish_by_another_token_is_refused(self, job: Probe) -> None:
        """L7: only the current token can end an attempt."""
        await job.claim("a")
        assert Answer(now=job.now, accepted=False) == await job.finish("b")
        assert [job.record_of("a")] == await job.history()

    async def test_finish_by_another_token_after_the_end_is_refused(
        self, job: Probe
    ) -> None:
        """L7: the same end from a token that never owned the attempt isn't accepted."""
        await job.run("a")
        assert Answer(now=job.now, accepted=False) == await job.finish("b")

    async def test_finish_without_a_claim_is_refused(self, job: Probe) -> None:
        """L7: nothing can be finished that wasn't granted."""
        assert Answer(now=job.now, accepted=False) == await job.finish("a", end=DONE)
        assert [] == await job.history()

    async def test_finishes_at_once_have_one_effect(self, job: Probe) -> None:
        """L2: copies of one finish that arrive together are all accepted."""
        await job.claim("a")
        answers: list[bool] = []

        async def finish() -> None:
            answers.append((await job.finish("a", SLOT)).accepted)

        async with anyio.create_task_group() as group:
            for _ in range(4):
                group.start_soon(finish)
        assert [True] * 4 == answers
        assert [job.success_of("a")] == await job.history()
