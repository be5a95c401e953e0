"""The command: plays the scenarios that were asked for, shows them, writes the reports.

Decides the options and the exit status. Must not know how anything is shown.
"""

import argparse
import os
import signal
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile

from tests.pages import ROOT
from tests.scenarios.page import KEPT, PAGE, kept_of, page_of
from tests.scenarios.performance import Performance
from tests.scenarios.plays import SCENARIOS
from tests.scenarios.running import perform, places
from tests.scenarios.scenario import Scenario
from tests.scenarios.show.choice import show_for
from tests.scenarios.show.data import json_of
from tests.scenarios.show.findings import all_well
from tests.scenarios.show.html import html_of
from tests.scenarios.show.run import Run, Show, machine_here, python_here, servers_of
from tests.scenarios.show.table import conclusion
from tests.scenarios.stores import STORES, Place, Store
from tests.servers.leash import LEASH

REPORTS = ROOT / "build" / "scenarios"

ALL_KEPT, BROKEN, CANNOT_RUN, INTERRUPTED = 0, 1, 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Carry out a command line; return its exit status.

    0: every promise was kept. 1: one was broken, or a play didn't come to its end.
    2: nothing could be played, or under CI not all. 130: interrupted, by Ctrl+C or by
    SIGTERM.
    """
    parser = _parser()
    options = parser.parse_args(argv)
    # so that nothing is left behind, nor a terminal without its cursor
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    scenarios = [one for one in SCENARIOS if one.number in options.scenario]
    stores = [one for one in STORES if one.name in options.backend]
    if options.page and len(scenarios) * len(stores) < len(SCENARIOS) * len(STORES):
        parser.error("--page needs all scenarios on all backends")
    said: list[str] = []
    try:
        return max(
            _play(scenarios, stores, options, said) for _ in range(options.times)
        )
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        if options.times > 1:
            print(*(f"{n:3}. {line}" for n, line in enumerate(said, 1)), sep="\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="nox -s scenarios --",
        description="Plays the failure scenarios on real servers, and shows them.",
    )
    numbers = [scenario.number for scenario in SCENARIOS]
    names = [store.name for store in STORES]
    parser.add_argument(
        "--scenario",
        type=int,
        nargs="+",
        choices=numbers,
        default=numbers,
        metavar="NUMBER",
        help=f"only these: {numbers[0]} to {numbers[-1]}",
    )
    parser.add_argument(
        "--backend",
        nargs="+",
        choices=names,
        default=names,
        metavar="NAME",
        help=f"only on these: {', '.join(names)}",
    )
    parser.add_argument(
        "--times",
        type=_count,
        default=1,
        metavar="COUNT",
        help="how many times, one after the other",
    )
    parser.add_argument(
        "--plain", action="store_true", help="plain lines, on a terminal too"
    )
    parser.add_argument(
        "--report",
        type=_folder,
        default=str(REPORTS),
        metavar="FOLDER",
        help="the folder for report.html and report.json",
    )
    parser.add_argument(
        "--page",
        action="store_true",
        help="write docs/scenarios.md from what was found",
    )
    return parser


def _count(text: str) -> int:
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 on")


def _folder(text: str) -> Path:
    """Return a folder that can be written to, which is told before it is needed."""
    folder = Path(text)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        raise argparse.ArgumentTypeError(f"can't be written to: {error}") from error


def _play(
    scenarios: Sequence[Scenario],
    stores: Sequence[Store],
    options: argparse.Namespace,
    said: list[str],
) -> int:
    """Play once; add a line on how it went to what was said."""
    with (
        _scratch() as folder,
        places(stores, folder) as (there, absent),
    ):
        for name, why in absent.items():
            print(f"not played on {name}: {why}", file=sys.stderr)
        if not there or (absent and os.environ.get("CI")):
            return CANNOT_RUN
        run = _performed(scenarios, there, folder, plain=options.plain)
    said.append(conclusion(run).plain)
    _write(run, options.report)
    well = all_well(run.performances)
    if options.page and well:
        kept = kept_of(run)
        KEPT.write_text(kept.to_json())
        PAGE.write_text(page_of(SCENARIOS, kept))
    return ALL_KEPT if well else BROKEN


@contextmanager
def _scratch() -> Generator[Path]:
    """Give a folder that is removed at the end, even if this process is killed."""
    with TemporaryDirectory(prefix="anarchon-scenarios-") as folder:
        LEASH.hold_folder(Path(folder))
        yield Path(folder)


def _performed(
    scenarios: Sequence[Scenario], there: Sequence[Place], folder: Path, *, plain: bool
) -> Run:
    began, since = datetime.now().astimezone(), time.monotonic()
    with show_for(plain=plain) as show:
        performances = [
            performance
            for scenario in scenarios
            for performance in _shown(scenario, there, folder, show)
        ]
        run = Run(
            scenarios=scenarios,
            performances=performances,
            began=began,
            took=time.monotonic() - since,
            python=python_here(),
            machine=machine_here(),
            servers=servers_of(there),
        )
        show.conclude(run)
    return run


def _shown(
    scenario: Scenario, there: Sequence[Place], folder: Path, show: Show
) -> list[Performance]:
    own = folder / f"scenario {scenario.number}"
    performances = perform(scenario, there, own, show.watch)
    show.ended(scenario, performances)
    return performances


def _write(run: Run, folder: Path) -> None:
    (folder / "report.html").write_text(html_of(run), "utf-8")
    (folder / "report.json").write_text(json_of(run), "utf-8")
    print(f"Reports: {folder / 'report.html'}, report.json")


if __name__ == "__main__":
    sys.exit(main())
