"""The options of a job: what may be given, and what it comes to.

Decides defaults, limits, and how a job's own options and the scheduler's are merged.
Must not know any job, schedule or store.
"""

from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from typing import Literal, TypedDict

from anarchon.errors import InvalidOption
from anarchon.model import LostContact, Overlap
from anarchon.rules.durations import Duration, to_seconds
from anarchon.rules.values import to_count, to_word


class JobOptions(TypedDict, total=False):
    """What may be given for a job, or to a scheduler as the default for its jobs.

    Durations are seconds as a number, a ``timedelta``, or text such as ``"1h30m"``.
    """

    lease: Duration
    heartbeat: Duration
    jitter: Duration
    max_late: Duration
    catch_up: Duration
    overlap: Overlap | Literal["skip", "allow"]
    max_attempts: int
    timeout: Duration | None
    keep: int
    on_lost_contact: LostContact | Literal["cancel", "continue"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The effective options of a job; the defaults are the library's.

    Durations are in seconds. ``lease`` is how long a runner is believed to be alive
    without a heartbeat, ``heartbeat`` how often it sends one. ``jitter`` is the longest
    random delay before a claim; ``max_late`` how long after its slot a run may start;
    ``catch_up`` how old a missed slot may be when an instance starts, 0 for never.
    ``timeout`` bounds the handler, ``None`` for no bound; ``keep`` is the number of
    history records that stay.
    """

    lease: float = 30.0
    heartbeat: float = 5.0
    jitter: float = 2.0
    max_late: float = 60.0
    catch_up: float = 300.0
    overlap: Overlap = Overlap.SKIP
    max_attempts: int = 3
    timeout: float | None = None
    keep: int = 100
    on_lost_contact: LostContact = LostContact.CANCEL


OPTION_NAMES = tuple(field.name for field in fields(Options))

LEASE_BACKENDS = "redis (strategy lease), postgresql, sqlite and memory"

_NEED_LEASES = frozenset(
    {
        "lease",
        "heartbeat",
        "catch_up",
        "overlap",
        "max_attempts",
        "on_lost_contact",
    }
)
_LIBRARY = Options()
_LIBRARY_VALUES: Mapping[str, object] = {
    name: getattr(_LIBRARY, name) for name in OPTION_NAMES
}


def build_options(
    given: Mapping[str, object], defaults: Mapping[str, object] | None = None
) -> Options:
    """Return the effective options: ``given`` over ``defaults`` over the library's.

    ``defaults`` is ``None`` while the scheduler's are not known: then only what was
    given is checked, each by itself and two against each other.

    Raises:
        InvalidOption: an option is unknown or has a value that isn't allowed, or two
            effective values don't go together; the message says where each came from.
    """
    known: Mapping[str, object] = {} if defaults is None else defaults
    check_known(given, OPTION_NAMES)
    check_known(known, OPTION_NAMES)
    if not given and not known:
        return _LIBRARY
    options = _read({**known, **given})

    def origin(name: str) -> str:
        if name in given:
            return "given"
        return "from the scheduler" if name in known else "the default"

    for pair, check in _TOGETHER.items():
        if defaults is not None or pair <= given.keys():
            check(options, origin)
    return options


def check_known(given: Iterable[str], allowed: Iterable[str]) -> None:
    """Refuse an option that doesn't exist.

    Raises:
        InvalidOption: names the option, the nearest allowed one, and all of them.
    """
    allowed = tuple(allowed)
    for name in given:
        if name not in allowed:
            raise InvalidOption(
                f"there is no option {name!r}{_nearest(name, allowed)}; "
                f"options are {', '.join(allowed)}"
            )


def _nearest(name: str, allowed: tuple[str, ...]) -> str:
    # only a mistake needs it
    import difflib

    close = difflib.get_close_matches(name, allowed, n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def _read(given: Mapping[str, object]) -> Options:
    value = {**_LIBRARY_VALUES, **given}
    timeout = value["timeout"]
    return Options(
        lease=to_seconds(value["lease"], name="lease"),
        heartbeat=to_seconds(value["heartbeat"], name="heartbeat"),
        jitter=to_seconds(value["jitter"], name="jitter", zero=True),
        max_late=to_seconds(value["max_late"], name="max_late"),
        catch_up=to_seconds(value["catch_up"], name="catch_up", zero=True),
        overlap=to_word(value["overlap"], Overlap, name="overlap"),
        max_attempts=to_count(value["max_attempts"], name="max_attempts"),
        timeout=None if timeout is None else to_seconds(timeout, name="timeout"),
        keep=to_count(value["keep"], name="keep"),
        on_lost_contact=to_word(
            value["on_lost_contact"], LostContact, name="on_lost_contact"
        ),
    )


def _check_lease(options: Options, origin: Callable[[str], str]) -> None:
    # rounded, since three times 0.1 is more than 0.3
    if options.lease < round(3 * options.heartbeat, 6):
        raise InvalidOption(
            f"lease must be at least three times heartbeat: "
            f"lease is {options.lease:g} s ({origin('lease')}), "
            f"heartbeat is {options.heartbeat:g} s ({origin('heartbeat')})"
        )


def _check_jitter(options: Options, origin: Callable[[str], str]) -> None:
    if options.jitter >= options.max_late:
        raise InvalidOption(
            f"jitter must be below max_late: "
            f"jitter is {options.jitter:g} s ({origin('jitter')}), "
            f"max_late is {options.max_late:g} s ({origin('max_late')})"
        )


_TOGETHER = {
    frozenset({"lease", "heartbeat"}): _check_lease,
    frozenset({"jitter", "max_late"}): _check_jitter,
}


def refuse_without_leases(
    options: Options, explicit: Iterable[str], backend: str
) -> None:
    """Refuse what was asked for explicitly and only a lease backend can do.

    ``catch_up=0`` and ``overlap="allow"`` ask for nothing.

    Raises:
        InvalidOption: names the option and the backends that can.
    """
    asked = set(explicit) & _NEED_LEASES
    if options.catch_up == 0:
        asked.discard("catch_up")
    if options.overlap is Overlap.ALLOW:
        asked.discard("overlap")
    if asked:
        shown = ", ".join(f"{name}={getattr(options, name)}" for name in sorted(asked))
        raise InvalidOption(
            f"the {backend} backend keeps no leases, which {shown} would need; "
            f"{LEASE_BACKENDS} keep them"
        )


def refuse_forgotten(options: Options, remembers: float | None, backend: str) -> None:
    """Refuse a ``max_late`` that a store with a short memory can't judge.

    ``remembers`` is for how many seconds it surely knows that a slot was claimed.

    Raises:
        InvalidOption: ``max_late`` is over half of that.
    """
    if remembers is not None and options.max_late > remembers / 2:
        raise InvalidOption(
            f"max_late={options.max_late:g} s is over half of the {remembers:g} s for "
            f"which the {backend} backend remembers claims"
        )


def without_leases(options: Options) -> Options:
    """Return what the options come to on a claim-only backend."""
    return replace(options, overlap=Overlap.ALLOW, catch_up=0.0, max_attempts=1)


@contextmanager
def naming(job: str) -> Generator[None]:
    """Say in a refusal which job it is about.

    Raises:
        InvalidOption: again, with the job's name in front.
    """
    try:
        yield
    except InvalidOption as error:
        raise InvalidOption(f"job {job!r}: {error}") from None
