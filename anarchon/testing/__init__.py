"""What tests of anarchon, and of apps and backends that use it, are made of.

``anarchon.testing.conformance`` needs pytest and is imported by its full name.
"""

from anarchon.testing.clocks import EPOCH, VirtualClock
from anarchon.testing.cluster import Cluster, open_cluster
from anarchon.testing.faults import (
    FAIL_AFTER,
    FAIL_BEFORE,
    HANG_AFTER,
    HANG_BEFORE,
    OK,
    Call,
    Fault,
    Faults,
    Lost,
)
from anarchon.testing.faulty import FaultyBackend
from anarchon.testing.gate import Gate
from anarchon.testing.instance import Instance
from anarchon.testing.journal import Entry
from anarchon.testing.life import LiveRun
from anarchon.testing.virtual import AutojumpLoop, run_virtual, virtual_loop

__all__ = [
    "EPOCH",
    "FAIL_AFTER",
    "FAIL_BEFORE",
    "HANG_AFTER",
    "HANG_BEFORE",
    "OK",
    "AutojumpLoop",
    "Call",
    "Cluster",
    "Entry",
    "Fault",
    "Faults",
    "FaultyBackend",
    "Gate",
    "Instance",
    "LiveRun",
    "Lost",
    "VirtualClock",
    "open_cluster",
    "run_virtual",
    "virtual_loop",
]
