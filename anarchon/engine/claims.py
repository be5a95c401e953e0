"""What a claim says.

Decides how a job's options become the fields of a claim. Must not know any answer.

A token is made from what it is for, and a secret of this start. So nobody has to
remember it: whoever wants the same attempt once more asks under the same token, even if
a clock was set back meanwhile and a timer comes to a slot again (L2, T5).
"""

import os
from hashlib import blake2b
from typing import TYPE_CHECKING

from anarchon.jobs import Job
from anarchon.model import Reason
from anarchon.protocol import Claim
from anarchon.rules.lease import settle_limit

if TYPE_CHECKING:
    from anarchon.engine.session import Session

TOKEN_BYTES = 16


def new_token() -> str:
    """Return a random value that nobody else has, nor can guess."""
    return os.urandom(TOKEN_BYTES).hex()


def token_for(secret: str, job: str, slot: int, attempt: int) -> str:
    """Return the one token of whoever has this secret for this attempt of a run."""
    what = f"{attempt} {slot} {job}".encode()
    return blake2b(what, key=secret.encode(), digest_size=TOKEN_BYTES).hexdigest()


def new_claim(
    session: "Session", job: Job, slot: int, mode: Reason, attempt: int = 1
) -> Claim:
    """Make the claim for one wanted attempt, under this start's token for it."""
    options, instance = job.options, session.instance
    catch_up = options.catch_up + options.jitter
    return Claim(
        job=job.name,
        slot=slot,
        token=token_for(session.secret, job.name, slot, attempt),
        attempt=attempt,
        instance_id=instance.instance_id,
        mode=mode,
        lease=options.lease,
        overlap=options.overlap,
        max_attempts=options.max_attempts,
        limit=catch_up if mode is Reason.CATCH_UP else options.max_late,
        startable=max(options.max_late, catch_up),
        keep=options.keep,
        keep_for=settle_limit(options.lease, instance.stop_timeout),
    )
