"""What is promised in every situation, on every store."""

from collections import Counter

from tests.processes.journal import Phase
from tests.scenarios.evidence import Evidence
from tests.scenarios.judging import holds, same
from tests.scenarios.scenario import Promise

TROUBLE = ("Traceback", "never retrieved", "Exception ignored", "Warning")


def _begun_once(seen: Evidence) -> None:
    began = Counter(line.run for line in seen.written(Phase.START))
    same([], [run for run, times in began.items() if times > 1])


def _quiet(seen: Evidence) -> None:
    found = [trouble for trouble in TROUBLE if trouble in seen.complaints]
    holds(not found, f"standard error has {found}:\n{seen.complaints}")


ALWAYS = (
    Promise(text="No attempt is begun by two instances.", judge=_begun_once),
    Promise(text="No instance complains on standard error.", judge=_quiet),
)
