"""The instances of the scenarios, and their durations in seconds.

Decides that leases are short and keep the default ratio to heartbeats.
"""

from anarchon.options import Options

NAMES = "ABC"

RATIO = Options().lease / Options().heartbeat

LEASE = 2.0
HEARTBEAT = LEASE / RATIO
STOP_TIMEOUT = 1.5
JITTER = 0.05

# what is promised
TAKEOVER_WITHIN = LEASE + 2 * HEARTBEAT
HAND_OVER_WITHIN = 2 * HEARTBEAT

# how late a busy machine may wake a process that was due
SLACK = 0.5
# if the machine stood still for longer, a promise that was broken proves nothing
STILL = 0.2
# how long a play waits for what must come
PATIENCE = 20.0
# how long the instances of a play may take to begin, before its first slot
SOON = 2.0
