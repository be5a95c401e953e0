"""What holds in every cluster, whatever befalls it, sorted by subject.

Each invariant is a function from the tale of a play to what broke it, nothing if it
held. None knows how a play is drawn or brought about. Where one is suspended, the
reason stands beside it. Times are the loop's, in seconds.
"""

from collections.abc import Iterator

from property_tests.clusters.plans import LEASE

Complaints = Iterator[str]

# the longest that a call for a run is waited for, and before it is sent again
CALL = LEASE / 4
BACKOFF = 5.0
# clocks in these plays gain or lose a hundredth, and a rounding or two comes on top
SLACK = 1.0
