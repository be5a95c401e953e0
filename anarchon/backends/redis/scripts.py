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


_LEASE = ("answers", "runs", "lease_claim")
_CLAIMS = {
    Strategy.LEASE: _LEASE,
    Strategy.SCRIPT: ("answers", "script", "once_claim"),
    Strategy.STREAM_ID: ("answers", "stream_id", "once_claim"),
    Strategy.IDMP: ("answers", "idmp", "once_claim"),
}


@cache
def scripts_of(strategy: Strategy) -> Scripts:
    """Return the scripts of a strategy."""
    leases = strategy is Strategy.LEASE
    finish = ("runs", "lease_finish") if leases else ("once_finish",)
    return Scripts(
        claim=_script("records", *_CLAIMS[strategy]),
        finish=_script("records", *finish),
        manual=_script("records", "manual"),
        history=_script("records", "history"),
        time=_script("time"),
        heartbeat=_script("runs", "lease_heartbeat"),
        release=_script("records", "runs", "lease_release"),
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
