"""The command line, ``anarchon``.

Decides the commands, their options, and what is said when something that they need
is missing. Loads nothing of a command before that command is asked for.
"""

import argparse
import os
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

LOOPS = ("trio", "asyncio")

# what the demo needs beside the package, and the extra that brings it
EXTRAS = {"rich": "cli", "aiosqlite": "sqlite"}

CANNOT_RUN = 2
INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Carry out a command line, the process's own by default; return its exit status.

    0 is success, 1 a promise that the demo broke, 128 and a signal's number if that
    ended it.

    Raises:
        SystemExit: with 2, the command can't be carried out and standard error says
            why; with 0, it only asked for help or the version.
    """
    parser = _parser()
    options = parser.parse_args(argv)
    loop: str = options.loop
    if problem := _missing(loop):
        parser.exit(CANNOT_RUN, f"anarchon: {problem}\n")
    from anarchon.cli import demo

    try:
        return demo.run(loop, plain=options.plain)
    except KeyboardInterrupt:
        # it came before the demo listened to signals
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="anarchon",
        description="Scheduled jobs on every instance of a service, without a leader.",
    )
    parser.add_argument("--version", action="version", version=f"anarchon {_version()}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    demo = commands.add_parser(
        "demo",
        help="watch three processes run jobs, while one is killed and one is stopped",
        description=(
            "Starts three processes on a temporary SQLite file, kills one and stops "
            "one in the middle of a run, and checks that another finished each run. "
            "Ends by itself in about 20 seconds: with status 0 if every promise was "
            "kept, with 1 if not."
        ),
    )
    demo.add_argument(
        "--loop",
        choices=LOOPS,
        default="trio" if find_spec("trio") else "asyncio",
        help="the loop that the processes run on; trio where it is installed",
    )
    demo.add_argument(
        "--plain", action="store_true", help="print plain lines, on a terminal too"
    )
    return parser


def _version() -> str:
    try:
        return version("anarchon")
    except PackageNotFoundError:
        return "(not installed)"


def _missing(loop: str) -> str | None:
    """Return what the demo lacks here, if anything."""
    if os.name != "posix":
        return "the demo kills processes by signals, which this system doesn't have"
    needed = EXTRAS | ({"trio": "trio"} if loop == "trio" else {})
    absent = [module for module in needed if not find_spec(module)]
    if not absent:
        return None
    extras = ",".join(needed[module] for module in absent)
    them = "it" if len(absent) == 1 else "them"
    return (
        f"the demo needs {', '.join(absent)}; install {them} with: "
        f"pip install 'anarchon[{extras}]'"
    )
