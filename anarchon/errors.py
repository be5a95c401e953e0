"""The errors that users meet.

Decides which mistakes and failures have a name. Knows nothing else of the project.
"""


class AnarchonError(Exception):
    """Base of every error that anarchon raises on purpose."""


class BackendUnavailable(AnarchonError):
    """The store could not be reached or opened.

    Raised by ``start``, by entering ``open_scheduler``, and by ``history`` and
    ``last_run`` while the scheduler is idle. The scheduler is idle afterwards; start
    it again once the store is back.
    """


class BackendTooOld(AnarchonError):
    """The server works but lacks what is needed; the message has both versions."""


class SchedulerNotRunning(AnarchonError):
    """The call needs a started scheduler, and this one is not running."""


class UnknownJob(AnarchonError):
    """No job of this name is registered on this instance."""


class DuplicateJob(AnarchonError):
    """A job of this name is registered already; names are unique within a scheduler."""


class InvalidSchedule(AnarchonError, ValueError):
    """A period, cron expression or time zone that yields no usable slots."""


class InvalidOption(AnarchonError, ValueError):
    """An option, name, handler or URL that is not allowed; the message says what is."""
