"""The options of a job: defaults, limits, and how they are merged."""

import math
import sys
from datetime import timedelta
from typing import get_type_hints

import pytest

from anarchon.errors import InvalidOption
from anarchon.model import LostContact, Overlap
from anarchon.options import (
    OPTION_NAMES,
    JobOptions,
    Options,
    build_options,
    naming,
    refuse_forgotten,
    refuse_without_leases,
    without_leases,
)


def test_defaults_are_those_of_the_documentation() -> None:
    """What is given nowhere has the library's value."""
    expected = Options(
        lease=30.0,
        heartbeat=5.0,
        jitter=2.0,
        max_late=60.0,
        catch_up=300.0,
        overlap=Overlap.SKIP,
        max_attempts=3,
        timeout=None,
        keep=100,
        on_lost_contact=LostContact.CANCEL,
    )
    assert expected == build_options({}) == build_options({}, {})


def test_the_typed_options_are_all_options() -> None:
    """Type checkers accept exactly what the library accepts."""
    assert set(OPTION_NAMES) == set(get_type_hints(JobOptions))


def test_values_are_read_in_every_spelling() -> None:
    """Durations come as numbers, timedeltas and texts; words as words or members."""
    options = build_options(
        {
            "lease": "1m",
            "heartbeat": timedelta(seconds=20),
            "timeout": 1,
            "overlap": "allow",
            "on_lost_contact": LostContact.CONTINUE,
        }
    )
    assert (60.0, 20.0, 1.0) == (options.lease, options.heartbeat, options.timeout)
    assert options.overlap is Overlap.ALLOW
    assert options.on_lost_contact is LostContact.CONTINUE


def test_a_job_has_its_own_over_the_schedulers_over_the_librarys() -> None:
    """Each option comes from the nearest place that gives it."""
    options = build_options({"lease": 90}, {"lease": 60, "heartbeat": 10})
    assert (90.0, 10.0, 2.0) == (options.lease, options.heartbeat, options.jitter)


def test_a_job_may_take_back_a_schedulers_timeout() -> None:
    """``None`` given for the job is a value, and not an absence."""
    assert build_options({"timeout": None}, {"timeout": 60}).timeout is None


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("lease", 0, "more than 0"),
        ("heartbeat", "fast", "'250ms'"),
        ("jitter", -1, "0 or more"),
        ("max_late", None, "more than 0"),
        ("catch_up", math.nan, "0 or more"),
        ("timeout", 0, "more than 0"),
        ("timeout", False, "more than 0"),
        ("overlap", "maybe", "'skip' or 'allow'"),
        ("overlap", None, "'skip' or 'allow'"),
        ("on_lost_contact", True, "'cancel' or 'continue'"),
        ("max_attempts", 0, "a whole number from 1 on"),
        ("max_attempts", 2.0, "a whole number from 1 on"),
        ("keep", True, "a whole number from 1 on"),
        ("keep", "10", "a whole number from 1 on"),
    ],
)
def test_bad_value_is_refused_by_name(name: str, value: object, allowed: str) -> None:
    """The message has the option, the value and what is allowed, wherever it stood."""
    for given, defaults in (({name: value}, {}), ({}, {name: value})):
        with pytest.raises(InvalidOption, match=f"^{name} must be") as caught:
            build_options(given, defaults)
        assert allowed in str(caught.value)
        assert str(caught.value).endswith(f"not {value!r}")


@pytest.mark.parametrize("name", ["keep", "max_attempts"])
@pytest.mark.parametrize("value", [2**31, sys.maxsize, 10**400])
def test_count_beyond_all_bounds_is_the_largest(name: str, value: int) -> None:
    """Every store can hold what a job asks for, also where it asks for all there is."""
    options = build_options({name: 2**31 - 1})
    assert options == build_options({name: value})


def test_unknown_option_is_refused_with_the_nearest() -> None:
    """A typing mistake is told with the option that was meant, and all of them."""
    with pytest.raises(InvalidOption, match="did you mean 'heartbeat'") as caught:
        build_options({"hartbeat": 5})
    assert ", ".join(OPTION_NAMES) in str(caught.value)
    with pytest.raises(InvalidOption, match="there is no option 'colour'; options are"):
        build_options({}, {"colour": "red"})


@pytest.mark.parametrize(
    ("given", "defaults", "story"),
    [
        (
            {"lease": 10},
            {},
            "lease is 10 s (given), heartbeat is 5 s (the default)",
        ),
        (
            {"heartbeat": 20},
            {"lease": 50},
            "lease is 50 s (from the scheduler), heartbeat is 20 s (given)",
        ),
        (
            {"jitter": 60},
            {},
            "jitter is 60 s (given), max_late is 60 s (the default)",
        ),
        (
            {},
            {"max_late": 1},
            "jitter is 2 s (the default), max_late is 1 s (from the scheduler)",
        ),
    ],
)
def test_values_that_contradict_each_other_are_refused(
    given: dict[str, object], defaults: dict[str, object], story: str
) -> None:
    """A lease holds three heartbeats, jitter ends before max_late; both are named."""
    with pytest.raises(InvalidOption, match="must be") as caught:
        build_options(given, defaults)
    assert str(caught.value).endswith(story)


def test_limits_themselves_are_allowed() -> None:
    """Three heartbeats exactly are enough, and so is a jitter just below its limit."""
    options = build_options({"lease": 15, "max_late": 2.001}, {})
    assert (15.0, 2.001) == (options.lease, options.max_late)
    assert 0.3 == build_options({"lease": 0.3, "heartbeat": 0.1}, {}).lease


def test_while_the_scheduler_is_unknown_only_what_was_given_is_compared() -> None:
    """A job declared apart may fit a scheduler's defaults and not the library's."""
    assert 10.0 == build_options({"lease": 10}).lease
    with pytest.raises(InvalidOption, match="lease must be"):
        build_options({"lease": 10, "heartbeat": 5})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("lease", 30),
        ("heartbeat", 5),
        ("catch_up", 10),
        ("overlap", "skip"),
        ("max_attempts", 1),
        ("on_lost_contact", "cancel"),
    ],
)
def test_claim_only_backend_refuses_what_needs_leases(name: str, value: object) -> None:
    """An option that can't be honoured is refused, with the backends that can."""
    options = build_options({name: value}, {})
    with pytest.raises(InvalidOption, match="the nats backend keeps no lea") as caught:
        refuse_without_leases(options, {name, "keep"}, "nats")
    assert f"which {name}={getattr(options, name)} would need" in str(caught.value)
    assert "redis (strategy lease), postgresql, sqlite and memory" in str(caught.value)


def test_claim_only_backend_takes_what_it_can_honour() -> None:
    """What asks for nothing special, or was not asked for, is not refused."""
    given = {"catch_up": 0, "overlap": "allow", "jitter": 1, "timeout": 5, "keep": 1}
    refuse_without_leases(build_options(given, {}), given, "nats")
    refuse_without_leases(build_options({}, {}), (), "nats")


def test_options_without_leases_are_shown_as_they_work() -> None:
    """On a claim-only backend nothing is skipped, caught up or tried again."""
    options = without_leases(build_options({"timeout": 5}))
    assert options.overlap is Overlap.ALLOW
    assert (0.0, 1, 5.0) == (options.catch_up, options.max_attempts, options.timeout)


def test_late_start_must_be_judged_by_a_store_that_remembers() -> None:
    """A run may not start when the store could have forgotten that it was claimed."""
    options = build_options({"max_late": 61}, {})
    refuse_forgotten(options, None, "memory")
    refuse_forgotten(options, 122.0, "nats")
    with pytest.raises(InvalidOption, match="max_late=61 s is over half of the 120 s"):
        refuse_forgotten(options, 120.0, "nats")


def test_refusal_can_name_the_job() -> None:
    """Where many jobs are checked at once the message says which one is wrong."""
    with (
        pytest.raises(InvalidOption, match=r"^job 'sync': lease must be"),
        naming("sync"),
    ):
        build_options({"lease": 0})
