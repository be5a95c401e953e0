"""Who won a race: by what the claimers wrote down, and by what the store says.

Decides how both are compared. Must not know how the race went.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from anarchon.model import RunRecord, Status
from anarchon.protocol import Won
from anarchon.testing.conformance.probe import Link
from tests.stores.claimer import JOB
from tests.stores.claims import claim_of
from tests.stores.race_journal import Fate, Line


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The winners of each slot, by their tokens.

    ``told`` are those who could tell that they had won, ``found`` those whose claim the
    store granted although they died before they could tell. ``recorded`` is whom
    history names for each slot.
    """

    told: dict[int, list[str]]
    found: dict[int, list[str]]
    recorded: dict[int, list[str]]
    finished: set[int]
    succeeded: set[int]

    def winners(self, slot: int) -> list[str]:
        """Return the tokens of all who won this slot."""
        return self.told.get(slot, []) + self.found.get(slot, [])


async def judge(link: Link, lines: Iterable[Line], slots: range) -> Verdict:
    """Read the history, and ask the store again in the name of whoever did not tell."""
    records = await link.call(link.store.history, JOB, 2 * len(slots))
    tokens = _tokens_by_fate(lines)
    told = tokens[Fate.WON]
    asked = tokens[Fate.ASKED]
    untold = [slot for slot in slots if slot not in told]
    found = {slot: await _granted(link, slot, asked[slot]) for slot in untold}
    return Verdict(
        told=told,
        found=found,
        recorded=_recorded(records),
        finished=set(tokens[Fate.FINISHED]),
        succeeded={r.slot for r in records if r.status is Status.SUCCESS},
    )


def resolved(lines: Iterable[Line]) -> Counter[str]:
    """Count the claims whose outcome was unknown once, by whether they were won."""
    tokens = _tokens_by_fate(lines)
    unknown = {token for each in tokens[Fate.UNKNOWN].values() for token in each}
    won = {token for each in tokens[Fate.WON].values() for token in each}
    return Counter("won" if token in won else "lost" for token in unknown)


def _tokens_by_fate(lines: Iterable[Line]) -> dict[Fate, dict[int, list[str]]]:
    tokens: dict[Fate, dict[int, list[str]]] = {
        fate: defaultdict(list) for fate in Fate
    }
    for line in lines:
        tokens[line.fate][line.slot].append(line.token)
    return tokens


async def _granted(link: Link, slot: int, tokens: list[str]) -> list[str]:
    """Return those of these tokens that the store says have won."""
    claims = [claim_of(JOB, slot, token, _instance(token)) for token in tokens]
    replies = [await link.call(link.store.claim, claim) for claim in claims]
    return [
        claim.token
        for claim, reply in zip(claims, replies, strict=True)
        if isinstance(reply, Won)
    ]


def _recorded(records: list[RunRecord]) -> dict[int, list[str]]:
    recorded = defaultdict(list)
    for record in records:
        recorded[record.slot].append(record.instance_id)
    return recorded


def _instance(token: str) -> str:
    return token.partition(":")[0]
