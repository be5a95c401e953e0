"""The conformance suite: tests of the laws that any backend can be put through.

Needs pytest. ``docs/testing.md`` shows how to run it, ``docs/laws.md`` words the laws.
"""

import pytest

pytest.register_assert_rewrite(f"{__name__}.laws")

from anarchon.testing.conformance.clock import ManualClock  # noqa: E402
from anarchon.testing.conformance.laws.history import Trimming  # noqa: E402
from anarchon.testing.conformance.laws.order import InOrder, InTime  # noqa: E402
from anarchon.testing.conformance.suite import (  # noqa: E402
    ClaimConformance,
    LeaseConformance,
)

__all__ = [
    "ClaimConformance",
    "InOrder",
    "InTime",
    "LeaseConformance",
    "ManualClock",
    "Trimming",
]
