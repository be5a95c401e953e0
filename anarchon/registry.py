"""The jobs of a scheduler, with the options that they have on it.

Decides what a job comes to here: its own options over the scheduler's over the
library's, as far as the backend can honour them. Must not know whether anything runs.
"""

from collections.abc import Mapping

from anarchon.errors import DuplicateJob, UnknownJob
from anarchon.jobs import Job, check_job
from anarchon.options import (
    build_options,
    naming,
    refuse_forgotten,
    refuse_without_leases,
    without_leases,
)
from anarchon.protocol import Backend


class Registry:
    """Jobs by their names; the given options are the defaults of all of them."""

    def __init__(self, backend: Backend, defaults: Mapping[str, object]) -> None:
        self._backend = backend
        self._defaults = defaults
        self.jobs: dict[str, Job] = {}
        options = build_options({}, defaults)
        if not backend.leases:
            refuse_without_leases(options, defaults, backend.name)

    def add(self, job: Job) -> Job:
        """Register a job; return it with its effective options."""
        check_job(job)
        if job.name in self.jobs:
            raise DuplicateJob(f"there is a job named {job.name!r} already")
        self.jobs[job.name] = job = self._effective(job)
        return job

    def remove(self, name: str) -> bool:
        """Forget a job; tell whether there was one."""
        return self.jobs.pop(name, None) is not None

    def __getitem__(self, name: str) -> Job:
        job = self.jobs.get(name)
        if job is None:
            raise UnknownJob(f"no job named {name!r} is registered on this instance")
        return job

    def _effective(self, job: Job) -> Job:
        backend = self._backend
        with naming(job.name):
            job = job.with_defaults(self._defaults)
            refuse_forgotten(job.options, backend.remembers, backend.name)
            if backend.leases:
                return job
            refuse_without_leases(job.options, job.explicit, backend.name)
        return job.with_options(without_leases(job.options))
