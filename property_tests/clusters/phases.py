"""Which phases of Hypothesis whole clusters go through: all but one."""

from hypothesis import Phase

# to explain means to trace every line: a play takes a tenth of a second without that
DRAWN = [phase for phase in Phase if phase is not Phase.explain]
