"""Breaks one law or promise at a time, and tells which test notices.

Decides which mutants are tried, how many at a time, and for how long; 1 is returned if
one of them was not noticed, or could not be tried.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic

from property_tests.mutants.catalogue import Trial, trials
from property_tests.mutants.suites import Suite
from property_tests.mutants.table import Result, as_json, as_line, as_markdown
from property_tests.mutants.workshop import Fate, Verdict, Workshop

# seconds; without a fault the tests are over in a quarter of a mutant's time
CONTROL_BOUND = 600.0
LEAST_BOUND = 30.0
SLOWER = 4.0

FAILS_ANYHOW = Verdict(
    fate=Fate.BROKEN, told="the tests fail without a fault", seconds=0.0
)


class Session:
    """Tries mutants, ``jobs`` at a time."""

    def __init__(self, shop: Workshop, jobs: int) -> None:
        self._shop = shop
        self._jobs = jobs
        self._bounds: dict[Suite, float] = {}

    def control(self, suites: Sequence[Suite]) -> None:
        """See that the tests pass without a fault, and how long that takes."""
        with ThreadPoolExecutor(self._jobs) as pool:
            list(pool.map(self._control, suites))

    def _control(self, suite: Suite) -> None:
        verdict = self._shop.control(suite, CONTROL_BOUND)
        if verdict.fate is Fate.SURVIVED:
            print(
                f"passed  {verdict.seconds:8.1f} s  {suite.name}, no fault", flush=True
            )
            self._bounds[suite] = max(LEAST_BOUND, SLOWER * verdict.seconds)
        else:
            print(f"{suite.name} fails without a fault: {verdict.told}", flush=True)

    def try_all(self, chosen: Sequence[Trial]) -> list[Result]:
        """Try each, and return what came of it, in the same order."""
        with ThreadPoolExecutor(self._jobs) as pool:
            return list(pool.map(self._try, range(len(chosen)), chosen))

    def _try(self, number: int, trial: Trial) -> Result:
        mutant, suite = trial
        if suite not in self._bounds:
            return Result(trial, FAILS_ANYHOW)
        name, bound = f"mutant{number}", self._bounds[suite]
        result = Result(trial, self._shop.trial(mutant, suite, name, bound))
        print(as_line(result), flush=True)
        return result


def main() -> int:
    """Try the mutants that were asked for; return 1 unless each was noticed."""
    options = _options()
    chosen = trials(servers=options.servers, about=options.about)
    if not chosen:
        sys.exit(f"no mutant says {options.about!r}")
    began = monotonic()
    with tempfile.TemporaryDirectory(prefix="anarchon-mutants-") as folder:
        session = Session(Workshop(Path(folder)), options.jobs)
        session.control(tuple(dict.fromkeys(trial.suite for trial in chosen)))
        results = session.try_all(chosen)
    table = as_markdown(results)
    print(f"\n{table}That took {monotonic() - began:.0f} s.")
    if options.markdown:
        options.markdown.write_text(table, "utf-8")
    if options.json:
        options.json.write_text(as_json(results), "utf-8")
    return int(any(result.verdict.fate is not Fate.KILLED for result in results))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m property_tests.mutants", description=__doc__
    )
    parser.add_argument("about", nargs="?", default="", help="a part of what they say")
    parser.add_argument("--servers", action="store_true", help="those on real servers")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="at a time")
    parser.add_argument("--markdown", type=Path, help="a file for the table")
    parser.add_argument("--json", type=Path, help="a file for the same as data")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
