"""What scripts are told: requests as JSON, lengths in milliseconds.

Decides the names that the scripts read. What isn't known is left out.
"""

import json
from collections.abc import Mapping

from anarchon.backends.clock import milliseconds
from anarchon.backends.records import Value, fields_of, storable
from anarchon.model import End, RunRecord
from anarchon.protocol import Claim

# json.dumps would make an encoder for each call
_in_json = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


def argument(asked: Mapping[str, Value | Mapping[str, Value]]) -> str:
    """Return what a script is told."""
    known = {name: value for name, value in asked.items() if value is not None}
    return _in_json(known)


def claim_fields(claim: Claim) -> dict[str, Value]:
    """Return what a claim says."""
    return {
        "slot": claim.slot,
        "token": claim.token,
        "attempt": claim.attempt,
        "instance_id": claim.instance_id,
        "mode": claim.mode,
        "lease": milliseconds(claim.lease),
        "overlap": claim.overlap,
        "max_attempts": claim.max_attempts,
        "limit": milliseconds(claim.limit),
        "startable": milliseconds(claim.startable),
        "keep": claim.keep,
        "keep_for": milliseconds(claim.keep_for),
    }


def end_fields(end: End) -> dict[str, Value]:
    """Return what an end says; the server would round the duration as a number."""
    return {
        "status": end.status,
        "duration": repr(end.duration),
        "error": storable(end.error),
    }


def record_fields(record: RunRecord, token: str) -> dict[str, Value]:
    """Return what a manual run's record says, as the scripts write theirs."""
    fields = fields_of(record) | {"token": token}
    if record.duration is not None:
        fields["duration"] = repr(record.duration)
    return {name: value for name, value in fields.items() if value is not None}
