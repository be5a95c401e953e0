"""What a claim says.

Decides how a job's options become the fields of a claim. Must not know any answer.
"""

import os

from anarchon.engine.instance import Instance
from anarchon.jobs import Job
from anarchon.model import Reason
from anarchon.protocol import Claim
from anarchon.rules.lease import settle_limit


def new_token() -> str:
    """Return a random value that nobody else has, nor can guess."""
    return os.urandom(16).hex()


def new_claim(
    instance: Instance, job: Job, slot: int, mode: Reason, attempt: int = 1
) -> Claim:
    """Make the claim for one wanted attempt, with a token of its own."""
    options = job.options
    catch_up = options.catch_up + options.jitter
    return Claim(
        job=job.name,
        slot=slot,
        token=new_token(),
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
