"""Which plans are played: drawn ones, and kept ones.

Decides it for all whole clusters alike. Where nothing may be random only the kept plans
are played: which ones are drawn depends on the modules that happen to be loaded, and so
differs from run to run.
"""

from hypothesis import Phase, settings

# to explain means to trace every line: a play takes a tenth of a second without that
DRAWN = [phase for phase in Phase if phase is not Phase.explain]
PHASES = [Phase.explicit] if settings().derandomize else DRAWN
