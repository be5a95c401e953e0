"""What is left of schedulers that are over: what of the engine somebody still holds.

Decides which kinds of objects count. Must not know what was played.
"""

import gc

from anarchon.engine.instance import Instance
from anarchon.engine.job_state import JobState
from anarchon.engine.pulse import FirstBeat, Pulse
from anarchon.engine.run import Run
from anarchon.engine.session import Session
from anarchon.engine.timers import Timers
from anarchon.engine.trust import Trust
from anarchon.engine.watch import Target, Watch

KINDS = (
    FirstBeat,
    Instance,
    JobState,
    Pulse,
    Run,
    Session,
    Target,
    Timers,
    Trust,
    Watch,
)


def leftovers() -> list[str]:
    """Return the kinds of what is left, each as often as there is one."""
    gc.collect()
    left = (one for one in gc.get_objects() if isinstance(one, KINDS))
    return sorted(type(one).__name__ for one in left)
