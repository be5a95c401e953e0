"""Laws of the SQLite store, broken on purpose, to see that scenarios notice.

Each function breaks one law in the process that calls it. Must not be used for anything
else.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import ModuleType

from anarchon.backends.claim import Decision, Run, decide
from anarchon.backends.sqlite import steps, store
from anarchon.backends.sqlite.sql import statements
from anarchon.model import Reason
from anarchon.protocol import Claim

FENCED = "AND token = :token"


def finish_is_not_fenced() -> None:
    """Let a runner that lost its run end it all the same (against L7)."""
    _edit(
        {
            "finish_run": lambda sql: sql.replace(f"{FENCED} AND NOT spent", ""),
            "end_record": lambda sql: sql.replace(FENCED, ""),
        }
    )


def release_counts_as_an_attempt() -> None:
    """Let a hand-over use up one of the attempts (against L8)."""
    _edit({"spend": lambda sql: sql.replace("freed = freed + 1", "freed = freed")})


def takeover_ignores_the_lease() -> None:
    """Let a backup have a run whose lease is alive (against L6)."""

    def decide_wrongly(
        claim: Claim,
        now: int,
        newest: int | None,
        runs: Mapping[int, Run],
        last_runner: Callable[[int], str | None],
    ) -> Decision:
        if claim.mode is Reason.TAKEOVER:
            runs = {slot: replace(run, until=0) for slot, run in runs.items()}
        return decide(claim, now, newest, runs, last_runner)

    _replace(steps, "decide", decide_wrongly)


def _edit(changes: Mapping[str, Callable[[str], str]]) -> None:
    def edited(namespace: str) -> dict[str, str]:
        written = dict(statements(namespace))
        for name, change in changes.items():
            assert change(written[name]) != written[name], f"{name} reads otherwise"
            written[name] = change(written[name])
        return written

    _replace(store, "statements", edited)


def _replace(module: ModuleType, name: str, function: object) -> None:
    assert callable(getattr(module, name))
    setattr(module, name, function)
