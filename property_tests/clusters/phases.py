"""Which phases of Hypothesis whole clusters go through: the profile's, but for one."""

from hypothesis import Phase, settings

# to explain means to trace every line: a play takes a tenth of a second without that
DRAWN = [phase for phase in settings().phases if phase is not Phase.explain]
