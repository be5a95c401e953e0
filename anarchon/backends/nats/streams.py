"""The two streams of a namespace: how they must be, and setting them up.

Decides their settings, which differences in a stream that is there are accepted, and
how long it may take to set them up.
Must not know what their messages say.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from anarchon.backends.nats.driver import Version
from anarchon.backends.nats.jetstream import ApiError, Fields, JetStream, fields_in
from anarchon.backends.nats.subjects import Subjects
from anarchon.errors import BackendTooOld, BackendUnavailable

NEEDED = (2, 9, 2)
OTHER_SETTINGS = 10058
NOT_FOUND = 10059
OVERLAP = 10065

# seconds until a request is made again, between looks for a new stream, and for all
AGAIN_AFTER, PAUSE, SET_UP_WITHIN = 3.0, 0.05, 10.0

# one message for each subject, for good, and on disk: that makes a message a claim
ESSENTIAL: Mapping[str, object] = {
    "retention": "limits",
    "storage": "file",
    "discard": "new",
    "discard_new_per_subject": True,
    "max_msgs_per_subject": 1,
    "no_ack": False,
}


def check_version(version: Version) -> None:
    """Refuse a server that can't keep one message for each subject.

    Raises:
        BackendTooOld: says which version there is and which is needed.
    """
    found = (version.major, version.minor, version.patch)
    if found < NEEDED:
        raise BackendTooOld(
            f"a NATS store needs NATS {_dotted(NEEDED)} or newer, this is "
            f"{_dotted(found)}"
        )


async def set_up(
    jetstream: JetStream, subjects: Subjects, remember: float, replicas: int
) -> None:
    """Create both streams, or check those that are there.

    Claims are kept for ``remember`` seconds, results for ever. A stream that is there
    is changed if it forgets sooner than that or has fewer replicas, and left as it is
    otherwise. Harmless when many do it at once.

    Raises:
        BackendUnavailable: a stream that is there grants a subject more than once, or
            another stream has the subjects.
        TimeoutError: there was no answer, however often it was asked.
    """
    claims = _Stream(
        name=subjects.claims,
        subjects=subjects.in_claims,
        max_age=round(remember * 10**9),
        replicas=replicas,
    )
    history = _Stream(
        name=subjects.history, subjects=subjects.in_history, replicas=replicas
    )
    try:
        async with asyncio.timeout(SET_UP_WITHIN):
            for stream in (claims, history):
                await stream.set_up(jetstream)
    except TimeoutError:
        late = f"no streams within {SET_UP_WITHIN:g} s, however often asked for"
        raise TimeoutError(late) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stream:
    """What is wanted of a stream; ``max_age`` is in nanoseconds, 0 is for ever."""

    name: str
    subjects: list[str]
    replicas: int
    max_age: int = 0

    @property
    def required(self) -> Fields:
        """The settings that must be just so."""
        return {**ESSENTIAL, "subjects": self.subjects}

    async def set_up(self, jetstream: JetStream) -> None:
        """Create it, or make sure that the one that is there will do."""
        await self._create(jetstream)
        found = await self._found(jetstream)
        self._check(found)
        grown = {**found, **self._growth(found)}
        if grown != found:
            await _answered(jetstream, f"STREAM.UPDATE.{self.name}", **grown)

    async def _create(self, jetstream: JetStream) -> None:  # noqa: ASYNC910  asked
        config: Fields = {"name": self.name, **self.required}
        config |= {"max_age": self.max_age, "num_replicas": self.replicas}
        try:
            await _answered(jetstream, f"STREAM.CREATE.{self.name}", **config)
        except ApiError as error:
            if error.code == OVERLAP:
                raise await self._overlapping(jetstream) from None  # noqa: ASYNC120
            if error.code != OTHER_SETTINGS:
                raise

    async def _found(self, jetstream: JetStream) -> Fields:
        """Return its settings, once this server knows what another one has created."""
        while True:
            try:
                answer = await _answered(jetstream, f"STREAM.INFO.{self.name}")
                return fields_in(answer.get("config"))
            except ApiError as error:
                if error.code != NOT_FOUND:
                    raise
            await asyncio.sleep(PAUSE)

    def _check(self, found: Fields) -> None:
        for setting, needed in self.required.items():
            # a server may leave out what is off
            there = found.get(setting, False)
            if there != needed:
                raise BackendUnavailable(
                    f"the stream {self.name} has {setting}={there!r}, and a NATS store "
                    f"needs {needed!r}: delete it or use another namespace"
                )

    def _growth(self, found: Fields) -> Fields:
        """Return what to change so that nothing is kept for less than is wanted."""
        growth: Fields = {}
        replicas, max_age = found.get("num_replicas"), found.get("max_age")
        if isinstance(replicas, int) and replicas < self.replicas:
            growth["num_replicas"] = self.replicas
        if isinstance(max_age, int) and 0 < max_age < (self.max_age or max_age + 1):
            growth["max_age"] = self.max_age
        return growth

    async def _overlapping(self, jetstream: JetStream) -> BackendUnavailable:
        others: set[str] = set()
        for subject in self.subjects:
            answer = await jetstream.api("STREAM.NAMES", subject=subject)
            others |= set(cast("list[str] | None", answer.get("streams")) or ())
        return BackendUnavailable(  # noqa: ASYNC910  there are subjects
            f"the subjects {', '.join(self.subjects)} belong to the stream "
            f"{', '.join(sorted(others))}: use another namespace"
        )


async def _answered(jetstream: JetStream, verb: str, **request: object) -> Fields:
    """Ask until there is an answer; each of these requests may be made twice.

    Of those who create a stream at the same time, a cluster leaves some without an
    answer: https://github.com/nats-io/nats-server/issues/3677
    """
    while True:
        try:
            async with asyncio.timeout(AGAIN_AFTER):
                return await jetstream.api(verb, **request)
        except TimeoutError:
            await asyncio.sleep(PAUSE)


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
