"""Jobs apart, for every store: what a job is called, and that it is alone with it."""

from anarchon.protocol import Won
from anarchon.testing.conformance.clock import ManualClock
from anarchon.testing.conformance.probe import Link, Probe

NAMES = (
    "plain",
    "Plain",
    "plain ",
    " plain",
    "a/b",
    "a:b",
    "a.b",
    "a*b",
    "a>b",
    "a{b}",
    "a#b",
    "a%b",
    "a%62",
    "a\\b",
    "..",
    "-",
    "0",
    "null",
    "'; DROP TABLE runs; --",
    '"quoted"',
    "line\nbreak",
    "tab\tbell\a",
    "caf\u00e9",
    "cafe\u0301",
    "\u202eright to left",
    "\N{SNOWMAN}" * 200,
    "\N{PILE OF POO}" * 200,
    "\N{PILE OF POO}" * 199 + "!",
)
"""Legal names that are easily mistaken for others, or for something else."""


class Apart:
    """Jobs of one store that must not touch each other."""

    async def test_jobs_do_not_share_slots(self, job: Probe) -> None:
        """L1: the same slot of another job is another run."""
        other = job.named("other")
        await other.prepare()
        assert isinstance(await job.claim("a"), Won)
        await other.run("b")
        assert not (await other.finish("a")).accepted
        assert [job.record_of("a")] == await job.history()
        assert [other.success_of("b")] == await other.history()

    async def test_any_legal_name_is_a_job_of_its_own(self, job: Probe) -> None:
        """Names are kept as they are: not cut, not folded, not taken for syntax."""
        await job.prepare(*NAMES)
        for number, name in enumerate(NAMES):
            assert isinstance(await job.named(name).claim(f"t{number}"), Won), name
        for number, name in enumerate(NAMES):
            named = job.named(name)
            assert (await named.finish(f"t{number}")).accepted, name
            assert [named.success_of(f"t{number}")] == await named.history()

    async def test_preparing_again_changes_nothing(self, job: Probe) -> None:
        """Each instance prepares its jobs at every start; what is there stays."""
        await job.claim("a")
        await job.prepare()
        await job.prepare("other")
        assert not isinstance(await job.claim("b"), Won)
        assert [job.record_of("a")] == await job.history()

    async def test_two_connections_are_one_store(
        self, job: Probe, second_link: Link, clock: ManualClock
    ) -> None:
        """L1: what one instance was granted, another one finds, each with its own."""
        elsewhere = Probe(second_link, clock, job.name)
        await job.claim("a")
        assert not isinstance(await elsewhere.claim("b"), Won)
        assert await elsewhere.history() == await job.history()

    async def test_data_outlives_a_connection(
        self, job: Probe, second_link: Link, clock: ManualClock
    ) -> None:
        """L10: any connection may end a run under its token, and all read it."""
        elsewhere = Probe(second_link, clock, job.name)
        await job.claim("a")
        assert (await elsewhere.finish("a")).accepted
        assert [job.success_of("a")] == await job.history()
