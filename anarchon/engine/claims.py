"""What a claim says.

Decides how a job's options become the fields of a claim, and under which token a slot
is asked for. Must not know what an answer means, but for one: that a slot was early.
"""

import os
from dataclasses import replace

from anarchon.engine.instance import Instance
from anarchon.engine.job_state import JobState
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


def first_claim(instance: Instance, state: JobState, slot: int, mode: Reason) -> Claim:
    """Make the claim for the first attempt of a slot that is due.

    If the slot was early before, it is asked for under the same token again, since a
    copy of that claim may still be on its way, and win when the slot has come (T5).
    """
    claim = new_claim(instance, state.job, slot, mode)
    early, state.early = state.early, None
    if early is None or early.slot != slot:
        return claim
    return replace(claim, token=early.token)
