"""The Lua scripts of the store, put together from the files beside this one.

Decides which parts make a script. Must not know what they do, nor who runs them.
"""

from dataclasses import dataclass
from functools import cache
from hashlib import sha1
from importlib.resources import files

from anarchon.backends.redis.strategy import Strategy


@dataclass(frozen=True, slots=True)
class Script:
    """A script, and the name that a server keeps it under."""

    text: str
    sha: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scripts:
    """What a store runs. The last three are for leases alone."""

    claim: Script
    finish: Script
    manual: Script
    history: Script
    time: Script
    heartbeat: Script
    release: Script
    unfinished: Script


_STORED = ("decoding", "stored_records")
_RUN = ("decoding", "runs", "stored_runs")
_GRANTS = ("records", "trimming", "timing")
# what comes after lease_first is for the fewest claims
_LEASE = ("runs", "lease_grant", "lease_first")
_OTHERS = (*_STORED, "stored_runs", "answers", "lease_claim")
_ONCE = (*_STORED, "answers")
_CLAIMS = {
    Strategy.LEASE: (*_LEASE, *_OTHERS),
    Strategy.SCRIPT: (*_ONCE, "script", "once_claim"),
    Strategy.STREAM_ID: (*_ONCE, "stream_id", "once_claim"),
    Strategy.IDMP: (*_ONCE, "idmp", "once_claim"),
}


@cache
def scripts_of(strategy: Strategy) -> Scripts:
    """Return the scripts of a strategy."""
    leases = strategy is Strategy.LEASE
    finish = ("runs", "stored_runs", "lease_finish") if leases else ("once_finish",)
    return Scripts(
        claim=_script(*_GRANTS, *_CLAIMS[strategy]),
        finish=_script("records", *_STORED, "ends", *finish),
        manual=_script("records", *_STORED, "trimming", "manual"),
        history=_script("records", "history"),
        time=_script("time"),
        heartbeat=_script(*_RUN, "lease_heartbeat"),
        release=_script("records", *_STORED, "runs", "stored_runs", "lease_release"),
        unfinished=_script("lease_unfinished"),
    )


def _script(*parts: str) -> Script:
    text = "\n".join(map(_read, ("prelude", *parts)))
    # no secret: this is the name by which servers know a script
    return Script(text, sha1(text.encode(), usedforsecurity=False).hexdigest())


@cache
def _read(name: str) -> str:
    folder = files(__package__ or "").joinpath("lua")
    return folder.joinpath(f"{name}.lua").read_text("utf-8")
